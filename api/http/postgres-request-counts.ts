// Counts of requests in the database that the nodes of a cluster share: one row for each account, of the latest hour.

import type { Sql } from '#engine/storage/postgres-client.ts';
import type { RequestCountStore } from './quota-keeper.ts';
import type { RequestCount } from './request-quota.ts';

const HOUR_S = 3_600;

export function postgresRequestCounts(sql: Sql): RequestCountStore {
  const shown = sql`
    account_id as "accountId", from_console as "fromConsole", (extract(epoch from hour) / ${HOUR_S})::int as hour, requests`;
  return {
    async add(counts) {
      const ids = counts.map(({ accountId }) => accountId);
      return sql<RequestCount[]>`
        insert into request_count (account_id, from_console, hour, requests)
        select account_id, from_console, to_timestamp(hour::float8 * ${HOUR_S}), requests
        from unnest(
          ${`{${ids.join(',')}}`}::text::text[],
          ${`{${counts.map(({ fromConsole }) => fromConsole).join(',')}}`}::text::bool[],
          ${`{${counts.map(({ hour }) => hour).join(',')}}`}::text::int[],
          ${`{${counts.map(({ requests }) => requests).join(',')}}`}::text::int[]
        ) as counted (account_id, from_console, hour, requests)
        order by account_id, from_console
        on conflict (account_id, from_console) do update set hour = excluded.hour,
          requests = excluded.requests + case when request_count.hour = excluded.hour then request_count.requests else 0 end
        where request_count.hour <= excluded.hour
        returning ${shown}`;
    },
    async ofHour(hour) {
      return sql<RequestCount[]>`
        select ${shown} from request_count where hour = to_timestamp(${hour}::float8 * ${HOUR_S})`;
    },
  };
}
