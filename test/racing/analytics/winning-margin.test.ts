// analytics.winning-margin and analytics.team-points, which follow from the race odds.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MarginDistribution } from '#engine/racing/analytics/margin-distribution.ts';
import { NormalTimes } from '#engine/racing/analytics/normal-times.ts';
import { PairPositions } from '#engine/racing/analytics/pair-positions.ts';
import { PointsGained } from '#engine/racing/analytics/points-gained.ts';
import type { TeamPointsDriver, TeamPointsTeam } from '#schemas/webhook/analytics-team-points.ts';
import type { WinningMarginDriver } from '#schemas/webhook/analytics-winning-margin.ts';
import { RACE, SPRINT } from '#test/racing/golden/golden-sessions.ts';
import { PARTIAL_SESSIONS, payloadsOf, recorded } from '#test/racing/real-sessions.ts';

interface Margins {
  readonly lap: number;
  readonly session: {
    readonly lapsLeft: number;
    readonly gapSeconds: number;
    readonly margin: Readonly<Record<string, number>>;
    readonly within: readonly { readonly seconds: number; readonly probability: number }[];
  };
  readonly drivers: readonly WinningMarginDriver[];
}

interface Teams {
  readonly session: { readonly lapsLeft: number };
  readonly drivers: readonly TeamPointsDriver[];
  readonly teams: readonly TeamPointsTeam[];
}

const RACES = [RACE, SPRINT, ...recorded('2018-azerbaijan-race', '2025-miami-sprint')];
const as = <Emitted>(payloads: readonly unknown[]) => payloads as readonly Emitted[];

function isRising(values: readonly number[]): boolean {
  return values.every((value, index) => index === 0 || value >= values[index - 1]!);
}

for (const { sessionId, timeline } of RACES) {
  test(`${sessionId}: quantiles and chances of the margin rise, and at the flag it is the gap`, () => {
    const emitted = as<Margins>(payloadsOf(timeline, 'analytics.winning-margin'));
    assert.ok(emitted.length > 10, `${emitted.length}`);
    for (const { session, drivers } of emitted) {
      assert.ok(isRising(Object.values(session.margin)), JSON.stringify(session));
      assert.ok(isRising(session.within.map(({ probability }) => probability)));
      for (const { marginIfWins, winProbability } of drivers) {
        assert.ok(isRising(Object.values(marginIfWins)));
        assert.ok(winProbability >= 0.01);
      }
    }
    const last = emitted.at(-1)!;
    assert.equal(last.session.lapsLeft, 0);
    assert.equal(last.drivers.length, 1);
    for (const quantile of Object.values(last.session.margin))
      assert.ok(Math.abs(quantile - last.session.gapSeconds) < 0.006, JSON.stringify(last.session));
  });

  test(`${sessionId}: teams get the points of their drivers, and never two cars in one place`, () => {
    const emitted = as<Teams>(payloadsOf(timeline, 'analytics.team-points'));
    assert.ok(emitted.length > 10, `${emitted.length}`);
    const best = sessionId.endsWith('-sprint') ? 15 : 43;
    for (const { drivers, teams } of emitted) {
      const sum = (list: readonly { readonly pointsExpected: number }[]) =>
        list.reduce((total, { pointsExpected }) => total + pointsExpected, 0);
      assert.ok(Math.abs(sum(drivers) - sum(teams)) < 0.15, `${sum(drivers)} ${sum(teams)}`);
      for (const team of teams) {
        const { pointsLow, pointsMedian, pointsHigh, driverNumbers, oneTwoProbability } = team;
        assert.ok(isRising([pointsLow, pointsMedian, pointsHigh]) && pointsHigh <= best, JSON.stringify(team));
        assert.ok(oneTwoProbability <= team.bothOnPodiumProbability + 1e-9);
        assert.ok(team.bothInPointsProbability <= team.pointsProbability + 1e-9);
        if (driverNumbers.length < 2) assert.equal(team.bothInPointsProbability, 0);
      }
    }
  });
}

