// Sign-ups and their links in PostgreSQL. Every change first locks the account's row, so concurrent changes to one
// account run one after the other. Once an account is verified, none of its links works.

import { VERIFICATIONS_MAX } from '#engine/base/limits.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import type { AccountRecord } from './account-store.ts';
import { networkHash } from './network-hash.ts';
import type { Recipient, VerificationStore } from './verification-store.ts';

export function postgresVerificationStore(sql: Sql): VerificationStore {
  return {
    async signUp({
      accountId,
      email,
      plan,
      clientId,
      clientSecretSealed,
      createdAt,
      name,
      passwordHash,
      verification,
    }) {
      // Writes the row in every case, so a known address takes as long as an unknown one (U1).
      const [row] = await sql<[Recipient]>`
        with owner as (
          insert into account
            (account_id, email, plan, client_id, client_secret_sealed, created_at, name, password_hash)
          values
            (${accountId}, ${email}, ${plan}, ${clientId}, ${clientSecretSealed}, ${createdAt}, ${name}, ${passwordHash})
          on conflict (lower(email)) do update set
            contested = account.contested or account.verified_at is null,
            name = case when account.verified_at is null then excluded.name else account.name end,
            password_hash =
              case when account.verified_at is null then excluded.password_hash else account.password_hash end
          returning account_id, email, verified_at is not null as verified
        ), superseded as (
          delete from email_verification where token_hash in (
            select token_hash from email_verification join owner using (account_id)
            order by expires_at desc offset ${VERIFICATIONS_MAX - 1})
        ), link as (
          insert into email_verification (token_hash, account_id, password_hash, name, expires_at)
          select ${verification.tokenHash}, account_id, ${passwordHash}, ${name}, ${verification.expiresAt} from owner
        )
        select email, verified from owner`;
      return row;
    },

    async isValid(tokenHash, now) {
      const rows = await sql`
        select 1 from email_verification join account using (account_id)
        where token_hash = ${tokenHash} and expires_at > ${now} and verified_at is null`;
      return rows.length === 1;
    },

    async replace(accountId, { tokenHash, expiresAt }) {
      const [row] = await sql<{ contested: boolean }[]>`
        with owner as (
          select account_id, password_hash, name, contested from account
          where account_id = ${accountId} and verified_at is null for update
        ), replaced as (
          delete from email_verification where account_id in (select account_id from owner)
        ), link as (
          insert into email_verification (token_hash, account_id, password_hash, name, expires_at)
          select ${tokenHash}, account_id, password_hash, name, ${expiresAt} from owner where not contested
        )
        select contested from owner`;
      if (row === undefined) return 'verified';
      return row.contested ? 'contested' : 'replaced';
    },

    async confirm(tokenHash, signIn, now) {
      const [row] = await sql<AccountRecord[]>`
        with confirmed as (
          update account set verified_at = ${now}, password_hash = link.password_hash, name = link.name
          from email_verification as link
          where link.token_hash = ${tokenHash} and link.expires_at > ${now}
            and account.account_id = link.account_id and account.verified_at is null
          returning account.account_id, account.email, account.plan
        ), used as (
          delete from email_verification where account_id in (select account_id from confirmed)
        ), signed_in as (
          insert into sign_in (token_hash, account_id, expires_at)
          select ${signIn.tokenHash}, account_id, ${signIn.expiresAt} from confirmed
        ), known as (
          insert into known_network (account_id, network_hash, seen_at)
          select account_id, ${networkHash(sql, sql`account_id`, signIn.network)}, ${now} from confirmed
          on conflict do nothing
        )
        select account_id as "accountId", email, plan from confirmed`;
      return row ?? null;
    },
  };
}
