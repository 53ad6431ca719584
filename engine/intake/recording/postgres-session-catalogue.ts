// The session catalogue in PostgreSQL.

import type { Sql, TransactionSql } from '#engine/storage/postgres-client.ts';
import type { SessionCatalogue, SessionEntry } from './session-catalogue.ts';

interface SessionRow {
  readonly session_id: string;
  readonly series_id: string;
  readonly name: string;
  readonly type: string;
  readonly circuit_name: string;
  readonly season: number;
  readonly start_at: Date;
  readonly duration_ms: bigint;
  readonly frame_count: number;
  readonly update_count: number;
  readonly feeds: SessionEntry['feeds'];
  readonly demo: boolean;
}

export class PostgresSessionCatalogue implements SessionCatalogue {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async put(entry: SessionEntry, alongside: () => void): Promise<void> {
    await this.#sql.begin(async (transaction) => {
      await putSession(transaction, entry);
      alongside();
    });
  }

  async find(sessionId: string): Promise<SessionEntry | null> {
    const [row] = await this.#sql<SessionRow[]>`select * from session where session_id = ${sessionId}`;
    return row === undefined ? null : entryOf(row);
  }

  async list(): Promise<SessionEntry[]> {
    const rows = await this.#sql<SessionRow[]>`select * from session order by start_at desc, session_id`;
    return rows.map(entryOf);
  }
}

/** Adds the session or replaces its entry. The transaction then holds its row. */
export async function putSession(sql: TransactionSql, entry: SessionEntry): Promise<void> {
  await sql`
    insert into session (session_id, series_id, name, type, circuit_name, season, start_at, duration_ms,
      frame_count, update_count, feeds, demo)
    values (${entry.sessionId}, ${entry.seriesId}, ${kept(entry.name)}, ${entry.type}, ${kept(entry.circuitName)},
      ${entry.season}, ${new Date(entry.startUtcMs)}, ${BigInt(entry.durationMs)}, ${entry.frameCount},
      ${entry.updateCount}, ${sql.json(entry.feeds)}, ${entry.demo})
    on conflict (session_id) do update set (series_id, name, type, circuit_name, season, start_at, duration_ms,
      frame_count, update_count, feeds, demo, imported_at) = (excluded.series_id, excluded.name, excluded.type,
      excluded.circuit_name, excluded.season, excluded.start_at, excluded.duration_ms, excluded.frame_count,
      excluded.update_count, excluded.feeds, excluded.demo, now())`;
}

/** A text as PostgreSQL keeps it. Names come from the upstream, and a session that is refused would be tried again for ever. */
function kept(text: string): string {
  return text.replaceAll('\0', '');
}

function entryOf(row: SessionRow): SessionEntry {
  return {
    sessionId: row.session_id,
    seriesId: row.series_id,
    name: row.name,
    type: row.type,
    circuitName: row.circuit_name,
    season: row.season,
    startUtcMs: row.start_at.getTime(),
    durationMs: Number(row.duration_ms),
    frameCount: row.frame_count,
    updateCount: row.update_count,
    feeds: row.feeds,
    demo: row.demo,
  };
}
