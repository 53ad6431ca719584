// "Simulate" among the endpoints of the interface, its replay rules, the simulate quota and the states of a session slot.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { BRIEF_SESSION, OTHER_SESSION } from '#test/support/brief-session.ts';
import type { ContractClient } from '#test/support/contract-service.ts';
import { eventually } from '#test/support/patience.ts';
import { receivingEndpoints } from './receiving-endpoints.ts';
import { service } from './replay-service.ts';
import { endedRun, runOnce } from './run-watch.ts';
import { prepare, replay } from './short-session.ts';

const DEMO = 'demo-race';
const { sql, baseUrl } = service;
const receiving = receivingEndpoints({ after });

const quotaOf = async (client: ContractClient) => (await client.call('GET', '/simulate/quota')).body;
const stream = (sessionId: string, speed = 10, sinks = 'webhook') =>
  `/simulate/stream?session=${sessionId}&speed=${speed}&sinks=${sinks}`;

/** Takes slots for sessions that no longer exist. */
async function takeSlots({ accountId }: ContractClient, count: number): Promise<void> {
  await sql`insert into simulate_slot (account_id, session_id)
    select ${accountId}, 'long-gone-' || number from generate_series(1, ${count}) as number`;
}

/** Changes the season of a session, for all accounts. */
async function moveToSeason(sessionId: string, season: number): Promise<void> {
  await sql`update session set season = ${season} where session_id = ${sessionId}`;
}

/** Opens a replay as server-sent events. */
function watch(client: ContractClient, query: string, signal?: AbortSignal): Promise<Response> {
  const headers = { authorization: `Bearer ${client.token}` };
  return fetch(`${baseUrl}/simulate/stream?${query}`, { headers, ...(signal !== undefined && { signal }) });
}

before(async () => {
  const client = await service.client('custom');
  for (const sessionId of [BRIEF_SESSION, OTHER_SESSION, DEMO]) await prepare(client, sessionId);
});

test('GET /simulate/sessions: lists the replayable sessions, with the ids that prepare, status and stream accept', async () => {
  const client = await service.client('free');
  const { sessions, total } = (await client.call('GET', '/simulate/sessions')).body.data;
  assert.deepEqual(sessions.map(({ sessionId }: { sessionId: string }) => sessionId).toSorted(), [
    BRIEF_SESSION,
    OTHER_SESSION,
    DEMO,
  ]);
  assert.equal(total, 3);
  for (const { sessionId } of sessions) {
    const { status, body } = await client.call('GET', `/simulate/status?session=${sessionId}`);
    assert.deepEqual([status, body.data.sessionId, body.data.status], [200, sessionId, 'ready']);
  }
});

test('GET /simulate/quota: returns limit, used, remaining, unlocked and currentSeasonOnly, not wrapped', async () => {
  const quotas = [];
  for (const plan of ['free', 'developer', 'custom'] as const) quotas.push(await quotaOf(await service.client(plan)));
  assert.deepEqual(quotas, [
    { limit: 5, used: 0, remaining: 5, unlocked: [], currentSeasonOnly: true },
    { limit: 10, used: 0, remaining: 10, unlocked: [], currentSeasonOnly: true },
    { limit: -1, used: 0, remaining: -1, unlocked: [], currentSeasonOnly: false },
  ]);
});

test('POST /simulate/prepare: sessionId is required and comes from the list; the playback artifact is compiled once', async () => {
  const client = await service.client('free');
  const missing = await client.call('POST', '/simulate/prepare', {});
  assert.deepEqual([missing.status, missing.body.error], [400, 'sessionId is required']);
  const unknown = await client.call('POST', '/simulate/prepare', { sessionId: 'nobody-knows' });
  assert.deepEqual([unknown.status, unknown.body.code], [404, 'not_found']);
  assert.match(unknown.body.error, /GET \/v1\/simulate\/sessions/);
  const again = await client.call('POST', '/simulate/prepare', { sessionId: BRIEF_SESSION });
  assert.deepEqual([again.status, again.body.data.status], [202, 'ready'], 'at once: it was cached');
});

