import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { seededRandom } from '#engine/base/random.ts';
import { fitRanking, fitTemperature, type RankedOrder } from '#engine/seasons/forecast/ranking-model.ts';

/** All orders count alike. */
const halfLife = Number.MAX_SAFE_INTEGER;

/** Orders of ten drivers each, drawn from a model with these weights. */
function drawnOrders(weights: readonly number[], races: number, seed: number): RankedOrder[] {
  const random = seededRandom(seed);
  return Array.from({ length: races }, () => {
    const drivers = Array.from({ length: 10 }, () => {
      const features = weights.map(() => 2 * random.next() - 1);
      const utility = features.reduce((sum, feature, index) => sum + feature * weights[index]!, 0);
      return { features, key: -Math.log(1 - random.next()) / Math.exp(utility) };
    });
    return Float64Array.from(drivers.sort((a, b) => a.key - b.key).flatMap(({ features }) => features));
  });
}

test('the fit recovers the weights that generated the orders', () => {
  fc.assert(
    fc.property(fc.tuple(weight(), weight(), weight()), fc.integer(), (weights, seed) => {
      const fitted = fitRanking(drawnOrders(weights, 400, seed), [0, 0, 0], { placeWeight: 1, ridge: 1, halfLife });
      weights.forEach((truth, index) => {
        assert.ok(Math.abs(fitted[index]! - truth) < 0.25, `${fitted[index]} instead of ${truth}`);
      });
    }),
    { numRuns: 20 },
  );
});

test('with two drivers the fit is a logistic regression, whose solution is known', () => {
  // The driver with the feature wins seven races of ten against the one without, so the weight is log(7 / 3).
  const orders = Array.from({ length: 10 }, (_, race) => Float64Array.from(race < 7 ? [1, 0] : [0, 1]));
  const [fitted] = fitRanking(orders, [0], { placeWeight: 0.5, ridge: 1e-9, halfLife });
  assert.ok(Math.abs(fitted! - Math.log(7 / 3)) < 1e-6, `${fitted}`);
});

test('the less the places further back count, the closer the fit is to one on the winners alone', () => {
  // The feature wins the race but also comes last. The lower places count against it, less and less.
  const orders = Array.from({ length: 20 }, () => Float64Array.from([1, 0, 0, 0, 0, 1]));
  const [even, fading] = [1, 0.1].map(
    (placeWeight) => fitRanking(orders, [0], { placeWeight, ridge: 1, halfLife })[0]!,
  );
  assert.ok(fading! > even! + 0.5, `${fading} and ${even}`);
});

test('without orders the weights equal the prior, with few orders they stay close to it', () => {
  assert.deepEqual([...fitRanking([], [1, 2], { placeWeight: 1, ridge: 1, halfLife })], [1, 2]);
  const single = [Float64Array.from([1, 0])];
  const [loose] = fitRanking(single, [0], { placeWeight: 1, ridge: 0.1, halfLife });
  const [firm] = fitRanking(single, [0], { placeWeight: 1, ridge: 10, halfLife });
  assert.ok(loose! > firm! && firm! > 0);
});

test('older orders count less', () => {
  const orders = Array.from({ length: 40 }, (_, race) => Float64Array.from(race < 20 ? [1, 0] : [0, 1]));
  const [even] = fitRanking(orders, [0], { placeWeight: 1, ridge: 0.1, halfLife });
  const [latest] = fitRanking(orders, [0], { placeWeight: 1, ridge: 0.1, halfLife: 10 });
  assert.ok(Math.abs(even!) < 1e-6 && latest! < -0.5, `${even} and ${latest}`);
});

test('the temperature undoes weights that are too small or too large, and trusts them without orders', () => {
  const settings = { halfLife, prior: 1 };
  fc.assert(
    fc.property(fc.double({ min: 0.6, max: 1.6, noNaN: true }), fc.integer(), (scale, seed) => {
      const truth = [1.5, -1];
      const orders = drawnOrders(truth, 600, seed);
      const factor = fitTemperature(
        orders,
        Float64Array.from(truth, (weight) => weight * scale),
        settings,
      );
      assert.ok(Math.abs(factor * scale - 1) < 0.25, `${factor} for ${scale}`);
    }),
    { numRuns: 20 },
  );
  assert.equal(fitTemperature([], Float64Array.from([1, 2]), settings), 1);
  assert.equal(fitTemperature([new Float64Array()], Float64Array.from([1, 2]), settings), 1);
});

function weight(): fc.Arbitrary<number> {
  return fc.double({ min: -2, max: 2, noNaN: true });
}
