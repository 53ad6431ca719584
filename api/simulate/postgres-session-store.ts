// Recorded sessions and simulate slots in PostgreSQL.

import type { Sql } from '#engine/storage/postgres-client.ts';
import type { ListedSession, SessionRecord, SessionStore } from './session-store.ts';

export function postgresSessionStore(sql: Sql): SessionStore {
  const columns = sql`
    s.session_id as "sessionId", s.series_id as "seriesId", s.name, s.type, s.circuit_name as "circuitName", s.season,
    s.start_at as "startAt", s.duration_ms::float8 as "durationMs", s.update_count as "updateCount", s.demo`;

  return {
    async list(accountId, limit, offset) {
      return sql<ListedSession[]>`
        select ${columns}, u.session_id is not null as unlocked
        from session s left join simulate_slot u on u.session_id = s.session_id and u.account_id = ${accountId}
        order by s.demo desc, s.start_at desc, s.session_id limit ${limit} offset ${offset}`;
    },

    async count() {
      const [row] = await sql<{ count: number }[]>`select count(*)::int as count from session`;
      return row!.count;
    },

    async find(sessionId) {
      const [row] = await sql<SessionRecord[]>`select ${columns} from session s where session_id = ${sessionId}`;
      return row ?? null;
    },

    async unlocked(accountId) {
      const rows = await sql<{ sessionId: string }[]>`
        select session_id as "sessionId" from simulate_slot where account_id = ${accountId}
        order by unlocked_at, session_id`;
      return rows.map(({ sessionId }) => sessionId);
    },

    async takeSlot(accountId, sessionId, slots, now) {
      return sql.begin(async (transaction) => {
        await transaction`select from account where account_id = ${accountId} for update`;
        const taken = await transaction<{ sessionId: string }[]>`
          select session_id as "sessionId" from simulate_slot where account_id = ${accountId}
          union
          select session_id from run join session using (session_id)
          where run.account_id = ${accountId} and mode = 'replay' and state in ('running', 'stopping') and sinks <> 'visual'
            and not demo`;
        if (taken.length >= slots && !taken.some((one) => one.sessionId === sessionId)) return false;
        await transaction`
          insert into simulate_slot (account_id, session_id, unlocked_at) values (${accountId}, ${sessionId}, ${now})
          on conflict do nothing`;
        return true;
      });
    },

    async unlock(accountId, sessionId, now) {
      await sql`
        insert into simulate_slot (account_id, session_id, unlocked_at) values (${accountId}, ${sessionId}, ${now})
        on conflict do nothing`;
    },
  };
}
