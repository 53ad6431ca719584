// Which artifacts runs need that have not ended: a paused replay and a resend that waits for room hold theirs not open.

import type { SessionId } from '#engine/intake/recording/session-id.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';

/** The origins with which runs of this session began that have not ended. */
export async function neededOrigins(sql: Sql, sessionId: SessionId): Promise<ReadonlySet<string>> {
  const rows = await sql<{ origin: string }[]>`
    select distinct timeline_origin as origin from run
    where session_id = ${sessionId} and state in ('running', 'stopping') and timeline_origin is not null`;
  return new Set(rows.map(({ origin }) => origin));
}
