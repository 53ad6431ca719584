import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bucketsOf, evaluatePastEliminations } from '#bench/models/qualifying-evaluation.ts';
import type { QualifyingResult, RaceWeekend } from '#engine/seasons/history/history.ts';
import { inventedHistory } from '#test/support/invented-history.ts';

const forecast = (told: number, wentOut: boolean) => ({ told, wentOut, isOutside: told > 0.5 });

test('chances are held against what happened by how likely they were told, and the edges belong to the upper bucket', () => {
  const buckets = bucketsOf([
    [forecast(0.04, false), forecast(0.05, true)],
    [forecast(0.15, false)],
    [forecast(1, true)],
  ]);
  assert.deepEqual(
    buckets.map(({ from, count, happened }) => [from, count, happened]),
    [
      [0, 1, 0],
      [0.05, 2, 0.5],
      [0.95, 1, 1],
    ],
  );
  assert.ok(Math.abs(buckets[1]!.told - 0.1) < 1e-12);
});

test('the error of a share grows when the chances of a part are wrong together', () => {
  const [right, wrong] = [forecast(0.1, false), forecast(0.1, true)];
  const errorOf = (...parts: Parameters<typeof bucketsOf>) => bucketsOf(...parts)[0]!.standardError;
  const apart = errorOf([
    [wrong, right, right, right],
    [wrong, right, right, right],
    [wrong, right, right, right],
  ]);
  const together = errorOf([
    [wrong, wrong, wrong],
    [right, right, right, right],
    [right, right, right, right, right],
  ]);
  assert.ok(together > apart * 1.3, `${together} ${apart}`);
});

/** Twenty drivers, `tenths` behind each other. One who reached a part may have no time in it. */
function qualifyingOf(tenths: number): QualifyingResult[] {
  const participant = inventedHistory().weekends[0]!.qualifying[0]!;
  return Array.from({ length: 20 }, (_, place) => ({
    ...participant,
    driverId: `driver-${place}`,
    number: `${place + 1}`,
    q1Ms: 80_000 + place * tenths * 100,
    q2Ms: place < 14 ? 79_700 + place * tenths * 100 : null,
    q3Ms: place < 9 ? 79_500 + place * tenths * 100 : null,
  }));
}

test('the start of the second part is scored on seasons since 2022, which do not teach the simple rule', () => {
  const history = inventedHistory();
  const weekend = (season: number, round: number): RaceWeekend => ({
    ...history.weekends[0]!,
    eventId: `${season}-round-${round}`,
    season,
    qualifying: qualifyingOf(round),
  });
  const rounds = [2021, 2022, 2023].flatMap((season) => [weekend(season, 1), weekend(season, 2)]);
  const summaries = evaluatePastEliminations({ ...history, weekends: rounds });
  assert.deepEqual(
    summaries.map(({ parts, forecasts }) => [parts, forecasts]),
    [
      [4, 60],
      [2, 30],
      [2, 30],
    ],
  );
  const [all] = summaries;
  // In 2021 the first ten went through, so the rule is nearly sure of it.
  assert.ok(all!.logLoss['cut-off'] < 0.1 && all!.logLoss.odds < all!.logLoss['base rate']);
  assert.equal(
    all!.buckets.reduce((sum, { count }) => sum + count, 0),
    60,
  );
  assert.deepEqual(evaluatePastEliminations({ ...history, weekends: rounds.slice(2) }), []);
});
