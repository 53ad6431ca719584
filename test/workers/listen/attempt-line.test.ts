// What the lines of `listen` say.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIVE_SESSIONS_MAX } from '#engine/base/limits.ts';
import { failed, TIMED_OUT } from '#engine/delivery/attempt-result.ts';
import { attemptLine } from '#workers/listen/attempt-line.ts';
import type { AttemptReport } from '#workers/listen/forwarder.ts';
import { Tally } from '#workers/listen/tally.ts';
import { update } from './scripted-receiver.ts';

const AT = new Date(2026, 2, 1, 9, 5, 7, 42);

function report(
  attempt: number,
  result: AttemptReport['result'] | number,
  after: AttemptReport['after'],
): AttemptReport {
  const answered = typeof result === 'number' ? ({ kind: 'answered', statusCode: result, body: '' } as const) : result;
  return { update: update(12), attempt, result: answered, latencyMs: attempt * 4.26, after };
}

const DELIVERED = report(3, 204, { kind: 'delivered' });
const REFUSED = report(1, failed('connection_refused', 'ECONNREFUSED'), { kind: 'retry', delayMs: 1_000 });
const FAILED = report(4, 500, { kind: 'failed' });
const UNFINISHED = report(2, TIMED_OUT, { kind: 'unfinished' });

test('a line has time, feed, sequence, attempt, outcome in the words of the delivery log, latency, and what comes next', () => {
  const head = '09:05:07.042  lap.count                    12';
  assert.deepEqual(
    [DELIVERED, REFUSED, FAILED, UNFINISHED].map((one) => attemptLine(one, AT, false)),
    [
      `${head}  3/4  204  13 ms`,
      `${head}  1/4  connection_refused (ECONNREFUSED)  4.3 ms  again in 1 s`,
      `${head}  4/4  http_status 500  17 ms  failed: no attempt is left`,
      `${head}  2/4  timeout  8.5 ms  not tried again`,
    ],
  );
});

test('on a terminal the outcome has a colour', () => {
  for (const [one, shown] of [
    [DELIVERED, '  \x1b[32m204\x1b[0m  '],
    [REFUSED, '  \x1b[33mconnection_refused (ECONNREFUSED)\x1b[0m  '],
    [FAILED, '  \x1b[31mhttp_status 500\x1b[0m  '],
  ] as const) {
    assert.ok(attemptLine(one, AT, true).includes(shown), shown);
  }
});

test('the summary adds up, and its place is before the first update that was given up', () => {
  const tally = new Tally();
  assert.deepEqual([tally.lines, tally.places], [['0 updates: 0 delivered, 0 failed; 0 retries'], []]);
  for (const sequence of [11, 12, 13, 14]) tally.came(update(sequence));
  for (const one of [DELIVERED, REFUSED, FAILED, UNFINISHED]) tally.attempted(one);
  tally.givenUp(update(14));
  tally.givenUp(update(3, 'another-session'));
  assert.deepEqual(tally.places, [{ sessionId: 'demo-race', sequence: 11 }]);
  const [counts, latency] = tally.lines;
  assert.equal(counts, '4 updates: 1 delivered, 1 failed, 3 unfinished; 3 retries');
  assert.match(latency!, /^latency p50 13 ms, p95 13 ms$/);
});

test('of several live sessions each has its place, also when something of an earlier one was given up', () => {
  const tally = new Tally();
  tally.came(update(7, 'a-race'));
  tally.came(update(40, 'b-race'));
  tally.came(update(8, 'a-race'));
  tally.came(update(41, 'b-race'));
  tally.givenUp(update(8, 'a-race'));
  assert.deepEqual(tally.places, [
    { sessionId: 'a-race', sequence: 7 },
    { sessionId: 'b-race', sequence: 41 },
  ]);
});

test('as many places are kept as sessions can be live, those of the latest updates', () => {
  const tally = new Tally();
  const ids = Array.from({ length: LIVE_SESSIONS_MAX + 2 }, (_, number) => `race-${number}`);
  for (const id of ids) {
    tally.came(update(1, 'long-race'));
    tally.came(update(1, id));
  }
  assert.deepEqual(
    tally.places.map(({ sessionId }) => sessionId),
    [...ids.slice(3, -1), 'long-race', ids.at(-1)],
  );
});
