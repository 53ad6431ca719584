// Statements that look up many rows, and must not take seconds while the server does not know yet how many there are.
//
// The server plans by statistics, which are renewed a minute or so after a table has grown. Until then two things make it
// read a table from end to end for each of ten thousand endpoints:
// - statistics of one endpoint or a few, by which an index saves nothing. So no table is read whole that has an index.
// - the plan of a prepared statement, which after five uses may be kept for any values, from when there were a few. So
//   each use is planned for the very values it is given, which costs less than a millisecond.

import type { Sql, TransactionSql } from './postgres-client.ts';

/** A transaction in which that holds. */
export function withIndexLookups<Result>(sql: Sql, work: (transaction: TransactionSql) => Promise<Result>) {
  return sql.begin(async (transaction) => {
    await transaction`set local enable_seqscan = off; set local plan_cache_mode = force_custom_plan`.simple();
    return work(transaction);
  });
}
