// Which figures of the operators' page ask for somebody.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Tile, tilesOf } from '#api/console/app/operators/tile-figures.ts';
import type { OperatorsOverview, ShardFigures, ThreadFigures } from '#schemas/http/operators.ts';

const SHARD: ShardFigures = {
  ...{ shard: 0, actors: 2, breakersOpen: 0, mailbox: 0, mailboxMost: 0, queuedMs: 0, inFlight: 1, retrying: 0 },
  ...{ connections: 2, recordAttempts: 0, recordMs: 0, commitFailures: 0, actorRestarts: 0 },
};
const THREAD: ThreadFigures = { name: 'main', silentMs: 500, starts: 1, heapBytes: 1, busy: 0, delayP99Ms: 1 };
const WELL: OperatorsOverview = {
  at: '2026-06-01T12:00:00.000Z',
  version: '1.0.0',
  startedAt: '2026-06-01T11:00:00.000Z',
  memoryBytes: 1_024 ** 3,
  disk: { freeBytes: 50, bytes: 100 },
  files: { open: 10, most: 100 },
  database: { connections: 7, answerMs: 2 },
  threads: [THREAD, { ...THREAD, name: 'live', silentMs: null, starts: 0 }],
  shards: [SHARD, { ...SHARD, shard: 1, actors: 3 }],
  streams: [{ protocol: 'sse', open: 4, blocked: 1, updates: 9 }],
  live: { connected: null, sessions: [] },
  runs: [],
  warnings: 0,
};

const tile = (label: string, changed: Partial<OperatorsOverview>): Tile =>
  tilesOf({ ...WELL, ...changed }).find((one) => one.label === label)!;
const shard = (changed: Partial<ShardFigures>) => ({ shards: [SHARD, { ...SHARD, ...changed }] });
const live = (silentMs: number) => ({ sessionId: 'a', frames: 1, updates: 1, silentMs });

test('a service that is well asks for nobody', () => {
  assert.deepEqual(
    tilesOf(WELL).filter(({ state }) => state === 'warn' || state === 'bad'),
    [],
  );
  assert.equal(tile('Actors', {}).value, '5');
  assert.deepEqual(tile('Threads', {}), {
    ...{ label: 'Threads', value: '1', detail: 'all alive', state: 'good' },
  });
});

test('each trouble asks for somebody, and says what it is', () => {
  const cases: readonly [Tile, Tile['state'], RegExp][] = [
    [tile('Threads', { threads: [{ ...THREAD, silentMs: 10_001 }] }), 'bad', /silent: main/],
    [tile('Threads', { threads: [{ ...THREAD, starts: 2 }] }), 'warn', /restarted: main/],
    [tile('Database', { database: null }), 'bad', /no answer/],
    [tile('Database', { database: { connections: 1, answerMs: 101 } }), 'warn', /1 connection$/],
    [tile('Records waiting', shard({ recordAttempts: 5, recordMs: 10_001 })), 'bad', /oldest waits 10 s/],
    [tile('In mailboxes', shard({ mailbox: 256, mailboxMost: 256 })), 'warn', /fullest holds 256/],
    [tile('In mailboxes', shard({ mailbox: 1, mailboxMost: 1, queuedMs: 10_001 })), 'warn', /oldest waits 10 s/],
    [tile('Breakers open', shard({ breakersOpen: 1 })), 'warn', /paused/],
    [tile('Live sources', { live: { connected: false, sessions: [] } }), 'warn', /not connected/],
    [tile('Live sources', { live: { connected: true, sessions: [live(5), live(120_001)] } }), 'warn', /2 min ago/],
    [tile('Free on the disk', { disk: { freeBytes: 9, bytes: 100 } }), 'bad', /of 100 B/],
    [tile('Memory', { files: { open: 81, most: 100 } }), 'bad', /81 of 100 files/],
  ];
  for (const [shown, state, detail] of cases) {
    assert.equal(shown.state, state, shown.label);
    assert.match(shown.detail, detail);
  }
});
