// The gaps of live sessions in PostgreSQL.

import type { Sql } from '#engine/storage/postgres-client.ts';
import type { LiveGapStore } from './live-gaps.ts';

export function postgresLiveGapStore(sql: Sql): LiveGapStore {
  return {
    async put(sessionId, { cause, beganMs, endedMs }) {
      await sql`
        insert into live_gap (session_id, cause, began_at, ended_at)
        values (${sessionId}, ${cause}, ${new Date(beganMs)}, ${new Date(endedMs)})
        on conflict (session_id, cause, began_at) do update set ended_at = greatest(live_gap.ended_at, excluded.ended_at)`;
    },
  };
}