test('speed: optional, a multiplier of at most 10; sinks: visual, webhook or both', async () => {
  const client = await service.client('free');
  for (const [query, text] of [
    ['speed=10.1', 'speed must be at most 10'],
    ['speed=0.09', 'speed must be at least 0.1'],
    ['speed=fast', 'speed must be a number'],
    ['sinks=email', 'sinks must be one of visual, webhook, both'],
  ]) {
    const { status, body } = await client.call('GET', `/simulate/stream?session=${BRIEF_SESSION}&${query}`);
    assert.deepEqual([status, body.code, body.error], [400, 'invalid_query', text]);
  }
  const { status, body } = await client.call('GET', '/simulate/stream?sinks=webhook');
  assert.deepEqual([status, body.error], [400, 'session is required']);
});

// Each test has its own account, so replays can run in parallel.
describe('Replays', { concurrency: 4 }, () => {
  test('Replay rules 1 and 2: a replay sends every recorded event of the subscribed feeds to every active endpoint', async () => {
    const client = await service.client('custom');
    const [all, laps] = [await receiving(client), await receiving(client, { feedId: 'lap.count' })];
    const run = await endedRun(client, await replay(client, BRIEF_SESSION));
    assert.equal(all.receiver.received.length, run.updateCount);
    assert.equal(new Set(all.receiver.received.map(({ sequence }) => sequence)).size, run.updateCount);
    assert.equal(laps.receiver.received.length, 94);
    assert.ok(laps.receiver.received.every(({ feed }) => feed === 'lap.count'));
    const { deliveryCount } = (await client.call('GET', '/usage')).body.data;
    assert.equal(deliveryCount, run.updateCount + 94, 'attempts = events x endpoints');
  });

  test('Replay rule 1: the speed divides the duration of the session', async () => {
    const client = await service.client('free');
    const { receiver } = await receiving(client, { feedId: 'lap.count' });
    const beforeMs = performance.now();
    await endedRun(client, await replay(client, BRIEF_SESSION));
    const lastMs = Math.max(...receiver.received.map(({ atMs }) => atMs)) - beforeMs;
    // The session has lap counts for 18.6 s. No delivery is early, so at ten times the speed they take at least 1.86 s.
    assert.ok(lastMs > 1_800, `${lastMs} ms`);
  });

  test('Replay rule 3: every delivery carries the replay headers, with the requested speed', async () => {
    const client = await service.client('free');
    const { receiver } = await receiving(client, { feedId: 'session.status' });
    const { runId } = (await client.call('GET', stream(BRIEF_SESSION, 7.5))).body.data;
    await endedRun(client, runId);
    assert.equal(receiver.received.length, 4);
    for (const { headers } of receiver.received) {
      assert.equal(headers['x-service-replay-session'], BRIEF_SESSION);
      assert.equal(headers['x-service-replay-run-id'], runId);
      assert.equal(headers['x-service-replay-speed'], '7.5');
    }
  });

  test('Replay rule 4: the demo session is delivered in full to all endpoints on every tier, and takes no slot', async () => {
    const client = await service.client('free');
    await takeSlots(client, 5);
    const before = await quotaOf(client);
    const { receiver } = await receiving(client, { feedId: 'lap.count' });
    const runId = await replay(client, DEMO);
    const live = () => receiver.received.some(({ feed }) => feed === 'timing.data');
    await eventually('a feed of a higher tier, without a subscription', live);
    await client.call('DELETE', `/simulate/stream?runId=${runId}`);
    await endedRun(client, runId);
    assert.deepEqual(await quotaOf(client), before);
  });

  test('Quota behaviour: the demo session counts in usage, but takes nothing from the month of a Free account', async () => {
    const client = await service.client('free');
    await sql`insert into usage (account_id, month, feed_id, attempts, succeeded)
      values (${client.accountId}, date_trunc('month', now() at time zone 'utc')::date, 'weather.data', 5000, 5000)`;
    const { receiver } = await receiving(client, { feedId: 'lap.count' });
    const { body } = await client.call('GET', stream(DEMO));
    assert.equal(body.data.warning, null);
    await eventually('deliveries of the demo session', () => receiver.received.length > 20);
    await client.call('DELETE', `/simulate/stream?runId=${body.data.runId}`);
    const { endpoints } = await endedRun(client, body.data.runId);
    assert.equal(endpoints[0]!.skipped.monthly_limit, undefined);
    const usage = (await client.call('GET', '/usage')).body.data;
    const { delivered, failed } = endpoints[0]!;
    assert.equal(usage.deliveryCount, 5_000 + usage.demoDeliveryCount);
    assert.ok(usage.demoDeliveryCount >= delivered + failed, JSON.stringify(usage));
    const other = (await client.call('GET', stream(BRIEF_SESSION))).body.data;
    assert.deepEqual([other.deliveriesLeft, other.expectedDeliveries], [0, 94]);
    assert.match(other.warning, /0 deliveries left this month/);
    const run = await endedRun(client, other.runId);
    assert.deepEqual([run.endpoints[0]!.delivered, run.endpoints[0]!.skipped.monthly_limit], [0, 94]);
  });

  test('Replay rule 4: every other session delivers only subscribed feeds of the tier', async () => {
    const client = await service.client('free');
    const { receiver } = await receiving(client);
    await endedRun(client, await replay(client, BRIEF_SESSION));
    const feeds = [...new Set(receiver.received.map(({ feed }) => feed))].toSorted();
    assert.deepEqual(feeds, ['lap.count', 'race-control.messages', 'session.info', 'session.status']);
  });

  test('Replay rule 5: starting a replay while one is running gives 409, and of fifty requests at once one starts a replay', async () => {
    const client = await service.client('developer');
    const { receiver } = await receiving(client, { feedId: 'session.info' });
    const answers = await Promise.all(Array.from({ length: 50 }, () => client.call('GET', stream(BRIEF_SESSION, 1))));
    const started = answers.filter(({ status }) => status === 202);
    assert.equal(started.length, 1);
    for (const { status, body } of answers) {
      if (status !== 202) assert.deepEqual([status, body.code], [409, 'replay_running']);
    }
    const { runId } = started[0]!.body.data;
    for (const sinks of ['visual', 'both']) {
      const { status, body } = await client.call('GET', stream(OTHER_SESSION, 1, sinks));
      assert.deepEqual([status, body.code], [409, 'replay_running']);
      assert.match(body.error, /DELETE \/v1\/simulate\/stream/);
    }
    assert.equal((await client.call('GET', '/simulate/runs')).body.data.total, 1);
    await eventually('its one delivery', () => receiver.received.length === 1);
    await client.call('DELETE', `/simulate/stream?runId=${runId}`);
    await endedRun(client, runId);
    assert.equal(receiver.received.length, 1);
    await endedRun(client, await replay(client, BRIEF_SESSION));
  });

  test('DELETE /simulate/stream: answers 200 or 202, stops the run, and leaves delivered events delivered', async () => {
    const client = await service.client('free');
    const { receiver, webhookId } = await receiving(client);
    const { runId } = (await client.call('GET', stream(BRIEF_SESSION, 2))).body.data;
    await eventually('some deliveries', () => receiver.received.length > 5);
    const { status, body } = await client.call('DELETE', `/simulate/stream?runId=${runId}`);
    assert.equal(status, body.data.state === 'stopped' ? 200 : 202);
    const { state, endpoints } = await endedRun(client, runId);
    assert.equal(state, 'stopped');
    const { data } = (await client.call('GET', `/webhooks/${webhookId}/logs?limit=500`)).body;
    assert.deepEqual([data.logs.length, endpoints[0]!.delivered], [receiver.received.length, receiver.received.length]);
    const again = await client.call('DELETE', `/simulate/stream?runId=${runId}`);
    assert.deepEqual([again.status, again.body.data.state], [200, 'stopped']);
    const stranger = await service.client('free');
    for (const [other, id] of [
      [stranger, runId],
      [client, 'run_nothing'],
    ] as const) {
      const missing = await other.call('DELETE', `/simulate/stream?runId=${id}`);
      assert.deepEqual([missing.status, missing.body.code], [404, 'not_found']);
    }
  });

  test('sinks=visual, the default: the caller gets server-sent events, nothing is delivered, and no slot is taken', async () => {
    const client = await service.client('free');
    const { receiver } = await receiving(client);
    const response = await watch(client, `session=${BRIEF_SESSION}&speed=10`);
    assert.equal(response.headers.get('content-type'), 'text/event-stream');
    const text = await response.text();
    const feeds = new Set(Array.from(text.matchAll(/^event: (.+)$/gm), ([, feed]) => feed));
    assert.deepEqual(feeds, new Set(['run', 'session.info', 'session.status', 'lap.count', 'race-control.messages']));
    assert.equal(receiver.received.length, 0);
    assert.equal((await quotaOf(client)).used, 0);
  });

  test('sinks=both: the caller and the webhooks get the updates in lockstep, until the caller disconnects', async () => {
    const client = await service.client('free');
    const { receiver } = await receiving(client, { feedId: 'lap.count' });
    const leave = new AbortController();
    const response = await watch(client, `session=${BRIEF_SESSION}&speed=2&sinks=both`, leave.signal);
    const decoder = new TextDecoder();
    let seen = '';
    for await (const bytes of response.body!) {
      seen += decoder.decode(bytes, { stream: true });
      if (seen.split('event: lap.count').length > 10) break;
    }
    await eventually('the updates that the caller has seen', () => receiver.received.length >= 9);
    leave.abort();
    const { runId } = (await client.call('GET', '/simulate/runs')).body.data.runs[0];
    const { state } = await endedRun(client, runId);
    assert.equal(state, 'stopped');
    assert.ok(receiver.received.length < 90, 'the replay stopped before its end');
  });

  test('A replay is paused, moved and continued: what was jumped over counts nowhere, and the rest arrives once', async () => {
    const client = await service.client('custom');
    const { receiver } = await receiving(client, { feedId: 'lap.count' });
    const { runId, updateCount } = (await client.call('GET', stream(BRIEF_SESSION, 1))).body.data;
    const change = async (what: string, body?: unknown) =>
      (await client.call('POST', `/simulate/runs/${runId}/${what}`, body)).body.data;
    await eventually('some deliveries', () => receiver.received.length > 2);
    assert.equal((await change('pause')).state, 'paused');
    await runOnce(client, runId, ({ endpoints }) => endpoints[0]!.pending === 0);
    const before = receiver.received.length;
    const { position } = (await client.call('GET', `/simulate/runs/${runId}`)).body.data;
    const to = position + 150;
    assert.deepEqual(await change('seek', { sequence: to + 1 }), { runId, state: 'paused', position: to });
    assert.equal(receiver.received.length, before, 'nothing is delivered while it is paused');
    assert.equal((await change('resume')).state, 'running');
    await change('seek', { sequence: updateCount - 20 });
    const { endpoints, state } = await endedRun(client, runId);
    assert.equal(state, 'completed');
    const { matched, delivered, failed, skipped } = endpoints[0]!;
    assert.deepEqual([matched, failed, skipped], [delivered, 0, {}]);
    assert.equal(receiver.received.length, delivered);
    const sequences = receiver.received.map(({ sequence }) => sequence);
    assert.equal(new Set(sequences).size, sequences.length, 'each once');
    assert.ok(!sequences.some((sequence) => sequence > position && sequence <= to), 'none of what was jumped over');
  });

  test('Slot, locked to unlocked: the first delivery takes a slot; a stop or another replay of the session changes nothing', async () => {
    const client = await service.client('free');
    const { receiver } = await receiving(client);
    const { runId } = (await client.call('GET', stream(BRIEF_SESSION, 2))).body.data;
    await eventually('the first delivery', () => receiver.received.length > 0);
    const unlocked = { limit: 5, used: 1, remaining: 4, unlocked: [BRIEF_SESSION], currentSeasonOnly: true };
    await eventually('the slot', async () => (await quotaOf(client)).used === 1);
    assert.deepEqual(await quotaOf(client), unlocked);
    await client.call('DELETE', `/simulate/stream?runId=${runId}`);
    await endedRun(client, runId);
    assert.deepEqual(await quotaOf(client), unlocked, 'stopping a run does not free its slot');
    await endedRun(client, await replay(client, BRIEF_SESSION));
    assert.deepEqual(await quotaOf(client), unlocked, 'a replay of an unlocked session takes no slot');
  });

  test('Slot: a replay that delivers nothing leaves the session locked', async () => {
    const client = await service.client('free');
    await client.webhook({ feedId: 'weather.data' });
    const { endpoints } = await endedRun(client, await replay(client, BRIEF_SESSION));
    assert.equal(endpoints[0]!.matched, 0);
    assert.equal((await quotaOf(client)).used, 0);
  });

  test('Slots: when none remains, a new session gives 429; unlocked sessions, the demo and sinks=visual stay possible', async () => {
    for (const [plan, slots] of [
      ['free', 5],
      ['developer', 10],
    ] as const) {
      const client = await service.client(plan);
      await receiving(client, { feedId: 'session.info' });
      await takeSlots(client, slots - 1);
      const runId = await replay(client, BRIEF_SESSION);
      await runOnce(client, runId, ({ endpoints }) => endpoints[0]!.delivered === 1);
      await endedRun(client, runId);
      assert.deepEqual([(await quotaOf(client)).used, (await quotaOf(client)).remaining], [slots, 0]);
      const { status, body } = await client.call('GET', stream(OTHER_SESSION));
      assert.deepEqual([status, body.code], [429, 'simulate_quota_reached']);
      assert.match(body.error, new RegExp(`All ${slots} .*GET /v1/simulate/quota`));
      for (const sessionId of [BRIEF_SESSION, DEMO]) {
        const again = await replay(client, sessionId);
        await client.call('DELETE', `/simulate/stream?runId=${again}`);
        await endedRun(client, again);
      }
      assert.equal((await watch(client, `session=${OTHER_SESSION}&speed=10`)).status, 200);
    }
  });

  test('Slots: Custom has no limit', async () => {
    const client = await service.client('custom');
    await takeSlots(client, 50);
    await receiving(client, { feedId: 'session.info' });
    await endedRun(client, await replay(client, BRIEF_SESSION));
    const { used, remaining, limit } = await quotaOf(client);
    assert.deepEqual([used, remaining, limit], [51, -1, -1]);
  });
});

test('An out-of-season session gives 403 on the self-serve tiers and is open to Custom', async () => {
  await moveToSeason(OTHER_SESSION, 2019);
  try {
    for (const plan of ['free', 'developer'] as const) {
      const client = await service.client(plan);
      for (const refused of [
        await client.call('GET', stream(OTHER_SESSION)),
        await client.call('POST', '/simulate/prepare', { sessionId: OTHER_SESSION }),
      ]) {
        assert.deepEqual([refused.status, refused.body.code], [403, 'out_of_season']);
        assert.match(refused.body.error, /season 2019.*season 2026/);
      }
    }
    const custom = await service.client('custom');
    await receiving(custom, { feedId: 'session.info' });
    await endedRun(custom, await replay(custom, OTHER_SESSION));
  } finally {
    await moveToSeason(OTHER_SESSION, 2026);
  }
});
