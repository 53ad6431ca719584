// Tokens in PostgreSQL.

import type { Sql } from '#engine/storage/postgres-client.ts';
import type { ClientRecord, TokenRecord, TokenStore } from './token-store.ts';

export function postgresTokenStore(sql: Sql): TokenStore {
  return {
    async findClient(clientId) {
      const [row] = await sql<ClientRecord[]>`
        select account_id as "accountId", client_secret_sealed as "clientSecretSealed"
        from account where client_id = ${clientId} and verified_at is not null`;
      return row ?? null;
    },

    async insertToken(tokenHash, accountId, expiresAt, now) {
      await sql`
        with expired as (
          delete from access_token where account_id = ${accountId} and expires_at <= ${now}
        )
        insert into access_token (token_hash, account_id, expires_at) values (${tokenHash}, ${accountId}, ${expiresAt})`;
    },

    async findToken(tokenHash, now) {
      const [row] = await sql<TokenRecord[]>`
        select account_id as "accountId", plan, expires_at as "expiresAt"
        from access_token join account using (account_id)
        where token_hash = ${tokenHash} and expires_at > ${now}`;
      return row ?? null;
    },
  };
}
