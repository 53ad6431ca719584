// The record store on PostgreSQL. A batch is one statement, whatever it holds: one round trip and one wait for the
// disk.
//
// Each column is sent as one text in PostgreSQL's array form and unnested there. That is about three times as fast as a
// parameter for each value, and the statement is the same for every batch, so it is prepared once.
//
// G1 A batch first raises the batch number of its writer. A batch whose number is not newer, or whose epoch is not the
//    writer's latest, writes nothing at all. A successor waits at the writer's row for a commit that is still under
//    way.
// G2 Attempts get their log numbers in the order of the batch, from a block of numbers that is the batch's own. They go
//    into the journal as one row, which folding turns into pages (postgres-journal-folder.ts).
// G3 Usage, latency, checkpoint, span and due rows are locked in key order, so two writers cannot deadlock.
// G4 No response text of an endpoint can make a batch fail: characters that PostgreSQL cannot store are replaced.
// G5 The text of a large batch is made in parts, and the thread does other work in between. All of it at once would hold up
//    every endpoint of the shard for tens of milliseconds. Attempts are compressed on another thread.
// G6 Checkpoints that come late (R8) are stored beside the batch, in one row. They are applied, in order, when the next epoch
//    of their writer is admitted or its process has ended, unless a later batch says that all of them are rows.
// G7 The journal of a writer is bounded: while it has no room, a batch writes nothing and is tried again.

import { assert } from '#engine/base/assert.ts';
import {
  HEALTH_FAILURES_MAX,
  HEALTH_SPAN_S,
  HEALTH_SPANS_MAX,
  LOG_BLOCK_NUMBERS_MAX,
  LOG_JOURNAL_ROWS_MAX,
  RECORD_ATTEMPTS_AT_ONCE_MAX,
  RECORD_CHECKPOINTS_ENCODED_MAX,
  RECORD_VALUES_AT_ONCE_MAX,
  WRITER_KEPT_MS,
} from '#engine/base/limits.ts';
import { type DueDelta, NOTHING_DUE } from '#engine/delivery/usage/due-outcome.ts';
import { LatencySketch } from '#engine/delivery/usage/latency-sketch.ts';
import type { LatencyDelta, UsageDelta } from '#engine/delivery/usage/usage-delta.ts';
import { withIndexLookups } from '#engine/storage/index-lookups.ts';
import type { Sql, TransactionSql } from '#engine/storage/postgres-client.ts';
import { errorCode } from '#engine/storage/storage-error.ts';
import { JournalRowWriter } from './journal-row.ts';
import { encodeCheckpoints, latest, latestOf } from './late-checkpoints.ts';
import type { SkippedSpan } from './missed-updates.ts';
import { packedElsewhere, unpacked } from './packed-bytes.ts';
import { formatPending, parsePending } from './pending-text.ts';
import {
  type Attempts,
  type Checkpoint,
  JournalFull,
  NO_SPANS,
  type RecordBatch,
  type RecordStore,
  type Writer,
  WriterSuperseded,
} from './record-store.ts';
import type { WriterStore } from './unrecorded-batches.ts';

interface CheckpointRow {
  readonly runId: string;
  readonly webhookId: string;
  readonly nextPosition: number;
  readonly pending: string;
  readonly matched: number;
  readonly delivered: number;
  readonly failed: number;
  readonly skipped: Record<string, number>;
  readonly breaker: 'closed' | 'open';
  readonly lagMs: number;
  readonly heldBefore: number;
}

/** An epoch above all others: the largest value of its column. */
const SUPERSEDED = 2 ** 31 - 1;
/** SQLSTATE of a write in a read-only transaction. */
const READ_ONLY = '25006';
const NO_BYTES = new Uint8Array();

export class PostgresRecordStore implements RecordStore, WriterStore {
  readonly #sql: Sql;
  readonly #pause: () => Promise<void>;

  /** `pause` lets other work of the thread come first. */
  constructor(sql: Sql, pause = async (): Promise<void> => {}) {
    this.#sql = sql;
    this.#pause = pause;
  }

