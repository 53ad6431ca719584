// Accounts in PostgreSQL.

import type { Sql } from '#engine/storage/postgres-client.ts';
import type { AccountStore } from './account-store.ts';

export function postgresAccountStore(sql: Sql): AccountStore {
  return {
    async insert({ accountId, email, plan, clientId, clientSecretSealed, verifiedAt, createdAt }) {
      const rows = await sql`
        insert into account (account_id, email, plan, client_id, client_secret_sealed, verified_at, created_at)
        values (${accountId}, ${email}, ${plan}, ${clientId}, ${clientSecretSealed}, ${verifiedAt}, ${createdAt})
        on conflict (lower(email)) do nothing
        returning account_id`;
      return rows.length === 1;
    },
  };
}
