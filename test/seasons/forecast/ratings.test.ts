import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { seededRandom } from '#engine/base/random.ts';
import { MODEL_SETTINGS } from '#engine/seasons/forecast/model-settings.ts';
import { type Observation, Ratings } from '#engine/seasons/forecast/ratings.ts';

const settings = MODEL_SETTINGS.qualifying;

/** Two teams of two drivers. Strengths are gaps in percent. */
const TRUTH: readonly Observation[] = [
  { driverId: 'ace', constructorId: 'fast', value: 0 },
  { driverId: 'mate', constructorId: 'fast', value: 0.3 },
  { driverId: 'talent', constructorId: 'slow', value: 1 },
  { driverId: 'other', constructorId: 'slow', value: 1.6 },
];

function learnt(weekends: number, observe: (weekend: number) => readonly Observation[]): Ratings {
  const ratings = new Ratings(settings);
  for (let weekend = 0; weekend < weekends; weekend++) {
    ratings.advance(2018);
    ratings.learn(observe(weekend));
  }
  return ratings;
}

test('ratings converge to the observed differences, whatever offset all share', () => {
  const { rating } = learnt(60, (weekend) =>
    TRUTH.map((shown) => ({ ...shown, value: shown.value + weekend })),
  ).snapshot();
  for (const one of TRUTH) {
    for (const other of TRUTH) {
      const difference = rating(one) - rating(other);
      assert.ok(
        Math.abs(difference - (one.value - other.value)) < 0.1,
        `${one.driverId} ${other.driverId} ${difference}`,
      );
    }
  }
});

test('a driver takes his own strength to another team and leaves that of the car behind', () => {
  const { rating } = learnt(60, () => TRUTH).snapshot();
  const moved = rating({ driverId: 'talent', constructorId: 'fast' });
  assert.ok(moved < rating({ driverId: 'other', constructorId: 'fast' }));
  assert.ok(moved < rating({ driverId: 'talent', constructorId: 'slow' }) - 0.3);
});

test('a renamed team keeps its rating', () => {
  const observed = [
    { driverId: 'one', constructorId: 'racing-point', value: 0 },
    { driverId: 'two', constructorId: 'haas', value: 1 },
  ];
  const { rating } = learnt(30, () => observed).snapshot();
  const both = ['racing-point', 'aston-martin'].map((constructorId) => rating({ driverId: 'new', constructorId }));
  assert.equal(both[0], both[1]);
  assert.notEqual(both[0], rating({ driverId: 'new', constructorId: 'haas' }));
});

test('a huge gap counts no more than a large one, so one crash says little', () => {
  const shown = (gap: number): number => {
    const ratings = learnt(20, () => TRUTH);
    ratings.learn(TRUTH.map((entry) => (entry.driverId === 'ace' ? { ...entry, value: gap } : entry)));
    return ratings.snapshot().rating(TRUTH[0]!);
  };
  assert.equal(shown(5), shown(500));
});

test('uncertainty grows with time, most over a winter with new rules, which also draws teams together', () => {
  const ratings = learnt(60, () => TRUTH);
  const spread = (): number => {
    const { rating } = ratings.snapshot();
    return rating(TRUTH[3]!) - rating(TRUTH[0]!);
  };
  const doubt = (): number => ratings.snapshot().constructorVariance('fast');
  const [before, spreadBefore] = [doubt(), spread()];
  ratings.advance(2018);
  const afterWeekend = doubt() - before;
  assert.ok(afterWeekend > 0);
  ratings.advance(2022);
  assert.ok(doubt() - before > 5 * afterWeekend);
  assert.ok(spread() < spreadBefore);
});

test('a snapshot does not change later', () => {
  const ratings = learnt(3, () => TRUTH);
  const snapshot = ratings.snapshot();
  const before = TRUTH.map((entrant) => snapshot.rating(entrant));
  const newcomer = { driverId: 'newcomer', constructorId: 'new-team' };
  const unknown = snapshot.rating(newcomer);
  ratings.advance(2019);
  ratings.learn([...TRUTH, { ...newcomer, value: -2 }]);
  assert.deepEqual(
    TRUTH.map((entrant) => snapshot.rating(entrant)),
    before,
  );
  assert.equal(snapshot.rating(newcomer), unknown);
});

test('the order of observations does not matter, and variances stay positive', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray([...TRUTH], { minLength: 4 }), fc.integer(), (order, seed) => {
      const random = seededRandom(seed);
      const noisy = Array.from(
        { length: 40 },
        () => new Map(TRUTH.map(({ driverId }) => [driverId, 3 * random.next()])),
      );
      const shown = (entries: readonly Observation[], weekend: number): Observation[] =>
        entries.map((entry) => ({ ...entry, value: entry.value + noisy[weekend]!.get(entry.driverId)! }));
      const one = learnt(40, (weekend) => shown(TRUTH, weekend)).snapshot();
      const other = learnt(40, (weekend) => shown(order, weekend)).snapshot();
      for (const entrant of TRUTH) {
        assert.equal(other.rating(entrant), one.rating(entrant));
        assert.ok(one.driverVariance(entrant.driverId) > 0 && one.constructorVariance(entrant.constructorId) > 0);
      }
    }),
    { numRuns: 20 },
  );
});
