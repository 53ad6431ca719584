// The record store on PostgreSQL, against a real server.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { loggedAttempts } from '#bench/suite/logged-attempts.ts';
import { newId } from '#engine/base/ids.ts';
import {
  HEALTH_FAILURES_MAX,
  HEALTH_SPAN_S,
  HEALTH_SPANS_MAX,
  LOG_JOURNAL_ROWS_MAX,
  RECORD_ATTEMPTS_AT_ONCE_MAX,
  RECORD_CHECKPOINTS_ENCODED_MAX,
  RECORD_VALUES_AT_ONCE_MAX,
  WRITER_KEPT_MS,
} from '#engine/base/limits.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import type { SkippedSpan } from '#engine/delivery/delivery-log/missed-updates.ts';
import { foldJournal } from '#engine/delivery/delivery-log/postgres-journal-folder.ts';
import { PostgresRecordStore, supersedeWriters } from '#engine/delivery/delivery-log/postgres-record-store.ts';
import {
  JournalFull,
  newCheckpoint,
  type RecordBatch,
  WriterSuperseded,
} from '#engine/delivery/delivery-log/record-store.ts';
import { keepBatches, recordKept } from '#engine/delivery/delivery-log/unrecorded-batches.ts';
import { UnrecordedFolder } from '#engine/delivery/delivery-log/unrecorded-folder.ts';
import type { DueDelta } from '#engine/delivery/usage/due-outcome.ts';
import type { LatencyDelta, UsageDelta } from '#engine/delivery/usage/usage-delta.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import { recordStoreConformance } from '#test/conformance/record-store.ts';
import { temporaryDataDir, withDatabase } from '#test/support/database.ts';
import { logRow } from '#test/support/log-row.ts';

const { sql, database } = await withDatabase({ after });