  async admit({ name, epoch }: Writer): Promise<void> {
    await this.#sql.begin(async (transaction) => {
      const admitted = await transaction`
        insert into record_writer (writer, incarnation, batch_no) values (${name}, ${epoch}, 0)
        on conflict (writer) do update set incarnation = excluded.incarnation, batch_no = 0
          where record_writer.incarnation < excluded.incarnation
        returning 1`;
      if (admitted.length > 0) await applyLate(transaction, { kind: 'writer', name });
    });
  }

  async commit(batch: RecordBatch): Promise<void> {
    try {
      await this.#commit(batch);
    } catch (error) {
      // This session stays read-only even after the database accepts writes again. End it, so that the pool opens
      // another.
      if (errorCode(error) === READ_ONLY)
        await this.#sql`select pg_terminate_backend(pg_backend_pid())`.catch(() => {});
      throw error;
    }
  }

  async #commit(batch: RecordBatch): Promise<void> {
    const { writer, attempts } = batch;
    const usage = summed(batch.usage);
    const latency = merged(batch.latency);
    const isLate = batch.checkpointsAreLate === true;
    const checkpoints = latest(batch.checkpoints);
    const rows = isLate ? (batch.lateRows?.checkpoints ?? []) : checkpoints;
    const rowsUpTo = isLate ? (batch.lateRows?.upToBatchNo ?? 0) : batch.batchNo;
    const staysLate = checkpoints.length > 0 && rowsUpTo < batch.batchNo;
    const spans = spansOf(batch.checkpoints);
    const due = dueOf(batch.checkpoints);
    const journal = await this.#journalRow(attempts);
    const late = staysLate ? await this.#lateRow(checkpoints) : NO_BYTES;
    const stood = await this.#columns(rows.length, checkpointColumns(rows));
    const skipped = await this.#columns(spans.length, {
      runIds: () => texts(spans.map((row) => row.runId)),
      webhookIds: () => texts(spans.map((row) => row.webhookId)),
      firsts: () => numbers(spans.map((row) => row.first)),
      lasts: () => numbers(spans.map((row) => row.last)),
      reasons: () => texts(spans.map((row) => row.reason)),
    });
    const decided = await this.#columns(due.length, {
      runIds: () => texts(due.map((row) => row.runId)),
      months: () => texts(due.map((row) => row.month)),
      outcomes: () => texts(due.map((row) => row.outcome)),
      updates: () => numbers(due.map((row) => row.updates)),
    });
    const health = batch.health ?? [];
    const fared = await this.#columns(health.length, {
      webhookNos: () => numbers(health.map((row) => row.webhookNo)),
      failures: () => numbers(health.map((row) => row.failuresInRow)),
      attempts: () => numbers(health.map((row) => row.attempts)),
      delivered: () => numbers(health.map((row) => row.delivered)),
      counts: () => texts(health.map((row) => `{${row.counts.join(',')}}`)),
      times: () => numbers(health.map((row) => row.atMs)),
      spans: () => numbers(health.map((row) => Math.floor(row.atMs / 1000 / HEALTH_SPAN_S))),
      failedTimes: () => numbers(health.map((row) => row.failedAtMs)),
      failureCodes: () => texts(health.map((row) => row.failureCode)),
      statusCodes: () => numbers(health.map((row) => row.statusCode)),
    });
    const used = await this.#columns(usage.length, {
      accountIds: () => texts(usage.map((row) => row.accountId)),
      months: () => texts(usage.map((row) => row.month)),
      days: () => numbers(usage.map((row) => row.day)),
      feedIds: () => texts(usage.map((row) => row.feedId)),
      attempts: () => numbers(usage.map((row) => row.attempts)),
      demo: () => numbers(usage.map((row) => row.demo ?? 0)),
      succeeded: () => numbers(usage.map((row) => row.succeeded)),
      failed: () => numbers(usage.map((row) => row.failed)),
      skipped: () => numbers(usage.map((row) => row.skipped)),
      streamed: () => numbers(usage.map((row) => row.streamed ?? 0)),
      demoStreamed: () => numbers(usage.map((row) => row.demoStreamed ?? 0)),
    });
    const timed = await this.#columns(latency.length, {
      accountIds: () => texts(latency.map((row) => row.accountId)),
      months: () => texts(latency.map((row) => row.month)),
      feedIds: () => texts(latency.map((row) => row.feedId)),
    });
    const latencyCounts = await this.#latencyCounts(latency);
    const [raised] = await this.#sql<{ written: boolean }[]>`
      with writer as (
        update record_writer set batch_no = ${batch.batchNo}
        where writer = ${writer.name} and incarnation = ${writer.epoch} and batch_no < ${batch.batchNo}
          and (select count(*) from log_journal where writer = ${writer.name}) < ${LOG_JOURNAL_ROWS_MAX}
        returning 1
      ),
      journalled as (
        insert into log_journal (writer, attempts, webhook_nos, data)
        select ${writer.name}, ${attempts.length}, ${numbers(journal.webhookNos)}::text::int[], ${journal.data}::bytea
        where ${attempts.length} > 0 and exists (select from writer)
      ),
      used as (
        insert into usage (
          account_id, month, day, feed_id, attempts, demo_attempts, succeeded, failed, skipped, streamed, demo_streamed
        )
        select * from unnest(
          ${used.accountIds}::text::text[],
          ${used.months}::text::date[],
          ${used.days}::text::smallint[],
          ${used.feedIds}::text::text[],
          ${used.attempts}::text::bigint[],
          ${used.demo}::text::bigint[],
          ${used.succeeded}::text::bigint[],
          ${used.failed}::text::bigint[],
          ${used.skipped}::text::bigint[],
          ${used.streamed}::text::bigint[],
          ${used.demoStreamed}::text::bigint[]
        ) as row (
          account_id, month, day, feed_id, attempts, demo_attempts, succeeded, failed, skipped, streamed, demo_streamed
        )
        where exists (select from writer)
        order by account_id, month, feed_id, day
        on conflict (account_id, month, feed_id, day) do update set
          attempts = usage.attempts + excluded.attempts, succeeded = usage.succeeded + excluded.succeeded,
          failed = usage.failed + excluded.failed, skipped = usage.skipped + excluded.skipped,
          demo_attempts = usage.demo_attempts + excluded.demo_attempts,
          streamed = usage.streamed + excluded.streamed,
          demo_streamed = usage.demo_streamed + excluded.demo_streamed
      ),
      timed as (
        insert into usage_latency (account_id, month, feed_id, counts)
        select account_id, month, feed_id, counts::integer[] from unnest(
          ${timed.accountIds}::text::text[],
          ${timed.months}::text::date[],
          ${timed.feedIds}::text::text[],
          ${latencyCounts}::text::text[]
        ) as row (account_id, month, feed_id, counts)
        where exists (select from writer)
        order by account_id, month, feed_id
        on conflict (account_id, month, feed_id) do update set counts = added_counts(usage_latency.counts, excluded.counts)
      ),
      stood as (${upsertCheckpoints(this.#sql, stood, this.#sql`exists (select from writer)`)}),
      late as (
        insert into late_checkpoints (writer, batch_no, data)
        select ${writer.name}, ${batch.batchNo}, ${late}::bytea
        where ${staysLate} and exists (select from writer)
      ),
      overtaken as (
        delete from late_checkpoints
        where writer = ${writer.name} and batch_no <= ${rowsUpTo} and exists (select from writer)
      ),
      spans as (
        insert into skipped_span (run_id, webhook_id, first_position, last_position, reason)
        select row.* from unnest(
          ${skipped.runIds}::text::text[],
          ${skipped.webhookIds}::text::text[],
          ${skipped.firsts}::text::int[],
          ${skipped.lasts}::text::int[],
          ${skipped.reasons}::text::text[]
        ) as row (run_id, webhook_id, first_position, last_position, reason)
        join run using (run_id)
        where exists (select from writer)
        order by row.run_id, row.webhook_id, row.first_position
        on conflict (run_id, webhook_id, first_position) do update set
          last_position = excluded.last_position, reason = excluded.reason
      ),
      decided as (
        insert into due_update (account_id, month, session_id, outcome, updates)
        select account_id, month, session_id, outcome, sum(updates)
        from unnest(
          ${decided.runIds}::text::text[],
          ${decided.months}::text::date[],
          ${decided.outcomes}::text::text[],
          ${decided.updates}::text::bigint[]
        ) as row (run_id, month, outcome, updates)
        join run using (run_id)
        where exists (select from writer)
        group by account_id, month, session_id, outcome
        order by account_id, month, session_id, outcome
        on conflict (account_id, month, session_id, outcome) do update set
          updates = due_update.updates + excluded.updates
      ),
      fares as materialized (
        select row.* from unnest(
          ${fared.webhookNos}::text::int[],
          ${fared.failures}::text::int[],
          ${fared.attempts}::text::int[],
          ${fared.delivered}::text::int[],
          ${fared.counts}::text::text[],
          ${fared.times}::text::float8[],
          ${fared.spans}::text::bigint[],
          ${fared.failedTimes}::text::float8[],
          ${fared.failureCodes}::text::text[],
          ${fared.statusCodes}::text::smallint[]
        ) as row (webhook_no, failures, attempts, delivered, counts, at_ms, span, failed_ms, code, status)
        -- If the endpoint was removed in the meantime, it has no health. A part of a round is no reason to read all endpoints.
        join lateral (select 1 from webhook where webhook.webhook_no = row.webhook_no limit 1) as endpoint on true
        where exists (select from writer)
        order by webhook_no
      ),
      fared as (
        insert into endpoint_health as h (
          webhook_no, failures_in_row, failing_since, succeeded_at, failed_at, failure_code, status_code
        )
        select webhook_no, failures, case when failures >= ${HEALTH_FAILURES_MAX} then to_timestamp(at_ms / 1000) end,
          case when delivered > 0 then to_timestamp(at_ms / 1000) end, to_timestamp(failed_ms / 1000), code, status
        from fares
        on conflict (webhook_no) do update set
          failures_in_row = least(excluded.failures_in_row
            + case when excluded.succeeded_at is null then h.failures_in_row else 0 end, 1000000000),
          failing_since = case
            when excluded.failing_since is not null then coalesce(h.failing_since, excluded.failing_since)
            when excluded.succeeded_at is null then coalesce(h.failing_since, case
              when h.failures_in_row + excluded.failures_in_row >= ${HEALTH_FAILURES_MAX} then excluded.failed_at end)
          end,
          well_since = case
            when excluded.succeeded_at is not null and excluded.failing_since is null and h.failing_since is not null
            then excluded.succeeded_at else h.well_since
          end,
          succeeded_at = coalesce(excluded.succeeded_at, h.succeeded_at),
          failed_at = coalesce(excluded.failed_at, h.failed_at),
          failure_code = case when excluded.failed_at is null then h.failure_code else excluded.failure_code end,
          status_code = case when excluded.failed_at is null then h.status_code else excluded.status_code end
      ),
      spanned as (
        insert into endpoint_health_span as s (webhook_no, place, span, attempts, delivered, counts)
        select webhook_no, span % ${HEALTH_SPANS_MAX}, span, attempts, delivered, counts::integer[] from fares
        on conflict (webhook_no, place) do update set
          span = excluded.span,
          attempts = excluded.attempts + case when s.span = excluded.span then s.attempts else 0 end,
          delivered = excluded.delivered + case when s.span = excluded.span then s.delivered else 0 end,
          -- As added_counts does, whose call takes twice as long. The sum of no counts is null.
          counts = coalesce(case when s.span = excluded.span then (
            select array_agg(least(coalesce(a, 0)::bigint + coalesce(b, 0), 2147483647)::integer order by place)
            from unnest(s.counts, excluded.counts) with ordinality as pair (a, b, place)
          ) end, excluded.counts)
      )
      select exists (select from writer) as written`;
    if (!raised!.written) await this.#expectWritten(batch);
  }

  /** Makes the columns of so many rows, a part of them at a time (G5). */
  async #columns<Name extends string>(
    rows: number,
    columns: Readonly<Record<Name, () => string>>,
  ): Promise<Record<Name, string>> {
    const made: Partial<Record<Name, string>> = {};
    let values = 0;
    for (const name of Object.keys(columns) as Name[]) {
      if (values + rows > RECORD_VALUES_AT_ONCE_MAX) {
        await this.#pause();
        values = 0;
      }
      made[name] = columns[name]();
      values += rows;
    }
    return made as Record<Name, string>;
  }

  /** The column of the counts, each of which is a hundred values and more (G5). */
  async #latencyCounts(latency: readonly LatencyDelta[]): Promise<string> {
    const rows: string[] = [];
    let values = 0;
    for (const { counts } of latency) {
      if (values + counts.length > RECORD_VALUES_AT_ONCE_MAX && values > 0) {
        await this.#pause();
        values = 0;
      }
      rows.push(`"{${counts.join(',')}}"`);
      values += counts.length;
    }
    return `{${rows.join(',')}}`;
  }

  async lastBatch({ name, epoch }: Writer): Promise<number | null> {
    const [row] = await this.#sql<{ epoch: number; batchNo: bigint }[]>`
      select incarnation as epoch, batch_no as "batchNo" from record_writer where writer = ${name}`;
    if (row === undefined || row.epoch > epoch) return null;
    return row.epoch === epoch ? Number(row.batchNo) : 0;
  }

  /** Nothing was written. That is right if the batch was written before; otherwise throws what is in the way. */
  async #expectWritten({ writer, batchNo }: RecordBatch): Promise<void> {
    const [row] = await this.#sql<{ batchNo: bigint }[]>`
      select batch_no as "batchNo" from record_writer where writer = ${writer.name} and incarnation = ${writer.epoch}`;
    if (row === undefined) throw new WriterSuperseded(writer);
    if (row.batchNo < batchNo) throw new JournalFull();
  }

  /** The attempts as a row of the journal. */
  async #journalRow(attempts: Attempts): Promise<{ webhookNos: readonly number[]; data: Uint8Array }> {
    if (attempts.length === 0) return { webhookNos: [], data: NO_BYTES };
    assert(attempts.length <= LOG_BLOCK_NUMBERS_MAX, 'G2: every attempt of a batch has a number');
    // A writer of its own: commits of several writers may be under way.
    const writing = new JournalRowWriter().write(attempts, RECORD_ATTEMPTS_AT_ONCE_MAX);
    let step = writing.next();
    for (; !step.done; step = writing.next()) await this.#pause();
    return { webhookNos: step.value.webhookNos, data: await packedElsewhere(step.value.bytes) };
  }

  async #lateRow(checkpoints: readonly Checkpoint[]): Promise<Uint8Array> {
    const encoding = encodeCheckpoints(checkpoints, RECORD_CHECKPOINTS_ENCODED_MAX);
    let step = encoding.next();
    for (; !step.done; step = encoding.next()) await this.#pause();
    return packedElsewhere(step.value);
  }

  async checkpoints(runId: string, webhookIds: readonly string[]): Promise<Checkpoint[]> {
    const rows = await withIndexLookups(
      this.#sql,
      (transaction) => transaction<CheckpointRow[]>`
        select run_id as "runId", webhook_id as "webhookId", next_position as "nextPosition", pending, matched, delivered,
          failed, skipped, breaker, lag_ms as "lagMs", held_before as "heldBefore"
        from run_endpoint
        where run_id = ${runId} and webhook_id = any(${texts(webhookIds)}::text::text[])`,
    );
    return rows.map(({ heldBefore, ...row }) => ({
      ...row,
      pending: parsePending(row.pending),
      spans: NO_SPANS,
      ...(heldBefore > 0 && { heldBefore }),
    }));
  }
}

/**
 * Fences off the writers of a process, or of all of them: null. A commit of theirs that is still under way is complete
 * before the transaction ends, or never happens. Their rows stay for a day, so that a late `admit` of theirs has no effect.
 */
export async function supersedeWriters(sql: TransactionSql, processId: string | null): Promise<void> {
  await sql`
    delete from record_writer
    where incarnation = ${SUPERSEDED} and superseded_at < now() - ${WRITER_KEPT_MS} * interval '1 ms'`;
  await sql`
    update record_writer set incarnation = ${SUPERSEDED}, superseded_at = now()
    where incarnation < ${SUPERSEDED} and (${processId}::text is null or starts_with(writer, ${processId} || ' '))`;
  await applyLate(sql, processId === null ? { kind: 'all' } : { kind: 'process', processId });
}

/** Whose late checkpoints. */
type LateOf =
  | { readonly kind: 'all' }
  | { readonly kind: 'process'; readonly processId: string }
  | { readonly kind: 'writer'; readonly name: string };

/** Applies late checkpoints (G6). */
async function applyLate(sql: TransactionSql, of: LateOf): Promise<void> {
  const theirs =
    of.kind === 'all'
      ? always(sql)
      : of.kind === 'writer'
        ? sql`writer = ${of.name}`
        : sql`starts_with(writer, ${of.processId} || ' ')`;
  const rows = await sql<{ batchNo: bigint; data: Uint8Array }[]>`
    delete from late_checkpoints where ${theirs} returning batch_no as "batchNo", data`;
  if (rows.length === 0) return;
  const checkpoints = latestOf(rows.map(({ batchNo, data }) => ({ batchNo, bytes: unpacked(data) })));
  const columns = Object.entries(checkpointColumns(checkpoints)).map(([name, column]) => [name, column()] as const);
  await upsertCheckpoints(sql, Object.fromEntries(columns) as CheckpointTexts, always(sql));
}

type CheckpointTexts = { readonly [Name in keyof ReturnType<typeof checkpointColumns>]: string };

function checkpointColumns(checkpoints: readonly Checkpoint[]) {
  return {
    runIds: () => texts(checkpoints.map((row) => row.runId)),
    webhookIds: () => texts(checkpoints.map((row) => row.webhookId)),
    positions: () => numbers(checkpoints.map((row) => row.nextPosition)),
    pending: () => texts(checkpoints.map((row) => formatPending(row.pending))),
    matched: () => numbers(checkpoints.map((row) => row.matched)),
    delivered: () => numbers(checkpoints.map((row) => row.delivered)),
    failures: () => numbers(checkpoints.map((row) => row.failed)),
    skips: () => texts(checkpoints.map((row) => JSON.stringify(row.skipped))),
    breakers: () => texts(checkpoints.map((row) => row.breaker)),
    lags: () => numbers(checkpoints.map((row) => Math.round(row.lagMs))),
    held: () => numbers(checkpoints.map((row) => row.heldBefore ?? 0)),
  };
}

function always(sql: Sql | TransactionSql) {
  return sql`true`;
}

/** The part of a statement, or the statement, that writes these checkpoints if `condition` holds (G3). */
function upsertCheckpoints(sql: Sql | TransactionSql, stood: CheckpointTexts, condition: ReturnType<typeof always>) {
  return sql`
    insert into run_endpoint (
      run_id, webhook_id, next_position, pending, matched, delivered, failed, skipped, breaker, lag_ms, held_before
    )
    select row.* from unnest(
      ${stood.runIds}::text::text[],
      ${stood.webhookIds}::text::text[],
      ${stood.positions}::text::int[],
      ${stood.pending}::text::text[],
      ${stood.matched}::text::int[],
      ${stood.delivered}::text::int[],
      ${stood.failures}::text::int[],
      ${stood.skips}::text::jsonb[],
      ${stood.breakers}::text::text[],
      ${stood.lags}::text::int[],
      ${stood.held}::text::int[]
    ) as row (
      run_id, webhook_id, next_position, pending, matched, delivered, failed, skipped, breaker, lag_ms, held_before
    )
    -- If the account was deleted in the meantime, its run is gone and needs no checkpoint.
    join run using (run_id)
    where ${condition}
    order by row.run_id, row.webhook_id
    on conflict (run_id, webhook_id) do update set
      next_position = excluded.next_position, pending = excluded.pending, matched = excluded.matched,
      delivered = excluded.delivered, failed = excluded.failed, skipped = excluded.skipped,
      breaker = excluded.breaker, lag_ms = excluded.lag_ms, held_before = excluded.held_before`;
}

/** Adds up rows with the same key: a statement may change a row only once. */
function summed(usage: readonly UsageDelta[]): UsageDelta[] {
  const rows = new Map<string, UsageDelta>();
  for (const delta of usage) {
    const key = `${delta.accountId} ${delta.month} ${delta.day} ${delta.feedId}`;
    const row = rows.get(key);
    if (row === undefined) {
      rows.set(key, { ...delta });
      continue;
    }
    row.attempts += delta.attempts;
    row.demo = (row.demo ?? 0) + (delta.demo ?? 0);
    row.streamed = (row.streamed ?? 0) + (delta.streamed ?? 0);
    row.demoStreamed = (row.demoStreamed ?? 0) + (delta.demoStreamed ?? 0);
    row.succeeded += delta.succeeded;
    row.failed += delta.failed;
    row.skipped += delta.skipped;
  }
  return [...rows.values()];
}

function merged(latency: readonly LatencyDelta[]): LatencyDelta[] {
  const rows = new Map<string, LatencyDelta>();
  for (const delta of latency) {
    const key = `${delta.accountId} ${delta.month} ${delta.feedId}`;
    const row = rows.get(key);
    if (row === undefined) {
      rows.set(key, delta);
      continue;
    }
    const sum = new LatencySketch();
    sum.merge(row.counts);
    sum.merge(delta.counts);
    rows.set(key, { ...delta, counts: sum.take() });
  }
  return [...rows.values()];
}

interface SpanRow extends SkippedSpan {
  readonly runId: string;
  readonly webhookId: string;
}

/** The spans of all checkpoints. One that has grown since an earlier checkpoint of the batch replaces itself. */
function spansOf(checkpoints: readonly Checkpoint[]): SpanRow[] {
  const rows = new Map<string, SpanRow>();
  for (const { runId, webhookId, spans } of checkpoints)
    for (const span of spans) rows.set(`${runId} ${webhookId} ${span.first}`, { runId, webhookId, ...span });
  return [...rows.values()];
}

interface DueRow extends DueDelta {
  readonly runId: string;
  updates: number;
}

/** What all checkpoints add, by run, month and outcome: an actor that was restarted has two in a batch. */
function dueOf(checkpoints: readonly Checkpoint[]): DueRow[] {
  const rows = new Map<string, DueRow>();
  // Most have the run, month and outcome of the one before.
  let row: DueRow | undefined;
  // By index: an iterator for each of thousands of lists would be garbage.
  for (let i = 0; i < checkpoints.length; i++) {
    const { runId, due = NOTHING_DUE } = checkpoints[i]!;
    for (let j = 0; j < due.length; j++) {
      const delta = due[j]!;
      if (row?.runId !== runId || row.month !== delta.month || row.outcome !== delta.outcome) {
        const key = `${runId} ${delta.month} ${delta.outcome}`;
        row = rows.get(key) ?? { ...delta, runId, updates: 0 };
        rows.set(key, row);
      }
      row.updates += delta.updates;
    }
  }
  return [...rows.values()];
}

/** Numbers in PostgreSQL's array form. */
function numbers(values: readonly (number | null)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join(',')}}`;
}

const QUOTED = /["\\]/g;
const NUL = /\0/g;

/**
 * Texts in PostgreSQL's array form. PostgreSQL cannot store NUL or lone surrogates (G4). NUL becomes U+FFFD here, a
 * lone surrogate when the text is encoded as UTF-8.
 */
function texts(values: readonly (string | null)[]): string {
  let array = '{';
  let last: string | null = null;
  let quoted = 'NULL';
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? null;
    // Most columns repeat the same value many times.
    if (value !== last) {
      last = value;
      quoted = value === null ? 'NULL' : `"${value.replace(NUL, '\uFFFD').replace(QUOTED, '\\$&')}"`;
    }
    array += i === 0 ? quoted : `,${quoted}`;
  }
  return `${array}}`;
}
