// The record store as it was before the journal: a row of delivery_attempt for each attempt, with its two indexes, and
// every checkpoint a row, in one statement. Without skipped spans, due updates and health, of which the bench has none.

import type { RecordBatch, RecordStore, Writer } from '#engine/delivery/delivery-log/record-store.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';

export class RowLog implements RecordStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async admit({ name, epoch }: Writer): Promise<void> {
    await this.#sql`insert into record_writer (writer, incarnation, batch_no) values (${name}, ${epoch}, 0)`;
  }

  async checkpoints(): Promise<never[]> {
    return [];
  }

  async commit({ writer, batchNo, usage, latency, checkpoints, ...batch }: RecordBatch): Promise<void> {
    const attempts = [...batch.attempts];
    const [raised] = await this.#sql<{ written: boolean }[]>`
      with writer as (
        update record_writer set batch_no = ${batchNo}
        where writer = ${writer.name} and incarnation = ${writer.epoch} and batch_no < ${batchNo}
        returning 1
      ),
      attempts as (
        insert into delivery_attempt (
          webhook_no, run_no, mode, feed, sequence, attempt, status_code, latency_ms, lag_ms, failure_code, error,
          response_body, created_at
        )
        select webhook_no, run_no, mode, feed, sequence, attempt, status_code, latency_ms, lag_ms, failure_code, error,
          response_body, to_timestamp(created_ms / 1000)
        from unnest(
          ${numbers(attempts.map((row) => row.webhookNo))}::text::int[],
          ${numbers(attempts.map((row) => row.runNo))}::text::int[],
          ${texts(attempts.map((row) => row.mode))}::text::text[],
          ${numbers(attempts.map((row) => row.feed))}::text::smallint[],
          ${numbers(attempts.map((row) => row.sequence))}::text::int[],
          ${numbers(attempts.map((row) => row.attempt))}::text::smallint[],
          ${numbers(attempts.map(({ result }) => (result.kind === 'answered' ? result.statusCode : null)))}::text::smallint[],
          ${numbers(attempts.map((row) => Math.round(row.latencyMs * 100) / 100))}::text::real[],
          ${numbers(attempts.map((row) => (row.lagMs === null ? null : Math.round(row.lagMs * 100) / 100)))}::text::real[],
          ${texts(attempts.map(({ result }) => (result.kind === 'failed' ? result.code : null)))}::text::text[],
          ${texts(attempts.map(({ result }) => (result.kind === 'failed' ? result.detail : null)))}::text::text[],
          ${texts(attempts.map(({ result }) => (result.kind === 'answered' ? result.body : null)))}::text::text[],
          ${numbers(attempts.map((row) => row.createdAtMs))}::text::float8[]
        ) with ordinality as row (
          webhook_no, run_no, mode, feed, sequence, attempt, status_code, latency_ms, lag_ms, failure_code, error,
          response_body, created_ms, place
        )
        where exists (select from writer)
        order by place
      ),
      used as (
        insert into usage (
          account_id, month, day, feed_id, attempts, demo_attempts, succeeded, failed, skipped, streamed, demo_streamed
        )
        select * from unnest(
          ${texts(usage.map((row) => row.accountId))}::text::text[],
          ${texts(usage.map((row) => row.month))}::text::date[],
          ${numbers(usage.map((row) => row.day))}::text::smallint[],
          ${texts(usage.map((row) => row.feedId))}::text::text[],
          ${numbers(usage.map((row) => row.attempts))}::text::bigint[],
          ${numbers(usage.map((row) => row.demo ?? 0))}::text::bigint[],
          ${numbers(usage.map((row) => row.succeeded))}::text::bigint[],
          ${numbers(usage.map((row) => row.failed))}::text::bigint[],
          ${numbers(usage.map((row) => row.skipped))}::text::bigint[],
          ${numbers(usage.map((row) => row.streamed ?? 0))}::text::bigint[],
          ${numbers(usage.map((row) => row.demoStreamed ?? 0))}::text::bigint[]
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
          ${texts(latency.map((row) => row.accountId))}::text::text[],
          ${texts(latency.map((row) => row.month))}::text::date[],
          ${texts(latency.map((row) => row.feedId))}::text::text[],
          ${texts(latency.map((row) => `{${row.counts.join(',')}}`))}::text::text[]
        ) as row (account_id, month, feed_id, counts)
        where exists (select from writer)
        order by account_id, month, feed_id
        on conflict (account_id, month, feed_id) do update set counts = added_counts(usage_latency.counts, excluded.counts)
      ),
      stood as (
        insert into run_endpoint (
          run_id, webhook_id, next_position, pending, matched, delivered, failed, skipped, breaker, lag_ms, held_before
        )
        select row.* from unnest(
          ${texts(checkpoints.map((row) => row.runId))}::text::text[],
          ${texts(checkpoints.map((row) => row.webhookId))}::text::text[],
          ${numbers(checkpoints.map((row) => row.nextPosition))}::text::int[],
          ${texts(checkpoints.map(() => ''))}::text::text[],
          ${numbers(checkpoints.map((row) => row.matched))}::text::int[],
          ${numbers(checkpoints.map((row) => row.delivered))}::text::int[],
          ${numbers(checkpoints.map((row) => row.failed))}::text::int[],
          ${texts(checkpoints.map((row) => JSON.stringify(row.skipped)))}::text::jsonb[],
          ${texts(checkpoints.map((row) => row.breaker))}::text::text[],
          ${numbers(checkpoints.map((row) => Math.round(row.lagMs)))}::text::int[],
          ${numbers(checkpoints.map((row) => row.heldBefore ?? 0))}::text::int[]
        ) as row (
          run_id, webhook_id, next_position, pending, matched, delivered, failed, skipped, breaker, lag_ms, held_before
        )
        join run using (run_id)
        where exists (select from writer)
        order by row.run_id, row.webhook_id
        on conflict (run_id, webhook_id) do update set
          next_position = excluded.next_position, pending = excluded.pending, matched = excluded.matched,
          delivered = excluded.delivered, failed = excluded.failed, skipped = excluded.skipped,
          breaker = excluded.breaker, lag_ms = excluded.lag_ms, held_before = excluded.held_before
      )
      select exists (select from writer) as written`;
    if (!raised!.written) throw new Error(`batch ${batchNo} was not written`);
  }
}

/** Numbers in PostgreSQL's array form. */
function numbers(values: readonly (number | null)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join(',')}}`;
}

const QUOTED = /["\\]/g;

/** Texts in PostgreSQL's array form. */
function texts(values: readonly (string | null)[]): string {
  return `{${values.map((value) => (value === null ? 'NULL' : `"${value.replace(QUOTED, '\\$&')}"`)).join(',')}}`;
}
