// What operators see of overage: what waits to be reported, and what differs.

import { OVERAGE_DIFFERENCE_SHOWN_MS } from '#engine/base/limits.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';

export interface OverageFigures {
  /** Attempts that the payment provider has not accepted yet. */
  readonly due: number;
  /** Since when the oldest of them are due, in Unix epoch milliseconds; null: none are. */
  readonly dueSinceMs: number | null;
  /** Accounts' months that differ from the payment provider's count or from our usage. */
  readonly differences: number;
}

export async function overageFigures(sql: Sql, now: Date): Promise<OverageFigures> {
  const since = new Date(now.getTime() - OVERAGE_DIFFERENCE_SHOWN_MS);
  const [row] = await sql<OverageFigures[]>`
    select coalesce(sum(value), 0)::float8 as due, (extract(epoch from min(made_at)) * 1000)::float8 as "dueSinceMs",
      (select count(*) from overage_check where difference is not null and checked_at > ${since})::float8 as differences
    from overage_block where state = 'due'`;
  return row!;
}
