import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  FIT_SEASON_MAX,
  PREVIEWS_FIT,
  previewLoss,
  RATING_PATHS,
  START,
  searched,
  upTo,
  withPriors,
} from '#bench/fit/previews.ts';
import previews from '#engine/seasons/forecast/coefficients/previews.json' with { type: 'json' };
import { MODEL_SETTINGS } from '#engine/seasons/forecast/model-settings.ts';
import { inventedHistory } from '#test/support/invented-history.ts';
import { realHistory } from '#test/support/real-history.ts';
import { WITHOUT_HISTORY } from '#test/support/shared-data.ts';

test('the search goes downhill, one setting after the other, and leaves what gains nothing', () => {
  const start = { inner: { scale: 1, kept: 0.5 }, idle: 3 };
  const loss = ({ inner }: typeof start) => Math.log(inner.scale / 4) ** 2 + 100 * (inner.kept - 0.6) ** 2;
  const { settings } = searched(start, ['inner.scale', 'inner.kept', 'idle'], [2, 2, 2, 1.1], loss);
  assert.ok(Math.abs(settings.inner.scale - 4) < 0.5, `${settings.inner.scale}`);
  assert.ok(Math.abs(settings.inner.kept - 0.6) < 0.02, `${settings.inner.kept}`);
  assert.equal(settings.idle, 3);
  const broken = searched(start, ['inner.scale'], [2], ({ inner }) => (inner.scale === 1 ? 1 : Number.NaN));
  assert.deepEqual(broken.settings, start);
});

test('a step of the fit gives the same settings twice, and they are no worse than those it began with', () => {
  const history = inventedHistory();
  const step = () => searched(START, RATING_PATHS.slice(0, 3), [1.3], (settings) => previewLoss(history, settings));
  const { settings, loss } = step();
  assert.deepEqual(step().settings, settings);
  assert.ok(loss <= previewLoss(history, START));
});

describe('the fit on the real history', { skip: WITHOUT_HISTORY }, () => {
  test('later seasons have no part in it', () => {
    assert.equal(upTo(realHistory('f1db-2026-06'), FIT_SEASON_MAX).weekends.at(-1)!.eventId, '2021-abu-dhabi');
    assert.deepEqual(
      upTo(realHistory('f1db-2026-06'), FIT_SEASON_MAX).weekends,
      upTo(realHistory(), FIT_SEASON_MAX).weekends,
    );
  });

  test('the file has the settings of the fit: better than its start, with prior weights that follow from them', () => {
    assert.equal(previews.method, PREVIEWS_FIT.method);
    const history = upTo(realHistory(), FIT_SEASON_MAX);
    const found = { ...MODEL_SETTINGS, weightPriors: START.weightPriors };
    assert.deepEqual(withPriors(history, found).weightPriors, previews.values.weightPriors);
    assert.ok(previewLoss(history, found) < previewLoss(history, START) - 0.1);
  });
});
