// What the provider's sum says about what was reported.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Compared, type Comparison, compare } from '#api/billing/overage/overage-comparison.ts';

test('more than was reported is a difference at once, less only when everything has had time to arrive', () => {
  const cases: readonly (readonly [number, number, number, boolean, Comparison])[] = [
    // reported, trying, counted
    [100, 0, 100, false, { difference: null, confirms: true, tried: 'unknown' }],
    [100, 0, 101, false, { difference: 'provider_more', confirms: false, tried: 'unknown' }],
    [100, 0, 99, false, { difference: null, confirms: false, tried: 'unknown' }],
    [100, 0, 99, true, { difference: 'provider_less', confirms: false, tried: 'unknown' }],
    [100, 10, 110, false, { difference: null, confirms: true, tried: 'counted' }],
    [100, 10, 111, false, { difference: 'provider_more', confirms: false, tried: 'unknown' }],
    // The sum could hold the tried block instead of an accepted one.
    [100, 100, 100, false, { difference: null, confirms: false, tried: 'unknown' }],
    [100, 100, 100, true, { difference: null, confirms: true, tried: 'not_counted' }],
    [100, 10, 105, false, { difference: null, confirms: false, tried: 'unknown' }],
    [100, 10, 105, true, { difference: 'provider_more', confirms: false, tried: 'unknown' }],
    [100, 10, 95, true, { difference: 'provider_less', confirms: false, tried: 'unknown' }],
  ];
  for (const [reported, trying, counted, settled, expected] of cases) {
    const compared: Compared = { reported, trying, counted, settled };
    assert.deepEqual(compare(compared), expected, JSON.stringify(compared));
  }
});
