import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NODE_LEASE_MS } from '#engine/base/limits.ts';
import { type Hit, Ledger } from './ledger.ts';

const HIT: Hit = { home: 0, atMs: 1_000, untilMs: 2_000, logNo: 99n };
const AFTER_MS = HIT.atMs + NODE_LEASE_MS;
const WELL = {
  logged: 3,
  unreceived: 0,
  loggedTwice: 0,
  unrecorded: 0,
  recordedTooEarly: 0,
  wronglyRepeated: 0,
};

/** Arrivals of one endpoint, `[sequence, atMs]`, and its log, `[sequence, logNo]`. */
function counts(
  arrivals: readonly (readonly [number, number])[],
  log: readonly (readonly [number, bigint])[],
  hit: Hit | null = HIT,
  home = 0,
) {
  const ledger = new Ledger([arrivals.map(([sequence, atMs]) => ({ sequence, atMs }))]);
  for (const [sequence, logNo] of log) ledger.record(0, sequence, logNo);
  return ledger.counts(hit, () => home);
}

test('deliveries that a node had sent but not recorded may come twice; those that it had recorded may not', () => {
  const arrivals = [
    [1, 900],
    [2, 950],
    [2, AFTER_MS + 1],
    [3, HIT.untilMs + 1],
    [3, AFTER_MS + 2],
    [4, AFTER_MS + 3],
  ] as const;
  const log = [
    [1, 50n],
    [2, 100n],
    [3, 101n],
    [4, 102n],
  ] as const;
  assert.deepEqual(counts(arrivals, log), { ...WELL, logged: 4, unrecorded: 2 });
  assert.equal(counts(arrivals, log, HIT, 1).wronglyRepeated, 2, 'the endpoint is at home on another node');
  assert.equal(counts(arrivals, log, null).wronglyRepeated, 2, 'no node was hit');
});

test('a repetition is wrong when it had been recorded, came a third time, or came first when there was no lease', () => {
  const log = [[1, 100n]] as const;
  const first = [1, 900] as const;
  const again = [1, AFTER_MS + 1] as const;
  assert.equal(counts([first, again], [[1, 99n]]).wronglyRepeated, 1);
  assert.equal(counts([first, again, [1, AFTER_MS + 2]], log).wronglyRepeated, 1);
  assert.equal(counts([again, [1, AFTER_MS + 2]], log).wronglyRepeated, 1);
  assert.equal(counts([first, again], log).wronglyRepeated, 0);
});

test('log and receivers differ when an entry was not received, is there twice, or was made before its delivery', () => {
  const log = [
    [1, 50n],
    [1, 51n],
    [2, 52n],
  ] as const;
  assert.deepEqual(counts([[1, HIT.untilMs]], log), { ...WELL, unreceived: 1, loggedTwice: 1, recordedTooEarly: 1 });
});
