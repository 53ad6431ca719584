// Helpers that read replays and deliveries as a customer does: they wait for a state, or read a log in full.

import type { Caller } from '#test/support/contract-service.ts';
import { eventually } from '#test/support/patience.ts';

/** Each poll counts towards the hourly request limit. */
const ASK_EVERY_MS = 100;

export interface RunEndpoint {
  readonly webhookId: string;
  readonly matched: number;
  readonly delivered: number;
  readonly failed: number;
  readonly skipped: Readonly<Record<string, number>>;
  readonly pending: number;
  readonly breaker: 'closed' | 'open';
}

export interface RunState {
  readonly state: string;
  readonly updateCount: number;
  readonly endpoints: readonly RunEndpoint[];
}

/** Returns the run once `holds` accepts it. */
export function runOnce(
  client: Caller,
  runId: string,
  holds: (run: RunState) => boolean,
  withinMs = 30_000,
): Promise<RunState> {
  return eventually(
    `run ${runId}`,
    async () => {
      const run: RunState = (await client.call('GET', `/simulate/runs/${runId}`)).body.data;
      return holds(run) && run;
    },
    withinMs,
    ASK_EVERY_MS,
  );
}

export function endedRun(client: Caller, runId: string, withinMs?: number): Promise<RunState> {
  return runOnce(client, runId, ({ state }) => state === 'completed' || state === 'stopped', withinMs);
}

export interface LogEntry {
  readonly logId: string;
  readonly webhookId: string;
  readonly statusCode: number | null;
  readonly latencyMs: number;
  readonly createdAt: string;
  readonly responseBody: string | null;
  readonly feedId: string;
  readonly mode: string;
  readonly sequence: number;
  readonly attempt: number;
}

/** The whole delivery log of an endpoint, newest first. */
export async function deliveryLog(client: Caller, webhookId: string): Promise<LogEntry[]> {
  const entries: LogEntry[] = [];
  let cursor: string | null = null;
  do {
    const place: string = cursor === null ? '' : `&cursor=${cursor}`;
    const { body } = await client.call('GET', `/webhooks/${webhookId}/logs?limit=500${place}`);
    entries.push(...body.data.logs);
    cursor = body.data.nextCursor;
  } while (cursor !== null);
  return entries;
}
