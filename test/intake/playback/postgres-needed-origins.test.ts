import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { neededOrigins } from '#engine/intake/playback/postgres-needed-origins.ts';
import { parseSessionId } from '#engine/intake/recording/session-id.ts';
import { type Client, originOf, withApi } from '#test/support/api-harness.ts';
import { steadyTimeline } from '#test/support/timelines.ts';

const api = await withApi({ after });
const SESSION = parseSessionId('2026-monza-race')!;
const timeline = steadyTimeline(20, 1_000, 'session.status');
await api.session(SESSION, { timeline });
await api.session('2026-spa-race', { timeline: steadyTimeline(20, 1_000, 'session.status') });

async function playing(client: Client, sessionId: string): Promise<string> {
  await client.webhook();
  const { body } = await client.call('GET', `/v1/simulate/stream?session=${sessionId}&sinks=webhook`);
  return body.data.runId;
}

test('a replay needs its artifact until it has ended, also while it is paused and holds it not; one of another session does not', async () => {
  const client = await api.client('developer');
  await playing(await api.client('developer'), '2026-spa-race');
  const runId = await playing(client, SESSION);
  await client.call('POST', `/v1/simulate/runs/${runId}/pause`);
  assert.equal(api.library.inUse, 1, 'only the other one holds its artifact');
  assert.deepEqual([...(await neededOrigins(api.sql, SESSION))], [originOf(timeline)]);
  await client.call('DELETE', `/v1/simulate/stream?runId=${runId}`);
  assert.deepEqual([...(await neededOrigins(api.sql, SESSION))], []);
});