recordStoreConformance('PostgresRecordStore', () => ({
  store: new PostgresRecordStore(sql),
  otherStore: new PostgresRecordStore(database.connect(1)),
  supersedeWriters: () => sql.begin((transaction) => supersedeWriters(transaction, null)),

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
    return (await loggedAttempts(sql, runNo)).map(({ attempt }) => logRow(attempt));
  },

  async usageOf(accountId) {
    const rows = await sql<(UsageDelta & { streamed: number; demoStreamed: number })[]>`
      select account_id as "accountId", month::text, day, feed_id as "feedId", attempts::int, succeeded::int, failed::int,
        skipped::int, streamed::int, demo_streamed::int as "demoStreamed"
      from usage where account_id = ${accountId} order by month, feed_id, day`;
    return rows.map(({ streamed, demoStreamed, ...row }) => ({
      ...row,
      ...(streamed > 0 && { streamed, demoStreamed }),
    }));
  },

  async spansOf(runId) {
    const rows = await sql<SkippedSpan[]>`
      select first_position as first, last_position as last, reason
      from skipped_span where run_id = ${runId} and webhook_id = 'wh_1' order by first`;
    return rows.map((row) => ({ ...row }));
  },

  async dueOf({ accountId }) {
    const rows = await sql<DueDelta[]>`
      select month::text, outcome, updates::int from due_update
      where account_id = ${accountId} and session_id = 'demo-race' order by month, outcome`;
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
  await sql.begin((transaction) => supersedeWriters(transaction, null));
  const batch = { writer, batchNo: 1, attempts: [], usage: [], latency: [], checkpoints: [] };
  await assert.rejects(store.commit(batch), WriterSuperseded);
  // An admission of the old writer that arrives only now, and a commit that it had sent after another admission.
  await store.admit(writer);
  await assert.rejects(store.commit(batch), WriterSuperseded);
  await sql`update record_writer set superseded_at = superseded_at - ${WRITER_KEPT_MS + 1} * interval '1 ms'`;
  await sql.begin((transaction) => supersedeWriters(transaction, null));
  const [left] = await sql<{ readonly writers: number }[]>`select count(*)::int as writers from record_writer`;
  assert.equal(left!.writers, 0, 'rows of old writers are not kept for ever');
});

test('G7, UR6: with a full journal a batch writes nothing; the next start folds and records it, and each attempt is there once', async () => {
  const store = new PostgresRecordStore(sql);
  const runNo = 2_000_000_000;
  const attempt = {
    webhookNo: 1,
    runNo,
    mode: 'live',
    feed: 1,
    sequence: 1,
    attempt: 1,
    result: { kind: 'answered', statusCode: 200, body: '' },
    latencyMs: 3,
    lagMs: 4,
    createdAtMs: 0,
  } as const;
  const writer = { name: 'full', epoch: 1 };
  const batch = { writer, batchNo: 1, attempts: [attempt], usage: [], latency: [], checkpoints: [] };
  await store.admit(writer);
  await store.commit(batch);
  await sql`
    insert into log_journal (writer, attempts, webhook_nos, data)
    select writer, attempts, webhook_nos, data from log_journal, generate_series(2, ${LOG_JOURNAL_ROWS_MAX})
    where writer = ${writer.name}`;
  const kept = { ...batch, batchNo: 2 };
  await assert.rejects(store.commit(kept), JournalFull);
  assert.equal(await store.lastBatch(writer), 1);
  const note = (): void => {};
  const files = new UnrecordedFolder(temporaryDataDir());
  const parts = { files, log: { info: note, warn: note, error: note } };
  keepBatches(parts, [kept]);
  await recordKept({ ...parts, store, fold: () => foldJournal(sql) });
  assert.deepEqual([files.names(), await store.lastBatch(writer)], [[], 2]);
  assert.equal((await loggedAttempts(sql, runNo)).length, LOG_JOURNAL_ROWS_MAX + 1);
});

test('health adds up by endpoint and span, the last failure stays, and a row of failures makes an endpoint failing', async () => {
  const store = new PostgresRecordStore(sql);
  const [accountId, webhookId] = [newId('acc', 0, systemRandomBytes), newId('wh', 0, systemRandomBytes)];
  await sql`
    insert into account (account_id, email, plan, client_id, client_secret_sealed)
    values (${accountId}, ${accountId}, 'custom', ${accountId}, '')`;
  const [webhook] = await sql<{ webhookNo: number }[]>`
    insert into webhook (webhook_id, account_id, url, method, series_id, secret_sealed)
    values (${webhookId}, ${accountId}, 'https://example.com', 'post', 'f1', '') returning webhook_no as "webhookNo"`;
  const writer = { name: 'health', epoch: 1 };
  await store.admit(writer);
  let batchNo = 0;
  const START_MS = Date.UTC(2026, 5, 1, 12);
  const commit = async (atMs: number, delivered: number, failures: number, statusCode: number | null = 500) => {
    const at = START_MS + atMs;
    const failedAtMs = failures > 0 ? at - 1 : null;
    const counts = [delivered];
    const delta = { webhookNo: webhook!.webhookNo, atMs: at, attempts: delivered + failures, delivered, counts };
    const failure = { failuresInRow: failures, failedAtMs, failureCode: null, statusCode };
    // The second endpoint has been removed.
    const health = [delta, { ...delta, webhookNo: 2_000_000_000 }].map((row) => ({ ...row, ...failure }));
    await store.commit({ writer, batchNo: ++batchNo, attempts: [], usage: [], latency: [], checkpoints: [], health });
    const [row] = await sql<{ failures: number; failing: Date | null; well: Date | null; status: number }[]>`
      select failures_in_row as failures, failing_since as failing, well_since as well, status_code as status
      from endpoint_health`;
    const since = (time: Date | null) => (time === null ? null : time.getTime() - START_MS);
    return [row!.failures, since(row!.failing), since(row!.well), row!.status];
  };
  assert.deepEqual(await commit(0, 5, 0, null), [0, null, null, null]);
  assert.deepEqual(await commit(10, 0, HEALTH_FAILURES_MAX - 1), [HEALTH_FAILURES_MAX - 1, null, null, 500]);
  assert.deepEqual(await commit(20, 0, 1, 404), [HEALTH_FAILURES_MAX, 19, null, 404], 'it began with this failure');
  assert.deepEqual(await commit(30, 0, 5), [HEALTH_FAILURES_MAX + 5, 19, null, 500]);
  assert.deepEqual(await commit(40, 1, HEALTH_FAILURES_MAX), [HEALTH_FAILURES_MAX, 19, null, 500], 'a success between');
  assert.deepEqual(await commit(50, 1, 2), [2, null, 50, 500]);
  assert.deepEqual(await commit(60, 1, 0, null), [0, null, 50, 500], 'the last failure stays');
  const spans = () => sql`select place, attempts, delivered, counts from endpoint_health_span order by place`;
  const place = (START_MS / 1000 / HEALTH_SPAN_S) % HEALTH_SPANS_MAX;
  const attempts = 8 + 2 * HEALTH_FAILURES_MAX + 7;
  assert.deepEqual([...(await spans())], [{ place, attempts, delivered: 8, counts: [8] }]);
  await commit(HEALTH_SPANS_MAX * HEALTH_SPAN_S * 1_000, 3, 0, null);
  assert.deepEqual([...(await spans())], [{ place, attempts: 3, delivered: 3, counts: [3] }], 'an hour later');
  await sql`delete from account where account_id = ${accountId}`;
  assert.deepEqual([...(await spans())], []);
});

test('G5: a large commit is prepared in parts, and other work goes on in between; a small one is sent at once', async () => {
  const batchOf = (count: number, isLate: boolean): RecordBatch => {
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
      ...(isLate && { checkpointsAreLate: true as const }),
    };
  };
  const pausesOf = async (count: number, isLate = false): Promise<number> => {
    let pauses = 0;
    const written = (() => Promise.resolve([{ written: true }])) as unknown as Sql;
    const store = new PostgresRecordStore(written, async () => void pauses++);
    await store.commit(batchOf(count, isLate));
    return pauses;
  };
  assert.equal(await pausesOf(100), 0);
  const columns = 11;
  const ofCheckpoints = Math.floor((columns * 5_000) / RECORD_VALUES_AT_ONCE_MAX) - 1;
  const ofAttempts = Math.floor(5_000 / RECORD_ATTEMPTS_AT_ONCE_MAX);
  assert.ok((await pausesOf(5_000)) >= ofCheckpoints + ofAttempts);
  const ofLate = 5_000 / RECORD_CHECKPOINTS_ENCODED_MAX - 1;
  assert.equal(await pausesOf(5_000, true), ofLate + ofAttempts, 'late checkpoints are encoded in parts');
});

