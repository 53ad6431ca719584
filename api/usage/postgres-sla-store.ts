// Reads what became of due updates from PostgreSQL. The recorder writes it in the same statement as the checkpoints that
// no longer have them (PU1).

import type { DueOutcome } from '#engine/delivery/usage/due-outcome.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import type { SlaStore } from './sla-store.ts';

interface MonthRow {
  readonly sessions: number;
  readonly updates: Readonly<Partial<Record<DueOutcome, number>>> | null;
  readonly sourceGapMs: number;
  readonly serviceGapMs: number;
}

export function postgresSlaStore(sql: Sql): SlaStore {
  return {
    async month(accountId, { firstDay, startsMs, endsMs }) {
      const [row] = await sql<MonthRow[]>`
        with own as (
          select session_id, outcome, updates from due_update
          where account_id = ${accountId} and month = ${firstDay}::date
        ),
        gap as (
          select cause, sum(extract(epoch from
            least(ended_at, ${new Date(endsMs)}) - greatest(began_at, ${new Date(startsMs)})) * 1000)::float8 as ms
          from live_gap
          where session_id in (select session_id from own)
            and began_at < ${new Date(endsMs)} and ended_at > ${new Date(startsMs)}
          group by cause
        )
        select (select count(distinct session_id)::int from own) as sessions,
          (select jsonb_object_agg(outcome, updates)
            from (select outcome, sum(updates)::float8 as updates from own group by outcome) summed) as updates,
          coalesce((select ms from gap where cause = 'source'), 0) as "sourceGapMs",
          coalesce((select ms from gap where cause = 'service'), 0) as "serviceGapMs"`;
      const { updates, ...rest } = row!;
      return { ...rest, updates: updates ?? {} };
    },
  };
}
