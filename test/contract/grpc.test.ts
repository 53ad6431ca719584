// gRPC: the same updates, places and refusals as over server-sent events, for the plan Custom.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { status } from '@grpc/grpc-js';
import { BRIEF_SESSION, importBothSessions, OTHER_SESSION } from '#test/support/brief-session.ts';
import { type ContractClient, contractService } from '#test/support/contract-service.ts';
import { type GrpcClient, grpcClient } from '#test/support/grpc-client.ts';
import { OwnSource } from '#test/support/own-source.ts';
import { eventually } from '#test/support/patience.ts';
import { openStream } from './event-stream.ts';
import { IN_SEASON, prepare } from './short-session.ts';
import { BEHIND_PROXY, grantOf, member } from './visitor.ts';
import { webhookBodies } from './webhook-bodies.ts';

const service = await contractService(
  { after },
  { ...IN_SEASON, ...BEHIND_PROXY, GRPC_PORT: '0', ADMIN_PORT: '0', LIVE_TO_LOCALHOST: 'on' },
  importBothSessions,
);
const address = service.process.grpc;
const open: GrpcClient[] = [];
after(() => {
  for (const client of open) client.close();
});

function grpcOf({ token }: ContractClient): GrpcClient {
  const client = grpcClient(address, token);
  open.push(client);
  return client;
}

before(async () => {
  const client = await service.client('custom');
  for (const sessionId of [BRIEF_SESSION, 'demo-race']) await prepare(client, sessionId);
});

test('a recorded session comes whole, in order, byte for byte as webhooks and event streams get it, and ends with OK', async (t) => {
  const client = await service.client('custom');
  const bodies = await webhookBodies(t, client, BRIEF_SESSION);
  const stream = grpcOf(client).subscribe({ session: BRIEF_SESSION });
  const ended = await stream.ended();
  assert.equal(ended.code, status.OK, ended.details);
  assert.deepEqual(
    stream.sequences(),
    bodies.map((_, index) => index + 1),
  );
  const events = await openStream(service.process.address, client.token, `session=${BRIEF_SESSION}`);
  await events.ended();
  assert.deepEqual(stream.bodies(), events.bodies());
  assert.deepEqual(stream.bodies(), bodies);
  for (const { feed, session_id, sequence, utc, json } of stream.updates) {
    const body = JSON.parse(json.toString());
    const told = new Date(utc.seconds * 1_000 + utc.nanos / 1_000_000).toISOString();
    assert.deepEqual([feed, session_id, sequence, told], [body.feed, body.sessionId, body.sequence, body.utc]);
  }
});

test('a stream continues after any cursor, also the first one, and after a sequence', async () => {
  const client = grpcOf(await service.client('custom'));
  const whole = client.subscribe({ session: BRIEF_SESSION });
  await whole.ended();
  const last = whole.updates.length - 1;
  for (const index of [0, 1, 57, last]) {
    const { cursor } = whole.updates[index]!;
    const rest = client.subscribe({ session: BRIEF_SESSION, cursor, resume_after: 3 });
    assert.equal((await rest.ended()).code, status.OK);
    assert.deepEqual(rest.bodies(), whole.bodies().slice(index + 1));
  }
  const again = client.subscribe({ session: BRIEF_SESSION, cursor: whole.firstCursor()! });
  await again.ended();
  assert.deepEqual(again.bodies(), whole.bodies());
  const after60 = client.subscribe({ session: BRIEF_SESSION, resume_after: 60 });
  await after60.ended();
  assert.deepEqual(after60.bodies(), whole.bodies().slice(60));
  const afterEvent = await openStream(
    service.process.address,
    (await service.client('custom')).token,
    `session=${BRIEF_SESSION}`,
    whole.updates[57]!.cursor,
  );
  await afterEvent.ended();
  assert.deepEqual(afterEvent.bodies(), whole.bodies().slice(58));
});

test('feeds and filters are those of a webhook', async () => {
  const client = grpcOf(await service.client('custom'));
  const whole = client.subscribe({ session: BRIEF_SESSION });
  await whole.ended();
  const bodies = whole.bodies().map((body) => JSON.parse(body));
  const chosen = client.subscribe({ session: BRIEF_SESSION, feeds: ['lap.count', 'tire.*'] });
  await chosen.ended();
  const wanted = bodies.filter(({ feed }) => feed === 'lap.count' || feed.startsWith('tire.'));
  assert.deepEqual(
    chosen.sequences(),
    wanted.map(({ sequence }) => sequence),
  );
  const driver = client.subscribe({ session: BRIEF_SESSION, feeds: ['timing.data'], filters: { drivers: ['her'] } });
  await driver.ended();
  const hers = bodies.filter(
    ({ feed, drivers }) => feed === 'timing.data' && drivers.some(({ tla }: { tla: string }) => tla === 'HER'),
  );
  assert.ok(hers.length > 0);
  assert.deepEqual(
    driver.sequences(),
    hers.map(({ sequence }) => sequence),
  );
  const leader = client.subscribe({ session: BRIEF_SESSION, feeds: ['timing.data'], filters: { position_max: 1 } });
  await leader.ended();
  assert.ok(
    leader.updates.length > 0 && leader.updates.length < bodies.filter(({ feed }) => feed === 'timing.data').length,
  );
});

