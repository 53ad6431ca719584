// What the nodes prepare, as PostgreSQL keeps it: with the row of each recording.

import { RecordingsUnreachable } from '#engine/intake/recording/recording-store.ts';
import { parseSessionId, type SessionId } from '#engine/intake/recording/session-id.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import type { SharedPreparations, WantedPreparation } from './shared-preparations.ts';

export class PostgresPreparations implements SharedPreparations {
  readonly #sql: Sql;
  readonly #deriverVersion: number;

  /** Nodes of another deriver version have artifacts of their own. */
  constructor(sql: Sql, deriverVersion: number) {
    this.#sql = sql;
    this.#deriverVersion = deriverVersion;
  }

  async want(sessionId: SessionId): Promise<void> {
    await this.#sql`
      update recording set prepared_for = ${this.#deriverVersion}
      where session_id = ${sessionId} and prepared_for is distinct from ${this.#deriverVersion}`.catch(
      (error: Error) => {
        throw new RecordingsUnreachable(error);
      },
    );
  }

  async wanted(): Promise<WantedPreparation[]> {
    const rows = await this.#sql<{ sessionId: string; version: string }[]>`
      select session_id as "sessionId", recording_no::text as version from recording
      where prepared_for = ${this.#deriverVersion} order by recording_no desc`;
    return rows.map(({ sessionId, version }) => ({ sessionId: parseSessionId(sessionId)!, version }));
  }
}
