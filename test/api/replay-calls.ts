// What tests of replays ask for again and again.

import assert from 'node:assert/strict';
import { type Client, type Harness, until } from '#test/support/api-harness.ts';

/** Starts a detached replay; its run id. An account without endpoints gets one first, since a replay needs one. */
export async function start(client: Client, query = 'session=2026-monza-race'): Promise<string> {
  if ((await client.call('GET', '/v1/webhooks')).body.data.total === 0) await client.webhook();
  const { status, body } = await client.call('GET', `/v1/simulate/stream?sinks=webhook&${query}`);
  assert.equal(status, 202, JSON.stringify(body));
  return body.data.runId;
}

export async function runOf(client: Client, runId: string) {
  return (await client.call('GET', `/v1/simulate/runs/${runId}`)).body.data;
}

/** Says that all deliveries of the run have settled, and waits until its end is written down. */
export async function settleRun(api: Harness, client: Client, runId: string): Promise<void> {
  api.control.listener.settled(runId);
  await until(async () => (await runOf(client, runId)).endedAt !== null);
}