test('live: the first cursor and every later one resume exactly, also over a restart of the thread of gRPC', async () => {
  const client = await service.client('custom');
  const early = grpcOf(client).subscribe({ session: 'live' });
  await eventually('the first cursor', () => early.firstCursor() !== null);
  assert.equal(early.firstCursor(), 'none');
  early.leave();
  const source = new OwnSource(service, '2026-silverstone-race');
  await source.upTo(20_000);
  const fromStart = grpcOf(client).subscribe({ session: '2026-silverstone-race', resume_after: 0 });
  await fromStart.received(5);
  const waiting = grpcOf(client).subscribe({ session: 'live' });
  await eventually('the first cursor', () => waiting.firstCursor() !== null);
  waiting.leave();
  await source.upTo();
  await source.end();
  assert.equal((await fromStart.ended()).code, status.OK);
  const sinceNone = grpcOf(client).subscribe({ session: 'live', cursor: 'none' });
  const sinceFirst = grpcOf(client).subscribe({ session: 'live', cursor: waiting.firstCursor()! });
  const seen = Number(/:(\d+)~/.exec(waiting.firstCursor()!)![1]);
  await sinceFirst.received(fromStart.updates.length - seen);
  assert.deepEqual(sinceFirst.bodies(), fromStart.bodies().slice(seen));
  const back = grpcOf(client).subscribe({ session: '2026-silverstone-race', cursor: fromStart.updates[9]!.cursor });
  await back.ended();
  assert.deepEqual(back.bodies(), fromStart.bodies().slice(10));
  sinceNone.leave();
  sinceFirst.leave();
});

test('every refusal has a status, a sentence and our code, also as google.rpc.ErrorInfo', async () => {
  const custom = await service.client('custom');
  const client = grpcOf(custom);
  const refused = async (request: object, by = client) => {
    const stream = by.subscribe(request);
    const { code, details, metadata } = await stream.ended();
    const info = metadata.get('grpc-status-details-bin')[0];
    assert.ok(info instanceof Buffer && info.includes(stream.code()!) && info.includes('google.rpc.ErrorInfo'));
    assert.ok(details.length > 10, details);
    return [code, stream.code(), details];
  };
  const cases: [object, number, string, RegExp][] = [
    [{}, status.INVALID_ARGUMENT, 'invalid_query', /exactly one of session and run/],
    [
      { session: 'live', resume_after: 3 },
      status.INVALID_ARGUMENT,
      'invalid_query',
      /^resume_after is not .* send cursor$/,
    ],
    [{ session: BRIEF_SESSION, speed: 11 }, status.INVALID_ARGUMENT, 'invalid_query', /speed must be at most 10/],
    [{ session: BRIEF_SESSION, cursor: '?' }, status.INVALID_ARGUMENT, 'invalid_query', /^cursor must be/],
    [
      { session: BRIEF_SESSION, cursor: 'other:3~1' },
      status.INVALID_ARGUMENT,
      'invalid_query',
      /cursor is of another session/,
    ],
    [
      { session: BRIEF_SESSION, resume_after: 99_999 },
      status.INVALID_ARGUMENT,
      'invalid_query',
      /^resume_after must be/,
    ],
    [
      { session: BRIEF_SESSION, filters: { position_min: 100 } },
      status.INVALID_ARGUMENT,
      'invalid_query',
      /filters.position_min/,
    ],
    [
      { session: BRIEF_SESSION, filters: { drivers: ['xx'] } },
      status.INVALID_ARGUMENT,
      'invalid_filters',
      /three-letter/,
    ],
    [{ session: BRIEF_SESSION, feeds: ['no.feed'] }, status.INVALID_ARGUMENT, 'invalid_query', /no\.feed/],
    [{ session: 'no-such-session' }, status.NOT_FOUND, 'not_found', /./],
    [{ session: OTHER_SESSION }, status.FAILED_PRECONDITION, 'not_prepared', /./],
    [{ run: 'run_1' }, status.NOT_FOUND, 'not_found', /./],
  ];
  for (const [request, statusCode, code, text] of cases) {
    const [gotStatus, gotCode, details] = await refused(request);
    assert.deepEqual([gotStatus, gotCode], [statusCode, code], `${JSON.stringify(request)}: ${details}`);
    assert.match(String(details), text);
  }
  const developer = grpcOf(await service.client('developer'));
  assert.deepEqual((await refused({ session: 'demo-race' }, developer)).slice(0, 2), [
    status.PERMISSION_DENIED,
    'insufficient_tier',
  ]);
  for (const token of [null, 'not-a-token']) {
    const stranger = grpcClient(address, token);
    open.push(stranger);
    assert.deepEqual((await refused({ session: 'demo-race' }, stranger)).slice(0, 2), [
      status.UNAUTHENTICATED,
      'unauthorized',
    ]);
    await assert.rejects(stranger.ask('Sessions', {}), { code: status.UNAUTHENTICATED });
  }
  await assert.rejects(client.ask('Sessions', { limit: 101 }), { code: status.INVALID_ARGUMENT });
  await assert.rejects(client.ask('Snapshot', { session: 'no-such-session' }), { code: status.NOT_FOUND });
  await assert.rejects(developer.ask('Snapshot', { session: 'demo-race' }), { code: status.PERMISSION_DENIED });
});

