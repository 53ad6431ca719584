// How a network that an account was used from is stored: as a hash only.

import type { Sql } from '#engine/storage/postgres-client.ts';

/** An SQL expression. `accountId`: an expression or a column. */
export function networkHash(sql: Sql, accountId: ReturnType<Sql>, network: string) {
  return sql`sha256(convert_to(${accountId} || ' ' || ${network}::text, 'UTF8'))`;
}
