// The metric labels of attempt results.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failed } from '#engine/delivery/attempt-result.ts';
import { ATTEMPT_OUTCOMES, attemptOutcome } from '#engine/delivery/meter/attempt-outcome.ts';
import { FAILURE_CODES } from '#schemas/http/failure-code.ts';

test('every status has one of a few labels', () => {
  const labels = [200, 204, 301, 400, 410, 429, 404, 500, 503, 101, 999].map((statusCode) =>
    attemptOutcome({ kind: 'answered', statusCode, body: '' }),
  );
  assert.deepEqual(labels, [
    ...['delivered', 'delivered', 'status_3xx', 'status_4xx', 'status_410', 'status_429', 'status_4xx'],
    ...['status_5xx', 'status_5xx', 'other', 'other'],
  ]);
});

test('a failure has the label of its code, whatever its detail says', () => {
  const label = (code: (typeof FAILURE_CODES)[number]) => attemptOutcome(failed(code, 'timeout'));
  assert.equal(label('connection_refused'), 'refused');
  assert.equal(label('connection_closed'), label('connection_reset'));
  assert.equal(label('name_not_resolved'), 'unresolved');
  for (const code of FAILURE_CODES) assert.ok(ATTEMPT_OUTCOMES.includes(label(code)), code);
});
