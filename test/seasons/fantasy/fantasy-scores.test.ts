// Our decisions where the rules are silent, on small fields of drivers and on random ones.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type Contestant,
  type FantasyScore,
  type Finish,
  fantasyScores,
  provisionalScores,
} from '#engine/seasons/fantasy/fantasy-scores.ts';
import { FANTASY_RULES } from '#schemas/fantasy/fantasy-rules.ts';

const RULES = FANTASY_RULES.grand_prix;
const OUT: Finish = { kind: 'did_not_finish' };

function contestant(name: string, given: Partial<Contestant> & { readonly place?: number } = {}): Contestant {
  const { place, ...rest } = given;
  return {
    driver: name,
    name,
    tla: name.slice(0, 3).toUpperCase(),
    team: name,
    constructorId: name,
    finish: place === undefined ? OUT : { kind: 'classified', position: place },
    gridPlace: null,
    qualifyingPlace: null,
    reachedQ3: false,
    fastestLap: false,
    ...rest,
  };
}

function breakdowns(...contestants: readonly Contestant[]): Readonly<Record<string, FantasyScore['breakdown']>> {
  return Object.fromEntries(fantasyScores(RULES, contestants).map(({ driver, breakdown }) => [driver, breakdown]));
}

test('a driver who does not finish gets a penalty, a disqualified one a larger one, a non-starter none', () => {
  const { a, b, c } = breakdowns(
    contestant('a', { gridPlace: 1 }),
    contestant('b', { finish: { kind: 'disqualified' }, gridPlace: 2 }),
    contestant('c', { finish: { kind: 'did_not_start' }, gridPlace: 3 }),
  );
  assert.deepEqual(
    [a, b, c].map((one) => one?.dnfPenalty),
    [-15, -20, 0],
  );
  for (const one of [a, b, c]) assert.deepEqual([one?.racePosPoints, one?.positionsGained], [0, 0]);
});

test('a driver with a place beats a teammate behind him or without a place', () => {
  const team = 'red';
  for (const finish of [
    OUT,
    { kind: 'disqualified' },
    { kind: 'did_not_start' },
    { kind: 'classified', position: 9 },
  ]) {
    const { a, b } = breakdowns(
      contestant('a', { team, place: 8 }),
      contestant('b', { team, finish: finish as Finish }),
    );
    assert.deepEqual([a?.beatTeammateRace, b?.beatTeammateRace], [3, 0]);
  }
});

test('no driver beats a teammate if both are out, there is none, the team is not known, or both share a place', () => {
  const team = 'red';
  const fields = [
    [contestant('a', { team }), contestant('b', { team })],
    [contestant('a', { place: 1 }), contestant('b', { place: 2 })],
    [contestant('a', { team: null, place: 1 }), contestant('b', { team: null, place: 2 })],
    [contestant('a', { team, place: 19 }), contestant('b', { team, place: 19 })],
  ];
  for (const field of fields) {
    for (const { breakdown } of fantasyScores(RULES, field)) assert.equal(breakdown.beatTeammateRace, 0);
  }
});

test('one of three cars beats the other two; a replacement driver beats the driver he replaced', () => {
  const team = 'red';
  const { a, b, c } = breakdowns(
    contestant('a', { team, place: 3, qualifyingPlace: 5 }),
    contestant('b', { team, finish: { kind: 'did_not_start' }, qualifyingPlace: 2 }),
    contestant('c', { team, place: 7 }),
  );
  assert.deepEqual(
    [a, b, c].map((one) => one?.beatTeammateRace),
    [3, 0, 0],
  );
  assert.deepEqual(
    [a, b, c].map((one) => one?.beatTeammateQuali),
    [0, 2, 0],
  );
});

test('places gained give two points each up to ten; places lost cost two each from the top ten, else one', () => {
  const points = (gridPlace: number, place: number) => {
    const { positionsGained, positionsGainedPoints } = breakdowns(contestant('a', { gridPlace, place })).a!;
    return [positionsGained, positionsGainedPoints];
  };
  assert.deepEqual(points(5, 1), [4, 8]);
  assert.deepEqual(points(20, 10), [10, 10]);
  assert.deepEqual(points(10, 13), [-3, -6]);
  assert.deepEqual(points(1, 20), [-19, -10]);
  assert.deepEqual(points(11, 14), [-3, -3]);
  assert.deepEqual(points(11, 20), [-9, -5]);
  assert.deepEqual(points(7, 7), [0, 0]);
});

