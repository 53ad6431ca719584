// Reads the delivery log into a ledger.

import { eachLoggedAttempt } from '#bench/suite/logged-attempts.ts';
import { LOG_BLOCK_NUMBERS_MAX } from '#engine/base/limits.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import type { Ledger } from './ledger.ts';

/** The last number of the log: what is recorded later has a higher one. */
export async function newestLogNo(sql: Sql): Promise<bigint> {
  const [row] = await sql<{ first: bigint }[]>`select last_value::int8 as first from log_journal_first_log_no_seq`;
  return row!.first + BigInt(LOG_BLOCK_NUMBERS_MAX - 1);
}

/** `webhookIds`: by endpoint. */
export async function recordLog(ledger: Ledger, sql: Sql, webhookIds: readonly string[]): Promise<void> {
  const rows = await sql<{ webhookNo: number; webhookId: string }[]>`
    select webhook_no as "webhookNo", webhook_id as "webhookId" from webhook`;
  const endpoints = new Map(rows.map(({ webhookNo, webhookId }) => [webhookNo, webhookIds.indexOf(webhookId)]));
  await eachLoggedAttempt(sql, ({ logNo, attempt: { webhookNo, sequence } }) =>
    ledger.record(endpoints.get(webhookNo)!, sequence, logNo),
  );
}

/** First attempts that started before one of an earlier update of the same endpoint (I5). */
export async function startedEarly(sql: Sql): Promise<number> {
  const startsOf = new Map<number, [sequence: number, atMs: number][]>();
  await eachLoggedAttempt(sql, ({ attempt: { webhookNo, sequence, attempt, createdAtMs } }) => {
    if (attempt !== 1) return;
    const own = startsOf.get(webhookNo);
    if (own === undefined) startsOf.set(webhookNo, [[sequence, createdAtMs]]);
    else own.push([sequence, createdAtMs]);
  });
  let early = 0;
  for (const starts of startsOf.values()) {
    starts.sort(([a], [b]) => a - b);
    early += starts.filter(([, atMs], place) => place > 0 && atMs < starts[place - 1]![1]).length;
  }
  return early;
}
