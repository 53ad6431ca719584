import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { modelCardOf } from '#api/feeds/model-cards.ts';
import { BATTLE_FIT } from '#bench/fit/battle-fit.ts';
import { fitLogistic } from '#bench/laps/logistic.ts';
import { evaluateLapFeeds } from '#bench/models/lap-feeds-evaluation.ts';
import { lapFeedFigures } from '#bench/models/model-cards.ts';
import { HISTORY, LAPS } from '#bench/suite/shared-data.ts';
import battle from '#engine/racing/analytics/coefficients/battle.json' with { type: 'json' };
import { MATURITY } from '#schemas/webhook/maturity.ts';

const skip = existsSync(LAPS) ? false : 'no tables of laps in ../shared/data';

test('a logit finds the shares of two groups, and draws a rare group towards the others', () => {
  const rows = [0, 1].flatMap((value) =>
    Array.from({ length: 100 }, (_, index) => ({ features: [1, value], group: -1, happened: index < 20 + 60 * value })),
  );
  const [base, step] = fitLogistic(rows, 0, 0).weights;
  const chance = (logit: number) => 1 / (1 + Math.exp(-logit));
  assert.ok(Math.abs(chance(base!) - 0.2) < 0.001 && Math.abs(chance(base! + step!) - 0.8) < 0.001);
  const rare = Array.from({ length: 5 }, () => ({ features: [1, 0], group: 0, happened: true }));
  const { groups, groupDeviations } = fitLogistic([...rows, ...rare], 2, 0.5);
  assert.ok(groups[0]! > 0.1 && groups[0]! < 2);
  assert.equal(groups[1], 0);
  assert.ok(groupDeviations[0]! < 0.5 && Math.abs(groupDeviations[1]! - 0.5) < 1e-6);
});

describe('battles in tables of laps', { skip }, () => {
  test('the file has the numbers of the fit', () => {
    const { values } = BATTLE_FIT.fit({ history: HISTORY, laps: LAPS, recordings: '' }, () => {});
    assert.deepEqual(values, battle.values);
    assert.equal(battle.method, BATTLE_FIT.method);
  });

  test('the maturity and the cards of models are what races left out say', () => {
    const scores = evaluateLapFeeds(LAPS);
    const judged = scores.filter(({ races, decides }) => races === 'Grands Prix' && decides);
    assert.ok(judged.length > 0);
    for (const [feed, scores] of Map.groupBy(judged, (one) => one.feed)) {
      const isBetter = scores.every(({ difference }) => difference.mean < -2 * difference.standardError);
      assert.equal(MATURITY[feed as keyof typeof MATURITY], isBetter ? 'stable' : 'beta', feed);
    }
    for (const [feed, figures] of Object.entries(lapFeedFigures(scores))) {
      assert.deepEqual(modelCardOf(feed)!.measured, figures, `the card of ${feed}`);
    }
  });
});
