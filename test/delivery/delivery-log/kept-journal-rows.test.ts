// Rows of the journal that stay unpacked: how many, and which.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LOG_JOURNAL_KEPT_BYTES_MAX } from '#engine/base/limits.ts';
import { JournalRowWriter } from '#engine/delivery/delivery-log/journal-row.ts';
import { KeptJournalRows } from '#engine/delivery/delivery-log/kept-journal-rows.ts';
import { packed } from '#engine/delivery/delivery-log/packed-bytes.ts';
import type { AttemptRecord } from '#engine/delivery/delivery-log/record-store.ts';

const ATTEMPT: AttemptRecord = {
  ...{ webhookNo: 7, runNo: 1, mode: 'replay', feed: 1, sequence: 1, attempt: 1, latencyMs: 1, lagMs: 2 },
  ...{ createdAtMs: Date.UTC(2026, 10, 27), result: { kind: 'answered', statusCode: 200, body: 'x'.repeat(4_000) } },
};

function rowOf(attempts: readonly AttemptRecord[]): Uint8Array {
  const written = new JournalRowWriter().write(attempts, Number.POSITIVE_INFINITY).next();
  assert.ok(written.done === true);
  return packed(written.value.bytes);
}

test('a row is kept, with the attempts of each endpoint', () => {
  const kept = new KeptJournalRows();
  assert.equal(kept.row(10n), null);
  assert.deepEqual(kept.keep(10n, rowOf([ATTEMPT])).of(7)!.attempts, [ATTEMPT]);
  assert.deepEqual(kept.row(10n)!.of(7)!.attempts, [ATTEMPT]);
  assert.deepEqual([...kept.all.keys()], [10n]);
});

test('what is kept is bounded by its bytes, and what was not read for longest goes first', () => {
  const kept = new KeptJournalRows();
  // Answers that differ, since equal ones are written once.
  const attempts = Array.from({ length: 1_000 }, (_, index): AttemptRecord => {
    const body = String(index).padEnd(4_000, 'x');
    return { ...ATTEMPT, result: { kind: 'answered', statusCode: 200, body } };
  });
  const data = rowOf(attempts);
  const before = kept.all;
  kept.keep(1n, data);
  for (let firstLogNo = 2n; firstLogNo <= 20n; firstLogNo++) {
    kept.row(1n);
    kept.keep(firstLogNo, data);
  }
  assert.ok(
    kept.all.size > 1 && kept.all.size * 4_000_000 < LOG_JOURNAL_KEPT_BYTES_MAX + 4_000_000,
    `${kept.all.size}`,
  );
  assert.ok(kept.all.has(1n) && kept.all.has(20n) && !kept.all.has(2n));
  assert.equal(before.size, 0, 'a copy');
});