test('without gaps in the timing no margin is told', () => {
  for (const { timeline } of recorded(...PARTIAL_SESSIONS)) {
    assert.deepEqual(payloadsOf(timeline, 'analytics.winning-margin'), [], timeline.info.sessionId);
  }
});

const cars = fc.array(
  fc.record({
    mean: fc.double({ min: 0, max: 60, noNaN: true }),
    deviation: fc.double({ min: 0, max: 20, noNaN: true }),
  }),
  { minLength: 2, maxLength: 12 },
);

test('the chances of margins fall, and those of all winners add up to one', () => {
  const distribution = new MarginDistribution(12);
  fc.assert(
    fc.property(cars, fc.double({ min: 0, max: 0.6, noNaN: true }), (field, retirement) => {
      const times = new NormalTimes(12);
      for (const [car, { mean, deviation }] of field.entries()) {
        times.meanSeconds[car] = mean;
        times.deviationSeconds[car] = deviation;
      }
      distribution.compute(field.length, [{ chance: 1, retirement: new Float64Array(12).fill(retirement), times }], 1);
      const chances = [0, 0.7, 2, 9, 31, 80].map((seconds) => distribution.exceeds(seconds));
      assert.ok(Math.abs(chances[0]! - 1) < 1e-9, `${chances[0]}`);
      for (const [index, chance] of chances.entries()) {
        assert.ok(chance >= 0 && chance <= (chances[index - 1] ?? 1) + 1e-9, chances.join(' '));
      }
    }),
    { numRuns: 200 },
  );
});

test('two cars whose times are certain have their difference as the margin; a car that cannot pass ends close behind', () => {
  const distribution = new MarginDistribution(2);
  const times = new NormalTimes(2);
  times.meanSeconds.set([0, 10]);
  times.deviationSeconds.set([0, 0]);
  distribution.compute(2, [{ chance: 1, retirement: new Float64Array(2), times }], 0);
  assert.deepEqual(
    [8, 12].map((seconds) => distribution.exceeds(seconds)),
    [1, 0],
  );
  distribution.compute(2, [{ chance: 1, retirement: new Float64Array(2), times }], 9);
  assert.deepEqual(
    [0, 2].map((seconds) => distribution.exceeds(seconds)),
    [1, 0],
  );
});

test('two cars of a team keep their chances, and never share a position', () => {
  const row = fc.array(fc.double({ min: 0.001, max: 1, noNaN: true }), { minLength: 12, maxLength: 12 });
  const pair = new PairPositions();
  fc.assert(
    fc.property(row, row, (one, other) => {
      const shares = (values: readonly number[]) => {
        const sum = values.reduce((total, value) => total + value, 0);
        return values.map((value) => value / sum);
      };
      const [first, second] = [shares(one), shares(other)];
      // As in odds: no position is surely taken by both together.
      fc.pre(first.every((chance, index) => chance + second[index]! < 0.8));
      const at = (values: readonly number[]) => (position: number) => values[position - 1]!;
      pair.of(12, at(first), at(second));
      for (let position = 1; position <= 12; position++) {
        assert.equal(pair.chance(position, position), 0);
        let [own, others] = [0, 0];
        for (let position2 = 1; position2 <= 12; position2++) {
          own += pair.chance(position, position2);
          others += pair.chance(position2, position);
        }
        assert.ok(Math.abs(own - first[position - 1]!) < 1e-3, `${own} ${first[position - 1]}`);
        assert.ok(Math.abs(others - second[position - 1]!) < 0.02, `${others} ${second[position - 1]}`);
      }
    }),
    { numRuns: 100 },
  );
  pair.of(3, at3([0.5, 0.5, 0]), at3([0.5, 0.5, 0]));
  const gained = PointsGained.ofPair(3, (one, other) => pair.chance(one, other), [25, 18]);
  assert.equal(gained.mean, 43);
  assert.equal(gained.quantile(0.01), 43);
});

function at3(values: readonly number[]) {
  return (position: number): number => values[position - 1]!;
}
