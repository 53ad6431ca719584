// What the delivery log of a stage says: which deliveries it has, for a ledger, and in which order they started.

import { eachLoggedAttempt } from '#bench/suite/logged-attempts.ts';
import { type FirstAttempt, startedEarly } from '#bench/suite/started-early.ts';
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

/** How many first attempts started before one of an earlier update of the same endpoint (I5). */
export async function startedEarlyInLog(sql: Sql): Promise<number> {
  const firstsOf = new Map<number, FirstAttempt[]>();
  await eachLoggedAttempt(sql, ({ attempt: { webhookNo, sequence, attempt, createdAtMs } }) => {
    if (attempt !== 1) return;
    const own = firstsOf.get(webhookNo);
    if (own === undefined) firstsOf.set(webhookNo, [[sequence, createdAtMs]]);
    else own.push([sequence, createdAtMs]);
  });
  return [...firstsOf.values()].reduce((sum, firsts) => sum + startedEarly(firsts), 0);
}
