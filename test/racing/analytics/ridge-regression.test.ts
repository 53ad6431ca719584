import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RidgeRegression } from '#engine/racing/analytics/ridge-regression.ts';

const ROWS = [
  { columns: [0, 1], values: [1, 2], target: 5 },
  { columns: [0, 1], values: [1, -1], target: -1 },
  { columns: [0, 1], values: [1, 4], target: 9 },
];

test('with wide priors the fit recovers a line from its points', () => {
  const fit = new RidgeRegression(2, 1);
  fit.coefficient(0, 1e4);
  fit.coefficient(0, 1e4);
  for (const row of ROWS) fit.addGroup([row], [1], 1e12);
  // A group of one row with a free shared part would carry no information, so this weight pins the shared part to 0.
  fit.solve();
  assert.ok(Math.abs(fit.value(0) - 1) < 1e-3 && Math.abs(fit.value(1) - 2) < 1e-3, `${fit.value(0)} ${fit.value(1)}`);
});

test('without rows a coefficient equals its prior, and there is room for exactly the stated number', () => {
  const fit = new RidgeRegression(1, 0.5);
  assert.equal(fit.coefficient(0.3, 0.2), 0);
  assert.equal(fit.coefficient(0, 1), null);
  fit.solve();
  assert.ok(Math.abs(fit.value(0) - 0.3) < 1e-12 && Math.abs(fit.covariance(0, 0) - 0.04) < 1e-12);
});

test('an unconstrained shared part does not affect the coefficients', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: -50, max: 50, noNaN: true }), { minLength: 4, maxLength: 4 }), (shares) => {
      const values = [shares, [0, 0, 0, 0]].map((all) => {
        const fit = new RidgeRegression(2, 0.5);
        fit.coefficient(0, 1);
        fit.coefficient(0, 1);
        for (const share of all) {
          const rows = [0, 1].map((column) => ({ columns: [column], values: [1], target: column + share }));
          fit.addGroup(rows, [1, 1], 0);
        }
        fit.solve();
        return [fit.value(0), fit.value(1), fit.covariance(0, 1)];
      });
      values[0]!.forEach((value, index) => {
        assert.ok(Math.abs(value - values[1]![index]!) < 1e-6);
      });
    }),
  );
});
