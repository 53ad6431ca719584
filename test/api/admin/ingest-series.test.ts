// An operator's own source for a series other than the first.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { AdminError } from '#api/admin/admin-error.ts';
import { listenForOperators } from '#api/admin/admin-listener.ts';
import { Ingest } from '#api/admin/ingest.ts';
import { LocalFrameLog } from '#engine/intake/live/frame-log.ts';
import { LiveSessions } from '#engine/intake/live/live-sessions.ts';
import { FileRecordings } from '#engine/intake/recording/file-recordings.ts';
import type { SessionEntry } from '#engine/intake/recording/session-catalogue.ts';
import { LiveTimeline } from '#engine/timeline/live-timeline.ts';
import { payloadsOf } from '#test/racing/real-sessions.ts';
import { KART_RACE } from '#test/racing/series/kart-race.ts';
import { SimulatedTime } from '#test/support/simulated-time.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { clientOf } from './operators.ts';

const ID = '2026-club-race';
const clock = new SimulatedTime();
const log = { info() {}, warn() {}, error() {} };
const LINES = KART_RACE.map(({ utcMs, topic, json }) =>
  JSON.stringify({ topic, utc: new Date(utcMs).toISOString(), data: JSON.parse(json) }),
);

async function* bodyOf(lines: readonly string[]): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`${lines.join('\n')}\n`);
}

function setUp(t: TestContext, seriesIds?: readonly string[]) {
  const entries: SessionEntry[] = [];
  const catalogue = {
    find: async () => null,
    list: async () => entries,
    async put(entry: SessionEntry, alongside: () => void) {
      alongside();
      entries.push(entry);
    },
  };
  const dataDir = temporaryFolder(t);
  const knownMemory = new Map();
  const recordings = new FileRecordings(dataDir, catalogue);
  const sessions = new LiveSessions({ dataDir, recordings, clock, log, knownMemory, opened() {}, ended() {} });
  t.after(() => sessions.close());
  const ingest = new Ingest({
    sessions,
    frames: new LocalFrameLog(sessions),
    catalogue,
    clock,
    ...(seriesIds !== undefined && { seriesIds }),
  });
  return { ingest, sessions, entries };
}

const refusal = (statusCode: number, code: string) => (error: unknown) =>
  error instanceof AdminError && error.statusCode === statusCode && error.code === code;

test('a session with an explicit series is recorded, published and catalogued under that series', async (t) => {
  const { ingest, sessions, entries } = setUp(t, ['f1', 'karting']);
  assert.equal((await ingest.feed(ID, bodyOf(LINES.slice(0, 9)), 'karting')).accepted, 9);
  const session = sessions.get(ID)!;
  assert.equal(session.phase, 'live');
  // Later requests for the session need not name the series again.
  await ingest.feed(ID, bodyOf(LINES.slice(9)));
  assert.equal(session.phase, 'finished');
  const payloads = payloadsOf(new LiveTimeline(session.memory).timeline);
  assert.equal(payloads.length, 9);
  assert.ok(payloads.every((payload) => 'seriesId' in payload && payload.seriesId === 'karting'));
  await ingest.end(ID);
  const [{ seriesId, name, circuitName, season, feeds }] = entries as [SessionEntry];
  assert.deepEqual([seriesId, name, circuitName, season], ['karting', 'Club Race', 'Northfield', 2026]);
  assert.deepEqual(feeds, { 'karting.heat': 4, 'karting.entries': 1, 'karting.laps': 4 });
});

test('a series that is not offered is refused, and so is one that differs from the series of the session', async (t) => {
  const { ingest, sessions } = setUp(t, ['f1', 'karting']);
  await assert.rejects(ingest.feed(ID, bodyOf(LINES), 'chess'), refusal(400, 'invalid_series'));
  assert.equal(sessions.get(ID), null);
  await ingest.feed(ID, bodyOf(LINES.slice(0, 1)), 'karting');
  await assert.rejects(ingest.feed(ID, bodyOf(LINES.slice(1)), 'f1'), refusal(409, 'series_mismatch'));
  assert.equal((await ingest.progress(ID)).lastSequence, 1);
  await assert.rejects(setUp(t).ingest.feed(ID, bodyOf(LINES), 'karting'), refusal(400, 'invalid_series'));
});

test('a request without a series uses the first one offered', async (t) => {
  for (const [offered, seriesId] of [
    [undefined, 'f1'],
    [['f1', 'karting'], 'f1'],
    [['karting', 'f1'], 'karting'],
  ] as const) {
    const { ingest, sessions } = setUp(t, offered);
    await ingest.feed(ID, bodyOf(LINES.slice(0, 1)));
    assert.equal(sessions.get(ID)?.head.seriesId, seriesId);
  }
});

test('the series is a query parameter of the request', async (t) => {
  const { ingest, sessions } = setUp(t, ['f1', 'karting']);
  const failed = (error: Error): void => assert.fail(error);
  const listener = await listenForOperators({
    host: '127.0.0.1',
    port: 0,
    token: null,
    ingest: clientOf(t, { ingest, sessions, log, failed }),
    metrics: null,
    page: null,
    log,
  });
  t.after(() => listener.close());
  const post = async (query: string) => {
    const response = await fetch(`http://127.0.0.1:${listener.port}/v1/ingest/${ID}${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: LINES[0]!,
    });
    const { code } = (await response.json()) as { readonly code?: string };
    return [response.status, code];
  };
  assert.deepEqual(await post('?series=chess'), [400, 'invalid_series']);
  assert.deepEqual(await post('?series=karting&series=f1'), [400, 'invalid_series']);
  assert.deepEqual(await post('?series=karting'), [200, undefined]);
  assert.equal(sessions.get(ID)?.head.seriesId, 'karting');
  assert.deepEqual(await post('?series=f1'), [409, 'series_mismatch']);
});
