// POST /v1/simulate/runs: a replay to endpoints, without the stream of the other way to start one.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { REPLAY_ENDPOINTS_CHOSEN_MAX } from '#engine/base/limits.ts';
import { withApi } from '#test/support/api-harness.ts';
import { steadyTimeline } from '#test/support/timelines.ts';
import { runOf, settleRun } from './replay-calls.ts';

const api = await withApi({ after });
const sessionId = '2026-monza-race';
/** That of the session's updates. */
const FEED = { feedId: 'timing.data' };
await api.session(sessionId, { timeline: steadyTimeline(50, 1_000) });

test('both ways to start a replay to endpoints give the same run and the same answer', async () => {
  const client = await api.client('developer');
  const [chosen] = [await client.webhook(FEED), await client.webhook(FEED)];
  const started = [];
  for (const [method, path, body] of [
    ['POST', '/v1/simulate/runs', { sessionId, speed: 2.5, ordered: true, webhookIds: [chosen, chosen], sequence: 11 }],
    [
      'GET',
      `/v1/simulate/stream?sinks=webhook&session=${sessionId}&speed=2.5&ordered=true&webhookIds=${chosen}&sequence=11`,
      undefined,
    ],
  ] as const) {
    const answer = await client.call(method, path, body);
    assert.equal(answer.status, 202, JSON.stringify(answer.body));
    const { runId, ...data } = answer.body.data;
    const { run, endpoints } = api.control.started.find((one) => one.run.runId === runId)!;
    const { ordered, speed } = run;
    const { position, sinks, endpoints: shown } = await runOf(client, runId);
    started.push({ data, ordered, speed, handed: endpoints.length, position, sinks, shown });
    await settleRun(api, client, runId);
  }
  assert.deepEqual(started[0], started[1]);
  const { data, ordered, speed, handed, position, sinks } = started[0]!;
  assert.deepEqual([data.webhookIds, data.expectedDeliveries], [[chosen], 40]);
  assert.deepEqual([ordered, speed, handed, position, sinks], [true, 2.5, 1, 10, 'webhook']);
});

test('without more than a session it plays all of it at its own pace, to every endpoint', async () => {
  const client = await api.client('developer');
  for (let count = 0; count < 2; count++) await client.webhook(FEED);
  const { body } = await client.call('POST', '/v1/simulate/runs', { sessionId });
  const { speed, endpoints, expectedDeliveries } = body.data;
  assert.deepEqual([speed, endpoints, expectedDeliveries], [1, 2, 100]);
  await settleRun(api, client, body.data.runId);
});

test('a body that cannot be meant is 400, names the field, and starts nothing', async () => {
  const client = await api.client('developer');
  const id = await client.webhook();
  const many = Array.from({ length: REPLAY_ENDPOINTS_CHOSEN_MAX + 1 }, () => id);
  for (const [body, text] of [
    [{}, /sessionId/],
    [{ sessionId, speed: 11 }, /speed/],
    [{ sessionId, ordered: 'true' }, /ordered/],
    [{ sessionId, sinks: 'visual' }, /sinks/],
    [{ sessionId, webhookIds: [] }, /webhookIds/],
    [{ sessionId, webhookIds: [''] }, /^webhookIds has an empty id: leave it out$/],
    [{ sessionId, webhookIds: many }, /^webhookIds names 101 endpoints; at most 100 are allowed$/],
    [{ sessionId, sequence: 51 }, /^sequence must be at most 50/],
    [
      { sessionId, sequence: 1, seconds: 3 },
      /^only one of sequence, lap, time and seconds can name the place, and sequence and seconds are given$/,
    ],
  ] as const) {
    const answer = await client.call('POST', '/v1/simulate/runs', body);
    assert.deepEqual([answer.status, answer.body.code], [400, 'invalid_body'], JSON.stringify(body));
    assert.match(answer.body.error, text);
  }
  const unknown = await client.call('POST', '/v1/simulate/runs', { sessionId: 'no-such-session' });
  assert.deepEqual([unknown.status, unknown.body.code], [404, 'not_found']);
  assert.equal((await client.call('GET', '/v1/simulate/runs')).body.data.total, 0);
});
