// Properties of the distribution over positions, and a comparison with random draws.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { seededRandom } from '#engine/base/random.ts';
import { NormalTimes } from '#engine/racing/analytics/normal-times.ts';
import { PositionDistribution, type Scenario } from '#engine/racing/analytics/position-distribution.ts';

const CARS_MAX = 26;

function timesOf(means: readonly number[], deviations: readonly number[]): NormalTimes {
  const times = new NormalTimes(CARS_MAX);
  times.meanSeconds.set(means);
  times.deviationSeconds.set(deviations);
  return times;
}

function matrixOf(cars: number, scenarios: readonly Scenario[]): number[][] {
  const distribution = new PositionDistribution(CARS_MAX);
  distribution.compute(cars, scenarios);
  const all = Array.from({ length: cars }, (_, index) => index);
  return all.map((car) => all.map((place) => distribution.chance(car, place + 1)));
}

function one(means: readonly number[], deviations: readonly number[], retirement: number | readonly number[] = 0) {
  const retirements = typeof retirement === 'number' ? means.map(() => retirement) : retirement;
  return matrixOf(means.length, [
    { chance: 1, retirement: Float64Array.from(retirements), times: timesOf(means, deviations) },
  ]);
}

const expectedPosition = (row: readonly number[]) => row.reduce((sum, chance, place) => sum + chance * (place + 1), 0);

/** Gaps from car to car and their deviations: all certain, or all uncertain. */
const races = fc.integer({ min: 1, max: CARS_MAX }).chain((cars) =>
  fc.record({
    gaps: fc.array(fc.double({ min: 0, max: 40, noNaN: true }), { minLength: cars, maxLength: cars }),
    deviations: fc.oneof(
      fc.constant(Array.from({ length: cars }, () => 0)),
      fc.array(fc.constantFrom(0.1, 1, 5, 30), { minLength: cars, maxLength: cars }),
    ),
    retirements: fc.array(fc.constantFrom(0, 0.01, 0.2, 0.9), { minLength: cars, maxLength: cars }),
    mixed: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
);

const meansOf = (gaps: readonly number[]) =>
  gaps.map((_, car) => gaps.slice(1, car + 1).reduce((sum, gap) => sum + gap, 0));

test('rows and columns of chances sum to one, whatever the gaps and deviations', () => {
  fc.assert(
    fc.property(races, ({ gaps, deviations, retirements, mixed }) => {
      const retirement = Float64Array.from(retirements);
      const means = meansOf(gaps);
      const matrix = matrixOf(gaps.length, [
        { chance: mixed, retirement, times: timesOf(means, deviations) },
        {
          chance: 1 - mixed,
          retirement,
          times: timesOf(
            means.map((mean) => mean / 10),
            deviations,
          ),
        },
      ]);
      for (let car = 0; car < gaps.length; car++) {
        const row = matrix[car]!;
        assert.ok(row.every((chance) => chance >= 0 && chance <= 1 + 1e-9));
        assert.ok(Math.abs(row.reduce((sum, chance) => sum + chance, 0) - 1) < 1e-6);
        assert.ok(Math.abs(matrix.reduce((sum, { [car]: chance }) => sum + chance!, 0) - 1) < 1e-6);
      }
    }),
    { numRuns: 300 },
  );
});

test('with certain times the order stays, even for cars side by side', () => {
  const matrix = one([0, 0, 3, 3.001, 90], [0, 0, 0, 0, 0]);
  for (const [car, row] of matrix.entries()) assert.ok(row[car]! > 1 - 1e-6);
});

test('random draws give the same distribution, including retirements', () => {
  const means = [0, 4, 6, 15, 40];
  const deviations = [6, 9, 4, 10, 20];
  const retirements = [0.15, 0, 0.5, 0.05, 0.2];
  const random = seededRandom(7);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
  const draws = 200_000;
  const counts = means.map(() => means.map(() => 0));
  for (let draw = 0; draw < draws; draw++) {
    const ends = means.map((mean, car) =>
      random.next() < retirements[car]! ? 1e6 + random.next() : mean + deviations[car]! * normal(),
    );
    const order = ends.map((_, car) => car).sort((a, b) => ends[a]! - ends[b]!);
    for (const [place, car] of order.entries()) counts[car]![place]!++;
  }
  const matrix = one(means, deviations, retirements);
  for (const [car, row] of matrix.entries()) {
    for (const [place, chance] of row.entries()) {
      const drawn = counts[car]![place]! / draws;
      assert.ok(Math.abs(chance - drawn) < 0.01, `car ${car}, place ${place + 1}: ${chance} and ${drawn}`);
    }
  }
});

test('a small change of a gap changes each chance by at most 4 times that change in standard deviations', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0, max: 20, noNaN: true }), { minLength: 2, maxLength: 20 }),
      fc.nat(18),
      fc.double({ min: 0.001, max: 0.5, noNaN: true }),
      (gaps, which, change) => {
        const deviation = 3;
        const changed = gaps.with(1 + (which % (gaps.length - 1)), gaps[1 + (which % (gaps.length - 1))]! + change);
        const deviations = gaps.map(() => deviation);
        const before = one(meansOf(gaps), deviations, 0.1);
        const after = one(meansOf(changed), deviations, 0.1);
        for (const [car, row] of before.entries()) {
          for (const [place, chance] of row.entries()) {
            assert.ok(Math.abs(after[car]![place]! - chance) <= (4 * change) / deviation + 1e-6);
          }
        }
      },
    ),
    { numRuns: 200 },
  );
});

test('a larger gap behind a car never makes its expected position worse', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0, max: 20, noNaN: true }), { minLength: 3, maxLength: 20 }),
      fc.array(fc.constantFrom(1, 3, 8), { minLength: 20, maxLength: 20 }),
      fc.nat(18),
      fc.double({ min: 0, max: 10, noNaN: true }),
      (gaps, deviations, which, more) => {
        const car = which % (gaps.length - 1);
        const widened = gaps.with(car + 1, gaps[car + 1]! + more);
        const before = one(meansOf(gaps), deviations.slice(0, gaps.length), 0.1)[car]!;
        const after = one(meansOf(widened), deviations.slice(0, gaps.length), 0.1)[car]!;
        assert.ok(expectedPosition(after) <= expectedPosition(before) + 0.01);
      },
    ),
    { numRuns: 200 },
  );
});
