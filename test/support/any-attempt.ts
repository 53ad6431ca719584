// Any attempts of the delivery log, for property tests.

import fc from 'fast-check';
import type { AttemptRecord } from '#engine/delivery/delivery-log/record-store.ts';
import { FAILURE_CODES } from '#schemas/http/failure-code.ts';

const DAY_MS = 86_400_000;
const FIRST_MS = Date.UTC(2026, 10, 20);

const PLAIN = { noNullPrototype: true };

const results = fc.oneof(
  fc.record(
    {
      kind: fc.constant('answered' as const),
      statusCode: fc.constantFrom(200, 204, 302, 404, 500, 503),
      body: fc.oneof(fc.constantFrom('', 'ok'), fc.string({ maxLength: 60 })),
    },
    PLAIN,
  ),
  fc.record(
    {
      kind: fc.constant('failed' as const),
      code: fc.constantFrom(...FAILURE_CODES),
      detail: fc.constantFrom('timeout', 'ECONNREFUSED', ''),
    },
    PLAIN,
  ),
);

/** Times are rounded to what the log keeps. Days: 2026-11-20 to 25. */
export function anyAttempt(webhookNos: readonly number[]): fc.Arbitrary<AttemptRecord> {
  return fc
    .record({
      webhookNo: fc.constantFrom(...webhookNos),
      run: fc.constantFrom(null, 1, 2, 3_000_000),
      feed: fc.nat({ max: 39 }),
      sequence: fc.oneof(fc.nat({ max: 9 }), fc.nat({ max: 2 ** 31 - 1 })),
      attempt: fc.integer({ min: 1, max: 4 }),
      result: results,
      latency: fc.nat({ max: 1_000_000 }),
      lag: fc.option(fc.integer({ min: -5, max: 9_000_000 })),
      at: fc.nat({ max: 6 * DAY_MS - 1 }),
    })
    .map(({ run, latency, lag, at, ...attempt }) => ({
      ...attempt,
      runNo: run,
      mode: run === null ? 'test' : run === 1 ? 'live' : 'replay',
      latencyMs: latency / 100,
      lagMs: lag === null ? null : lag / 100,
      createdAtMs: FIRST_MS + at,
    }));
}

export { DAY_MS, FIRST_MS };
