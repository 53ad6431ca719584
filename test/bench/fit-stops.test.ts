import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { NEXT_TIRES_FIT } from '#bench/fit/next-tires-fit.ts';
import { STOPS_FIT } from '#bench/fit/stops-fit.ts';
import { fitChoices } from '#bench/laps/choice-logit.ts';
import { readRaces, type TableLap, type TableRace } from '#bench/laps/lap-tables.ts';
import { stintCases } from '#bench/laps/stint-cases.ts';
import { tireChoices } from '#bench/laps/tire-choices.ts';
import { LAPS } from '#bench/suite/shared-data.ts';
import nextTires from '#engine/racing/analytics/coefficients/next-tires.json' with { type: 'json' };
import stops from '#engine/racing/analytics/coefficients/stops.json' with { type: 'json' };

const skip = existsSync(LAPS) ? false : 'no tables of laps in ../shared/data';

/** Twenty laps; the first car takes hard tires at the end of lap 8, the second on the lap given, the others on lap 12. */
function race(second: number, trackStatus = '1'): TableRace {
  const lapsOf = (stop: number): TableLap[] =>
    Array.from({ length: 20 }, (_, index) => ({
      lap: index + 1,
      endSeconds: 90 * (index + 1),
      seconds: 90,
      position: 1,
      compound: index < stop ? 'MEDIUM' : 'HARD',
      tireAge: index < stop ? index + 1 : index + 1 - stop,
      stint: index < stop ? 1 : 2,
      pitInSeconds: index + 1 === stop ? 90 * (index + 1) : null,
      pitOutSeconds: index === stop ? 90 * index + 20 : null,
      trackStatus: index + 1 === second ? trackStatus : '1',
    }));
  const cars = new Map([8, second, 12, 12].map((stop, index) => [String(index + 1), lapsOf(stop)]));
  return { season: 2020, round: 1, event: '', isSprint: false, laps: 20, cars };
}

test('a lap knows its tires, the stops to come, and what other cars did', () => {
  const cases = stintCases(race(9));
  const at = (number: string, lap: number) => cases.find((one) => one.number === number && one.lap === lap)!;
  assert.deepEqual([at('1', 8).stops, at('1', 8).next, at('1', 8).stopsLeft], [true, 'HARD', 1]);
  assert.deepEqual([at('1', 9).stops, at('1', 9).stopsLeft, at('1', 9).nextStop], [false, 0, null]);
  const before = at('2', 9).known;
  assert.deepEqual([before.ageLaps, before.lapsLeft, before.owesCompound, before.stopsDone], [8, 12, true, 0]);
  assert.deepEqual(before.moment, { otherTires: 0, stopping: 0.25, safetyCar: false, virtualSafetyCar: false });
  const after = at('2', 10).known;
  assert.deepEqual([after.ageLaps, after.owesCompound, after.stopsDone], [0, false, 1]);
});

test('a change of tires under a red flag is no stop, and a race without changes of tires has no cases', () => {
  assert.equal(stintCases(race(9, '5')).find(({ number, lap }) => number === '2' && lap === 5)!.nextStop, null);
  const { cars, ...rest } = race(9);
  const untold = Array.from(cars, ([number, laps]) => [number, laps.map((lap) => ({ ...lap, stint: 1 }))] as const);
  assert.deepEqual(stintCases({ ...rest, cars: new Map(untold) }), []);
});

test('a stop is forecast with what was known before it', () => {
  const known = tireChoices(race(9)).filter(({ known: { number } }) => number === '3');
  assert.deepEqual(
    known.map(({ known: { lap }, choice }) => [lap, choice.taken, choice.left]),
    [
      [2, [0, 0, 0], 0.4],
      [7, [0, 0, 0], 0.4],
      [12, [0, 0, 2], 0.4],
    ],
  );
});

test('a logit of choices finds how often an alternative is taken', () => {
  const alternatives = [
    [1, 0],
    [0, 1],
    [0, 0],
  ];
  const taken = [0, 0, 0, 0, 0, 0, 1, 1, 1, 2].flatMap((one) => new Array<number>(100).fill(one));
  const odds = fitChoices(taken.map((one) => ({ alternatives, taken: one }))).map(Math.exp);
  const all = odds[0]! + odds[1]! + 1;
  assert.ok(Math.abs(odds[0]! / all - 0.6) < 0.01 && Math.abs(odds[1]! / all - 0.3) < 0.01);
});

describe('stops in tables of laps', { skip }, () => {
  test('the files come from these fits', () => {
    assert.equal(stops.method, STOPS_FIT.method);
    const { values } = NEXT_TIRES_FIT.fit({ history: '', laps: LAPS, recordings: '' }, () => {});
    assert.deepEqual(values, nextTires.values);
    assert.equal(nextTires.method, NEXT_TIRES_FIT.method);
    assert.ok(
      readRaces(LAPS, 2022, 2022)
        .flatMap(stintCases)
        .filter((one) => one.stops).length > 600,
    );
  });
});
