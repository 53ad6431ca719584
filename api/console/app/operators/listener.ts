// Requests to the operators' listener, which the page came from.

const ANSWER_MS_MAX = 20_000;

/** The listener refused, or could not be reached. The message says so. */
export class ListenerError extends Error {
  override readonly name = 'ListenerError';
}

export async function read<Value>(path: string, leaving: AbortSignal): Promise<Value> {
  return ask<Value>('GET', path, leaving);
}

export async function stopRun(runId: string): Promise<{ readonly state: string }> {
  return ask('POST', `/runs/${encodeURIComponent(runId)}/stop`);
}

async function ask<Value>(method: 'GET' | 'POST', path: string, leaving?: AbortSignal): Promise<Value> {
  const late = AbortSignal.timeout(ANSWER_MS_MAX);
  const response = await fetch(path, {
    method,
    signal: leaving === undefined ? late : AbortSignal.any([leaving, late]),
  });
  const body = (await response.json()) as { readonly data: Value; readonly error?: string };
  if (!response.ok) throw new ListenerError(body.error ?? String(response.status));
  return body.data;
}
