// Pages whose numbers are far apart, as after commits that failed, against a real server.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { LOG_BLOCK_NUMBERS_MAX, LOG_PAGE_NUMBERS_MAX } from '#engine/base/limits.ts';
import { ANY_ATTEMPT } from '#engine/delivery/delivery-log/attempt-match.ts';
import { KeptJournalRows } from '#engine/delivery/delivery-log/kept-journal-rows.ts';
import { readAttempts } from '#engine/delivery/delivery-log/postgres-attempt-reader.ts';
import { foldJournal } from '#engine/delivery/delivery-log/postgres-journal-folder.ts';
import { PostgresRecordStore } from '#engine/delivery/delivery-log/postgres-record-store.ts';
import type { AttemptRecord } from '#engine/delivery/delivery-log/record-store.ts';
import { withDatabase } from '#test/support/database.ts';

const { sql } = await withDatabase({ after });
const kept = new KeptJournalRows();
const AT_MS = Date.UTC(2026, 10, 27, 12);
const ANY_TIME = { since: new Date(0), until: new Date(Date.UTC(9999, 0)) };

function attempt(sequence: number): AttemptRecord {
  const result = { kind: 'answered', statusCode: sequence % 2 === 0 ? 200 : 500, body: 'ok' } as const;
  const times = { latencyMs: 1, lagMs: 2, createdAtMs: AT_MS + sequence };
  return { webhookNo: 1, runNo: 1, mode: 'replay', feed: 1, sequence, attempt: 1, result, ...times };
}

test('FP3, AR3: a log is read from any of its numbers on, also when the numbers of a fold are far apart', async () => {
  const store = new PostgresRecordStore(sql);
  const writer = { name: 'far apart', epoch: 1 };
  await store.admit(writer);
  for (let batchNo = 1; batchNo <= 6; batchNo++) {
    const attempts = [attempt(2 * batchNo - 1), attempt(2 * batchNo)];
    await store.commit({ writer, batchNo, attempts, usage: [], latency: [], checkpoints: [] });
    // Commits that failed have taken numbers.
    await sql`select setval(pg_get_serial_sequence('log_journal', 'first_log_no'),
      (select max(first_log_no) from log_journal) + ${LOG_PAGE_NUMBERS_MAX / 2 - LOG_BLOCK_NUMBERS_MAX}::bigint)`;
  }
  assert.equal((await foldJournal(sql))!.attempts, 12);
  const spans = await sql<{ apart: number }[]>`select (last_log_no - first_log_no)::float8 as apart from log_page`;
  assert.ok(spans.length > 1);
  for (const { apart } of spans) assert.ok(apart < LOG_PAGE_NUMBERS_MAX, `${apart}`);

  const read = (below: bigint, outcome: 'failed' | null) =>
    sql.begin('isolation level repeatable read', (transaction) =>
      readAttempts(transaction, kept, {
        webhookNo: 1,
        ...ANY_TIME,
        below,
        match: { ...ANY_ATTEMPT, outcome },
        limit: 3,
      }),
    );
  const { attempts: newest } = await read(2n ** 63n - 1n, null);
  assert.deepEqual(
    newest.map((found) => found.attempt.sequence),
    [12, 11, 10],
  );
  const all = [...newest];
  while (all.length < 12) all.push(...(await read(all.at(-1)!.logNo, null)).attempts);
  assert.deepEqual(
    all.map((found) => found.attempt.sequence),
    Array.from({ length: 12 }, (_, i) => 12 - i),
  );
  for (const { logNo, attempt: own } of all) {
    const { attempts: below } = await read(logNo, null);
    assert.equal(below[0]?.attempt.sequence, own.sequence === 1 ? undefined : own.sequence - 1);
    const failed = await read(logNo, 'failed');
    const expected = [11, 9, 7, 5, 3, 1].filter((sequence) => sequence < own.sequence).slice(0, 3);
    assert.deepEqual(
      failed.attempts.map((found) => found.attempt.sequence),
      expected,
    );
    assert.equal(failed.examinedTo, null);
  }
});