test('G5: usage and latencies of thousands of accounts are prepared in parts, too', async () => {
  const month = '2026-11-01';
  const none = { demo: 0, succeeded: 1, failed: 0, skipped: 0 };
  const rowOf = (index: number) => ({ accountId: `acc_${index}`, month, feedId: 'timing.data' as const });
  const pausesOf = async (accounts: number): Promise<number> => {
    let pauses = 0;
    const written = (() => Promise.resolve([{ written: true }])) as unknown as Sql;
    const store = new PostgresRecordStore(written, async () => void pauses++);
    const rows = Array.from({ length: accounts }, (_, index) => rowOf(index));
    await store.commit({
      writer: { name: 'many', epoch: 1 },
      batchNo: 1,
      attempts: [],
      usage: rows.map((row) => ({ ...row, day: 29, attempts: 1, ...none })),
      latency: rows.map((row) => ({ ...row, counts: new Uint32Array(100).fill(1) })),
      checkpoints: [],
    });
    return pauses;
  };
  assert.equal(await pausesOf(10), 0);
  const ofUsage = Math.floor((11 * 2_000) / RECORD_VALUES_AT_ONCE_MAX) - 1;
  const ofCounts = Math.ceil((100 * 2_000) / RECORD_VALUES_AT_ONCE_MAX) - 1;
  assert.ok((await pausesOf(2_000)) >= ofUsage + ofCounts);
});
