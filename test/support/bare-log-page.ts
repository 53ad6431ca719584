// A page of the delivery log for tests of its days: it stands where a page of an attempt at this time does. Its data is empty.

import type { Sql } from '#engine/storage/postgres-client.ts';

let pages = 0;

export async function insertBareLogPage(sql: Sql, atMs: number): Promise<void> {
  pages++;
  const at = new Date(atMs);
  await sql`
    insert into log_page (webhook_no, day, first_log_no, last_log_no, attempts, failed, first_at, last_at, feeds, modes,
      first_run_no, last_run_no, first_sequence, last_sequence, data)
    values (1, ${at.toISOString().slice(0, 10)}::date, ${pages}, ${pages}, 1, 0, ${at}, ${at}, 1, 1, 0, 0, 1, 1, '')`;
}