test('sessions and snapshots are those of the API, and the quota is the same', async () => {
  const client = await service.client('custom');
  const calls = grpcOf(client);
  const { body: listed, headers: first } = await client.call('GET', '/simulate/sessions?limit=2');
  const sessions = await calls.ask('Sessions', { limit: 2 });
  assert.equal(sessions.total, listed.data.total);
  assert.deepEqual(
    // biome-ignore lint/suspicious/noExplicitAny: an answer
    sessions.sessions.map((one: any) => ({
      sessionId: one.session_id,
      seriesId: one.series_id,
      name: one.name,
      type: one.type,
      circuitName: one.circuit_name,
      startDate: new Date(one.start_time.seconds * 1_000 + one.start_time.nanos / 1e6).toISOString(),
      durationSeconds: one.duration_seconds,
      updateCount: one.update_count,
      demo: one.demo,
      season: one.season,
      unlocked: one.unlocked,
      prepared: one.prepared,
    })),
    listed.data.sessions,
  );
  const { body: state } = await client.call('GET', `/sessions/${BRIEF_SESSION}/state?sequence=60&feeds=timing.*`);
  const snapshot = await calls.ask('Snapshot', { session: BRIEF_SESSION, sequence: 60, feeds: ['timing.*'] });
  assert.deepEqual([snapshot.sequence, snapshot.update_count, snapshot.live], [60, state.data.updateCount, false]);
  assert.deepEqual(
    snapshot.states.map(({ json }: { json: Buffer }) => JSON.parse(json.toString())),
    state.data.states,
  );
  const { headers } = await client.call('GET', '/usage');
  const remaining = (from: Headers): number => Number(from.get('x-ratelimit-remaining'));
  assert.equal(remaining(first) - remaining(headers), 4);
});

test('a regenerated secret ends its streams within a second, also one that is not read', async () => {
  const { cookie, email } = await member(service);
  await service.admin(['account', 'plan', email, 'custom']);
  const token: string = (await service.call('POST', '/oauth', await grantOf(service, cookie))).body.access_token;
  const client = grpcClient(address, token);
  open.push(client);
  const stream = client.subscribe({ session: 'live' });
  const stalled = client.subscribe({ session: 'demo-race' });
  stalled.call.pause();
  await eventually('both streams', () => stream.firstCursor() !== null && stalled.firstCursor() !== null);
  const changedAtMs = performance.now();
  const changed = await service.call('POST', '/console/regenerate-secret', undefined, { cookie });
  assert.equal(changed.status, 200);
  const { code } = await stream.ended();
  assert.ok(performance.now() - changedAtMs < 1_000);
  assert.deepEqual([code, stream.code()], [status.UNAUTHENTICATED, 'unauthorized']);
  // It has read what its library takes unasked, and is reset if that was not everything.
  stalled.call.resume();
  assert.ok([status.UNAUTHENTICATED, status.CANCELLED].includes((await stalled.ended()).code));
});

test('deadlines and cancelled calls free the stream; updates sent are usage', async () => {
  const client = await service.client('custom');
  const calls = grpcOf(client);
  const late = calls.subscribe({ session: 'live' }, { deadlineMs: 300 });
  assert.equal((await late.ended()).code, status.DEADLINE_EXCEEDED);
  const left = calls.subscribe({ session: BRIEF_SESSION, speed: 0.1 });
  await left.received(1);
  left.leave();
  const whole = calls.subscribe({ session: BRIEF_SESSION });
  await whole.ended();
  const metric = async (name: string): Promise<string> => {
    const text = await (await fetch(`${service.process.operators}/metrics`)).text();
    return new RegExp(`^${name}\\{protocol="grpc"\\} (.*)$`, 'm').exec(text)![1]!;
  };
  await eventually('no stream of the account', async () => {
    const { data } = (await client.call('GET', '/usage')).body;
    return data.streamedCount >= whole.updates.length + left.updates.length;
  });
  await eventually('streams that are closed', async () => (await metric('slipstream_streams')) === '0');
  assert.ok(Number(await metric('slipstream_stream_updates_total')) > whole.updates.length);
});
