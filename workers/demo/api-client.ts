// A client of the service's API, as a customer would write it: the routes that the demo needs, over HTTP.

import { DEMO_LOG_PAGES_MAX, DEMO_REQUEST_MS } from '#engine/base/limits.ts';

export interface RunEndpoint {
  readonly webhookId: string;
  readonly matched: number;
  readonly delivered: number;
  readonly failed: number;
  readonly skipped: Readonly<Record<string, number>>;
  readonly pending: number;
  readonly breaker: 'closed' | 'open';
  readonly lagMs: number;
}

export interface RunStatus {
  readonly runId: string;
  readonly state: 'running' | 'stopping' | 'stopped' | 'completed';
  readonly position: number;
  readonly updateCount: number;
  readonly startedAt: string;
  readonly endpoints: readonly RunEndpoint[];
}

export interface SessionItem {
  readonly sessionId: string;
  readonly name: string;
  readonly circuitName: string;
  readonly durationSeconds: number;
  readonly updateCount: number;
  readonly demo: boolean;
}

export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface LoggedAttempt {
  readonly sequence: number;
  readonly attempt: number;
  readonly createdAt: string;
}

export class ApiClient {
  readonly #base: string;
  readonly #signal: AbortSignal;
  #token = '';

  /** `address` of the service, without `/v1`. */
  constructor(address: string, signal: AbortSignal) {
    this.#base = `${address}/v1`;
    this.#signal = signal;
  }

  async signIn({ clientId, clientSecret }: Credentials): Promise<void> {
    const body = { client_id: clientId, client_secret: clientSecret, grant_type: 'client_credentials' };
    const { access_token } = (await this.#call('POST', '/oauth', body)) as { access_token: string };
    this.#token = access_token;
  }

  /** The bearer token. */
  get token(): string {
    return this.#token;
  }

  async session(sessionId: string): Promise<SessionItem> {
    const { sessions } = await this.#data<{ sessions: SessionItem[] }>('GET', '/simulate/sessions?limit=100');
    const found = sessions.find((session) => session.sessionId === sessionId);
    if (found === undefined) throw new Error(`the service does not list the session ${sessionId}`);
    return found;
  }

  createWebhook(order: Readonly<Record<string, unknown>>): Promise<{ webhookId: string; webhookSecret: string }> {
    return this.#data('POST', '/webhooks', order);
  }

  prepare(sessionId: string): Promise<{ status: string; progress: number }> {
    return this.#data('POST', '/simulate/prepare', { sessionId });
  }

  preparation(sessionId: string): Promise<{ status: string; progress: number }> {
    return this.#data('GET', `/simulate/status?session=${encodeURIComponent(sessionId)}`);
  }

  async deleteWebhook(webhookId: string): Promise<void> {
    await this.#call('DELETE', `/webhooks/${webhookId}`);
  }

  /** `more`: further parameters of the query. */
  startRun(
    sessionId: string,
    speed: number,
    more: Readonly<Record<string, string>> = {},
  ): Promise<{ runId: string; updateCount: number }> {
    const query = new URLSearchParams({ session: sessionId, speed: String(speed), sinks: 'webhook', ...more });
    return this.#data('GET', `/simulate/stream?${query}`);
  }

  async stopRun(runId: string): Promise<void> {
    await this.#data('DELETE', `/simulate/stream?runId=${runId}`);
  }

  run(runId: string): Promise<RunStatus> {
    return this.#data('GET', `/simulate/runs/${runId}`);
  }

  /** Yields the delivery log of an endpoint, newest first, at most DEMO_LOG_PAGES_MAX pages. */
  async *attempts(webhookId: string): AsyncIterable<LoggedAttempt> {
    let cursor: string | null = null;
    for (let pages = 0; pages < DEMO_LOG_PAGES_MAX; pages++) {
      const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page: { logs: LoggedAttempt[]; nextCursor: string | null } = await this.#data(
        'GET',
        `/webhooks/${webhookId}/logs?limit=500${query}`,
      );
      yield* page.logs;
      cursor = page.nextCursor;
      if (cursor === null) return;
    }
  }

  async #data<Data>(method: string, path: string, body?: unknown): Promise<Data> {
    const { data } = (await this.#call(method, path, body)) as { data: Data };
    return data;
  }

  async #call(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(`${this.#base}${path}`, {
      method,
      headers: {
        ...(this.#token === '' ? {} : { authorization: `Bearer ${this.#token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.any([this.#signal, AbortSignal.timeout(DEMO_REQUEST_MS)]),
    });
    const content: unknown = await response.json();
    if (response.ok) return content;
    const { error, code } = content as { error?: string; code?: string };
    throw new Error(`${method} ${path.replace(/\?.*/, '')} was refused: ${response.status} ${code}: ${error}`);
  }
}
