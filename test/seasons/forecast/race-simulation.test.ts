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

/** Within five standard errors of a share of the simulations. */
function assertShare(count: number, probability: number): void {
  const error = Math.sqrt((probability * (1 - probability)) / SIMULATIONS) + 1 / SIMULATIONS;
  assert.ok(Math.abs(count / SIMULATIONS - probability) < 5 * error, `${count / SIMULATIONS}, not ${probability}`);
}

test('without mishaps wins are shared as strengths are, and second places as Plackett and Luce say', () => {
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

test('everybody takes one place in each race, and retires as often as he is likely to, behind those who do not', () => {
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
  // He who never retires is third at worst when the fourth does.
  assert.equal(scored[0], SIMULATIONS);
  assert.equal(points[0], 3 * places[0]! + 2 * places[1]! + places[2]!);
});

test('safety cars come as often as they are likely to, and even out the chances', () => {
  const wins = (neutralisations: readonly number[]): number =>
    simulateRaces(model([1, 0], { neutralisations, neutralisationNoise: 1 }), [], SIMULATIONS, seededRandom(3))
      .places[0]!;
  const chance = (scale: number): number => 1 / (1 + Math.exp(-1 / scale));
  assertShare(wins([1, 0]), chance(1));
  assertShare(wins([0, 1]), chance(2));
  assertShare(wins([0.25, 0.75]), 0.25 * chance(1) + 0.75 * chance(2));
});

test('a driver alone wins, nobody at all is no error', () => {
  assert.deepEqual([...simulateRaces(model([0]), [], 5, seededRandom(1)).places], [5]);
  assert.equal(simulateRaces(model([]), [], 5, seededRandom(1)).places.length, 0);
});
