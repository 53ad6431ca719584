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

    async unlock(accountId, sessionId, now) {
      await sql`
        insert into simulate_slot (account_id, session_id, unlocked_at) values (${accountId}, ${sessionId}, ${now})
        on conflict do nothing`;
    },
  };
}
