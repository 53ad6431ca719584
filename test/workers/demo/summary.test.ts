import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReplayOutcome } from '#workers/demo/demo-replay.ts';
import { LagRecord } from '#workers/demo/lag-record.ts';
import { makeParticipants } from '#workers/demo/participant.ts';
import { Screen } from '#workers/demo/screen.ts';
import { summaryText } from '#workers/demo/summary.ts';

function lagOf(ms: number): LagRecord {
  const lag = new LagRecord();
  lag.add(ms);
  return lag;
}

function outcome(https: boolean, startLag: ReplayOutcome['startLag']): ReplayOutcome {
  const participants = makeParticipants({ endpoints: 2, https }, { key: '', cert: '' }, () => {});
  return {
    participants,
    figures: participants.map(({ number, goesDown }) => ({
      number,
      goesDown,
      expected: 10,
      received: 10,
      missing: 0,
      unwanted: 0,
      duplicates: 0,
      badSignatures: 0,
      misaddressed: 0,
      problems: [],
      service: {
        webhookId: `wh_${number}`,
        matched: 10,
        delivered: 10,
        failed: 0,
        skipped: {},
        pending: 0,
        breaker: 'closed',
        lagMs: 1,
      },
      breakerOpened: false,
      breakerClosedAgain: true,
    })),
    streams: [],
    updateCount: 10,
    whole: true,
    outageMs: null,
    deliveries: 20,
    durationMs: 1_000,
    startLag,
  };
}

const SCREEN = new Screen({ write: () => {} }, {}, () => 0);

test('the summary says which receivers speak https, and shows the lag over http and over https apart', () => {
  const lags = new Map([
    ['https', lagOf(7)],
    ['http', lagOf(3)],
  ] as const);
  const { text, passed } = summaryText(outcome(false, lags), SCREEN);
  assert.equal(passed, true);
  assert.match(text, /^1 +https +every feed/m);
  assert.match(text, /^2 +http +every feed \(goes down\)/m);
  assert.match(text, /^ {2}over https: p50 7 ms, p99 7 ms, max 7 ms\n {2}over http: p50 3 ms, p99 3 ms, max 3 ms$/m);
});

test('without a receiver over http the summary shows no lag over http', () => {
  const { text } = summaryText(outcome(true, new Map([['https', lagOf(7)]])), SCREEN);
  assert.match(text, /^2 +https/m);
  assert.doesNotMatch(text, /over http:/);
});
