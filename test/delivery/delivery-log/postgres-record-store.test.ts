// The record store on PostgreSQL, against a real server.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newId } from '#engine/base/ids.ts';
import { RECORD_VALUES_AT_ONCE_MAX } from '#engine/base/limits.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import type { SkippedSpan } from '#engine/delivery/delivery-log/missed-updates.ts';
import { PostgresRecordStore, supersedeWriters } from '#engine/delivery/delivery-log/postgres-record-store.ts';
import { newCheckpoint, type RecordBatch, WriterSuperseded } from '#engine/delivery/delivery-log/record-store.ts';
import type { LatencyDelta, UsageDelta } from '#engine/delivery/usage/usage-delta.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import { recordStoreConformance } from '#test/conformance/record-store.ts';
import { withDatabase } from '#test/support/database.ts';
import type { LogRow } from '#test/support/log-row.ts';

const { sql, database } = await withDatabase({ after });

recordStoreConformance('PostgresRecordStore', () => ({
  store: new PostgresRecordStore(sql),
  otherStore: new PostgresRecordStore(database.connect(1)),

  async newRun() {
    const accountId = newId('acc', 0, systemRandomBytes);
    const runId = newId('run', 0, systemRandomBytes);
    await sql`
      insert into account (account_id, email, plan, client_id, client_secret_sealed)
      values (${accountId}, ${accountId}, 'custom', ${accountId}, '')`;
    const [row] = await sql<{ runNo: number }[]>`
      insert into run (run_id, account_id, session_id, speed, sinks, state, update_count)
      values (${runId}, ${accountId}, 'demo-race', 10, 'webhook', 'running', 100) returning run_no as "runNo"`;
    return { accountId, runId, runNo: row!.runNo };
  },

  async deleteRun(runId) {
    await sql`delete from run where run_id = ${runId}`;
  },

  async attemptsOf(runNo) {
    const rows = await sql<LogRow[]>`
      select webhook_no as "webhookNo", run_no as "runNo", mode, feed, sequence, attempt, status_code as "statusCode",
        latency_ms as "latencyMs", lag_ms as "lagMs", failure_code as "failureCode", error, response_body as "responseBody",
        (extract(epoch from created_at) * 1000)::float8 as "createdAtMs"
      from delivery_attempt where run_no = ${runNo} order by log_no`;
    return rows.map((row) => ({ ...row }));
  },

  async usageOf(accountId) {
    const rows = await sql<UsageDelta[]>`
      select account_id as "accountId", month::text, feed_id as "feedId", attempts::int, succeeded::int, failed::int,
        skipped::int
      from usage where account_id = ${accountId} order by month, feed_id`;
    return rows.map((row) => ({ ...row }));
  },

  async spansOf(runId) {
    const rows = await sql<SkippedSpan[]>`
      select first_position as first, last_position as last, reason
      from skipped_span where run_id = ${runId} and webhook_id = 'wh_1' order by first`;
    return rows.map((row) => ({ ...row }));
  },

  async latencyOf(accountId) {
    const rows = await sql<LatencyDelta[]>`
      select account_id as "accountId", month::text, feed_id as "feedId", counts
      from usage_latency where account_id = ${accountId} order by month, feed_id`;
    return rows.map((row) => ({ ...row, counts: Uint32Array.from(row.counts) }));
  },
}));

test('a service that starts fences off the writers of the one before', async () => {
  const store = new PostgresRecordStore(sql);
  const writer = { name: 'before', epoch: 1 };
  await store.admit(writer);
  await supersedeWriters(sql);
  const batch = { writer, batchNo: 1, attempts: [], usage: [], latency: [], checkpoints: [] };
  await assert.rejects(store.commit(batch), WriterSuperseded);
  // An admission of the old writer that arrives only now, and a commit that it had sent after another admission.
  await store.admit(writer);
  await assert.rejects(store.commit(batch), WriterSuperseded);
  await supersedeWriters(sql);
  const [left] = await sql<{ readonly writers: number }[]>`select count(*)::int as writers from record_writer`;
  assert.equal(left!.writers, 0, 'rows of old writers are not kept for ever');
});

test('G5: a large commit is prepared in parts, and other work goes on in between; a small one is sent at once', async () => {
  const batchOf = (count: number): RecordBatch => {
    const result = { kind: 'answered' as const, statusCode: 200, body: '' };
    const attempt = {
      mode: 'live' as const,
      feed: 1,
      sequence: 1,
      attempt: 1,
      result,
      latencyMs: 3,
      lagMs: 4,
      createdAtMs: 0,
    };
    return {
      writer: { name: 'large', epoch: 1 },
      batchNo: 1,
      attempts: Array.from({ length: count }, (_, webhookNo) => ({ ...attempt, webhookNo, runNo: 1 })),
      usage: [],
      latency: [],
      checkpoints: Array.from({ length: count }, (_, index) => newCheckpoint('run_1', `wh_${index}`)),
    };
  };
  const pausesOf = async (count: number): Promise<number> => {
    let pauses = 0;
    const written = (() => Promise.resolve([{ written: true }])) as unknown as Sql;
    const store = new PostgresRecordStore(written, async () => void pauses++);
    await store.commit(batchOf(count));
    return pauses;
  };
  assert.equal(await pausesOf(100), 0);
  const columns = 23;
  assert.ok((await pausesOf(5_000)) >= Math.floor((columns * 5_000) / RECORD_VALUES_AT_ONCE_MAX) - 2);
});
