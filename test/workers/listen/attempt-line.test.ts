// What the lines of `listen` say.

import assert from 'node:assert/strict';
import { test } from 'node:test';
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
  assert.deepEqual([tally.lines, tally.place], [['0 updates: 0 delivered, 0 failed; 0 retries'], null]);
  for (const sequence of [11, 12, 13, 14]) tally.came(update(sequence));
  for (const one of [DELIVERED, REFUSED, FAILED, UNFINISHED]) tally.attempted(one);
  tally.givenUp(update(14));
  tally.givenUp(update(3, 'another-session'));
  assert.deepEqual(tally.place, { sessionId: 'demo-race', sequence: 11 });
  const [counts, latency] = tally.lines;
  assert.equal(counts, '4 updates: 1 delivered, 1 failed, 3 unfinished; 3 retries');
  assert.match(latency!, /^latency p50 13 ms, p95 13 ms$/);
});