test('the fastest lap counts for a retired car, but not for a disqualified one', () => {
  const { a } = breakdowns(contestant('a', { fastestLap: true }));
  assert.deepEqual([a?.fastestLapPoints, a?.total], [5, -10]);
  const { b } = breakdowns(contestant('b', { fastestLap: true, finish: { kind: 'disqualified' } }));
  assert.equal(b?.fastestLapPoints, 0);
});

test('a sprint gives no points for qualifying and the fastest lap, and eight to one for places', () => {
  const field = Array.from({ length: 10 }, (_, index) =>
    contestant(`d${index}`, { place: index + 1, qualifyingPlace: index + 1, reachedQ3: true, fastestLap: index === 0 }),
  );
  assert.deepEqual(
    fantasyScores(FANTASY_RULES.sprint, field).map(({ breakdown }) => breakdown.total),
    [8, 7, 6, 5, 4, 3, 2, 1, 0, 0],
  );
});

test('equal totals are ordered by finishing place, and drivers without one by name', () => {
  const scores = fantasyScores(RULES, [
    contestant('zoe'),
    contestant('adam'),
    contestant('late', { place: 12 }),
    contestant('early', { place: 11 }),
  ]);
  assert.deepEqual(
    scores.map(({ driver }) => driver),
    ['early', 'late', 'adam', 'zoe'],
  );
});

const finishes = fc.oneof(
  fc.integer({ min: 1, max: 24 }).map((position): Finish => ({ kind: 'classified', position })),
  fc.constantFrom<Finish>(OUT, { kind: 'disqualified' }, { kind: 'did_not_start' }),
);
const place = fc.option(fc.integer({ min: 1, max: 24 }), { nil: null });
const fields = fc.array(
  fc.record({
    team: fc.constantFrom('red', 'blue', 'green', null),
    finish: finishes,
    gridPlace: place,
    qualifyingPlace: place,
    reachedQ3: fc.boolean(),
    fastestLap: fc.boolean(),
  }),
  { maxLength: 24 },
);

test('for any field the total is the sum of the points, no member is -0, and the order is by total', () => {
  fc.assert(
    fc.property(fields, fc.constantFrom(RULES, FANTASY_RULES.sprint), (field, rules) => {
      const contestants = field.map((given, index) => contestant(`driver-${index}`, given));
      const scores = fantasyScores(rules, contestants);
      assert.equal(scores.length, contestants.length);
      let before = Number.POSITIVE_INFINITY;
      for (const { breakdown } of scores) {
        const { total, positionsGained: _places, ...points } = breakdown;
        assert.equal(
          total,
          Object.values(points).reduce((sum, value) => sum + value, 0),
        );
        for (const value of Object.values(breakdown)) assert.ok(Number.isInteger(value) && !Object.is(value, -0));
        assert.ok(total <= before);
        before = total;
      }
      assert.deepEqual(
        fantasyScores(rules, contestants.toReversed()),
        scores,
        'the order of the input does not matter',
      );
    }),
  );
});

test('during a session the parts decided at the end are null, and the total is the sum of the rest', () => {
  fc.assert(
    fc.property(fields, (field) => {
      const contestants = field.map((given, index) => contestant(`driver-${index}`, given));
      const atTheEnd = new Map(fantasyScores(RULES, contestants).map((score) => [score.driver, score.breakdown]));
      for (const { driver, breakdown } of provisionalScores(RULES, contestants)) {
        const { racePosPoints, beatTeammateRace, dnfPenalty, total, ...later } = breakdown;
        const final = atTheEnd.get(driver)!;
        assert.deepEqual(
          [racePosPoints, beatTeammateRace, dnfPenalty],
          [final.racePosPoints, final.beatTeammateRace, final.dnfPenalty],
        );
        assert.equal(total, racePosPoints + beatTeammateRace + dnfPenalty);
        assert.deepEqual(Object.values(later), [null, null, null, null, null, null]);
        assert.deepEqual(Object.keys(breakdown), Object.keys(final));
      }
    }),
  );
});
