// Tokens in PostgreSQL.

import { TOKENS_ENDED_AT_ONCE_MAX, TOKENS_PER_ACCOUNT_MAX } from '#engine/base/limits.ts';
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

    async insertToken(tokenHash, { accountId, clientSecretSealed }, expiresAt) {
      // The lock makes a concurrent replacement of the secret wait until it can see, and revoke, this token. The commit
      // does not wait for the disk: if a crash loses a token, the client requests another, as after expiry.
      const rows = await sql`
        insert into access_token (token_hash, account_id, expires_at)
        select ${tokenHash}, account_id, ${expiresAt}
        from account, (select set_config('synchronous_commit', 'off', true) as durability) as this_statement
        where account_id = ${accountId} and client_secret_sealed = ${clientSecretSealed} and durability = 'off'
        for share of account
        returning account_id`;
      return rows.length === 1;
    },

    async insertConsoleToken(tokenHash, accountId, signInHash, expiresAt) {
      // The lock makes the end of the sign-in wait until it can see, and remove, this token.
      const rows = await sql`
        insert into access_token (token_hash, account_id, expires_at, sign_in_hash)
        select ${tokenHash}, account_id, ${expiresAt}, token_hash
        from sign_in, (select set_config('synchronous_commit', 'off', true) as durability) as this_statement
        where token_hash = ${signInHash} and account_id = ${accountId} and durability = 'off'
        for key share of sign_in
        returning account_id`;
      return rows.length === 1;
    },

    async makeRoom(accountId, now) {
      const [row] = await sql<{ left: number }[]>`
        with own as (
          select token_hash, expires_at, row_number() over (order by expires_at desc) as place,
            count(*) filter (where expires_at > ${now}) over () as valid
          from access_token where account_id = ${accountId}
        ), ended as (
          delete from access_token using own
          where access_token.token_hash = own.token_hash and (
            own.expires_at <= ${now}
            or (valid >= ${TOKENS_PER_ACCOUNT_MAX} and place > valid - ${TOKENS_ENDED_AT_ONCE_MAX}))
          returning 1
        )
        select ((select count(*) from own) - (select count(*) from ended))::int as left`;
      return row!.left;
    },

    async findToken(tokenHash, now) {
      const [row] = await sql<TokenRecord[]>`
        select account_id as "accountId", plan, expires_at as "expiresAt",
          sign_in_hash is not null as "fromConsole"
        from access_token join account using (account_id)
        where token_hash = ${tokenHash} and expires_at > ${now}`;
      return row ?? null;
    },
  };
}
