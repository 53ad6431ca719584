// The deliveries of a run beside the race.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endpointRows } from '#api/console/app/pages/theatre/show/delivery-rows.ts';

const endpoint = (webhookId: string, lagMs: number) => ({
  webhookId,
  active: true,
  matched: 10,
  delivered: 6,
  failed: 1,
  skipped: { monthly_limit: 1, filtered: 1 },
  pending: 1,
  breaker: 'closed' as const,
  lagMs,
});

test('one endpoint is one row, under its address', () => {
  const rows = endpointRows([endpoint('a', 5)], new Map([['a', 'https://a.example']]));
  assert.deepEqual(
    rows.map(({ name, delivered, skipped }) => [name, delivered, skipped]),
    [['https://a.example', 6, 2]],
  );
});

test('several have a row for all, with the greatest lag, and those that lag most come first', () => {
  const rows = endpointRows([endpoint('a', 5), endpoint('b', 90)], new Map());
  assert.deepEqual(
    rows.map(({ key, delivered, lagMs }) => [key, delivered, lagMs]),
    [
      ['all', 12, 90],
      ['b', 6, 90],
      ['a', 6, 5],
    ],
  );
});
