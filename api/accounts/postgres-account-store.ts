// Accounts in PostgreSQL.

import type { Sql } from '#engine/storage/postgres-client.ts';
import type { AccountStore, SealedClient, ShownAccount, SignInRecord } from './account-store.ts';

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

    async findByEmail(email) {
      const [row] = await sql<SignInRecord[]>`
        select account_id as "accountId", email, plan, password_hash as "passwordHash",
          verified_at is not null as verified, (
            select v.password_hash from email_verification v
            where v.account_id = account.account_id and account.verified_at is not null
            order by v.expires_at desc limit 1
          ) as "ineffectivePasswordHash"
        from account where lower(email) = lower(${email})`;
      return row ?? null;
    },

    async findShown(accountId) {
      const [row] = await sql<ShownAccount[]>`
        select email, name, client_id as "clientId" from account where account_id = ${accountId}`;
      return row ?? null;
    },

    async findClient(accountId) {
      const [row] = await sql<SealedClient[]>`
        select client_id as "clientId", client_secret_sealed as "clientSecretSealed"
        from account where account_id = ${accountId}`;
      return row ?? null;
    },

    replaceClientSecret(accountId, clientSecretSealed) {
      return sql.begin(async (transaction) => {
        const [row] = await transaction<{ clientId: string }[]>`
          update account set client_secret_sealed = ${clientSecretSealed} where account_id = ${accountId}
          returning client_id as "clientId"`;
        // A separate statement also sees tokens issued while the first one waited for the account's row.
        await transaction`delete from access_token where account_id = ${accountId}`;
        return row?.clientId ?? null;
      });
    },
  };
}
