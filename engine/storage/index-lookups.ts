// Makes statements that look up many rows use indexes even while the server's statistics are out of date.
//
// The server plans by statistics, which it renews about a minute after a table has grown. Until then two things can
// make it scan a whole table for each of ten thousand endpoints:
// - Statistics from a time with few endpoints, when an index saved nothing. So sequential scans are off.
// - The plan of a prepared statement. After five uses the server may keep a generic plan from a time with few rows. So
//   each use is planned for its own values, which costs less than a millisecond.

import type { Sql, TransactionSql } from './postgres-client.ts';

/** Runs `work` in a transaction with these settings. */
export function withIndexLookups<Result>(sql: Sql, work: (transaction: TransactionSql) => Promise<Result>) {
  return sql.begin(async (transaction) => {
    await transaction`set local enable_seqscan = off; set local plan_cache_mode = force_custom_plan`.simple();
    return work(transaction);
  });
}

/**
 * The same for some of many rows in the order of an index, which is then read from where they begin. While the server takes
 * the rows to be few, it could as well read and sort them all.
 */
export function withIndexOrder<Result>(sql: Sql, work: (transaction: TransactionSql) => Promise<Result>) {
  return withIndexLookups(sql, async (transaction) => {
    await transaction`set local enable_sort = off`.simple();
    return work(transaction);
  });
}
