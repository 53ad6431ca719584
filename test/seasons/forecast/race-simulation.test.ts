import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { seededRandom } from '#engine/base/random.ts';
import { type RaceModel, simulateRaces } from '#engine/seasons/forecast/race-simulation.ts';

const SIMULATIONS = 20_000;

function model(utilities: readonly number[], changes: Partial<RaceModel> = {}): RaceModel {
  return {
    utilities: Float64Array.from(utilities),
    hazards: new Float64Array(utilities.length),
    neutralisations: [1],
    neutralisationNoise: 0,
    ...changes,
  };
}

/** Asserts a share of the simulations to within five standard errors. */
function assertShare(count: number, probability: number): void {
  const error = Math.sqrt((probability * (1 - probability)) / SIMULATIONS) + 1 / SIMULATIONS;
  assert.ok(Math.abs(count / SIMULATIONS - probability) < 5 * error, `${count / SIMULATIONS}, not ${probability}`);
}

test('without retirements wins are shared in proportion to strength, and second places follow Plackett-Luce', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: -2, max: 2, noNaN: true }), { minLength: 2, maxLength: 8 }), (utilities) => {
      const { places } = simulateRaces(model(utilities), [], SIMULATIONS, seededRandom(1));
      const strengths = utilities.map((utility) => Math.exp(utility));
      const total = strengths.reduce((sum, strength) => sum + strength, 0);
      const drivers = strengths.length;
      for (let driver = 0; driver < drivers; driver++) {
        assertShare(places[driver * drivers]!, strengths[driver]! / total);
        const second = strengths.reduce((sum, first, winner) => {
          return winner === driver ? sum : sum + (first / total) * (strengths[driver]! / (total - first));
        }, 0);
        assertShare(places[driver * drivers + 1]!, second);
      }
    }),
    { numRuns: 15 },
  );
});

test('each driver takes one place per race and retires at his rate, behind all finishers', () => {
  const hazards = Float64Array.from([0, 0.1, 0.5, 1]);
  const { places, retirements, scored, points } = simulateRaces(
    model([0, 0, 0, 5], { hazards }),
    [3, 2, 1],
    SIMULATIONS,
    seededRandom(2),
  );
  for (let driver = 0; driver < 4; driver++) {
    assertShare(retirements[driver]!, hazards[driver]!);
    assert.equal(
      places.subarray(driver * 4, driver * 4 + 4).reduce((sum, count) => sum + count, 0),
      SIMULATIONS,
    );
  }
  assert.deepEqual([scored[3], points[3], places[3 * 4]], [0, 0, 0], 'who always retires never wins');
  // The driver who never retires is third at worst if the fourth one retires.
  assert.equal(scored[0], SIMULATIONS);
  assert.equal(points[0], 3 * places[0]! + 2 * places[1]! + places[2]!);
});

test('safety cars come at their rate and even out the chances', () => {
  const wins = (neutralisations: readonly number[]): number =>
    simulateRaces(model([1, 0], { neutralisations, neutralisationNoise: 1 }), [], SIMULATIONS, seededRandom(3))
      .places[0]!;
  const chance = (scale: number): number => 1 / (1 + Math.exp(-1 / scale));
  assertShare(wins([1, 0]), chance(1));
  assertShare(wins([0, 1]), chance(2));
  assertShare(wins([0.25, 0.75]), 0.25 * chance(1) + 0.75 * chance(2));
});

test('a single driver wins, and an empty field is no error', () => {
  assert.deepEqual([...simulateRaces(model([0]), [], 5, seededRandom(1)).places], [5]);
  assert.equal(simulateRaces(model([]), [], 5, seededRandom(1)).places.length, 0);
});
