import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FIT_SEASON_MAX, upTo } from '#bench/fit/previews.ts';
import { gainsOf, QUALIFYING_FIT, startLoss } from '#bench/fit/qualifying-fit.ts';
import qualifying from '#engine/racing/analytics/coefficients/qualifying.json' with { type: 'json' };
import { realHistory } from '#test/support/real-history.ts';
import { WITHOUT_HISTORY } from '#test/support/shared-data.ts';

describe('the fit of qualifying on the real history', { skip: WITHOUT_HISTORY }, () => {
  test('the file has the numbers of the fit: each neighbour of them on its grid is worse', () => {
    const history = upTo(realHistory(), FIT_SEASON_MAX);
    const { values, method } = qualifying;
    assert.equal(method, QUALIFYING_FIT.method);
    assert.deepEqual(gainsOf(history), values.gainToNext);
    const least = startLoss(history, values);
    for (const neighbour of [
      { scatter: 0.0028 },
      { scatter: 0.0036 },
      { unforeseen: 0.15 },
      { unforeseen: 0.2 },
      { chanceOfTime: 0.98 },
    ]) {
      assert.ok(startLoss(history, { ...values, ...neighbour }) > least, JSON.stringify(neighbour));
    }
  });
});
