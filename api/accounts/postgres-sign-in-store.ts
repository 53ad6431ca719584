// Sign-ins in PostgreSQL.

import type { Caller } from '#api/http/operation.ts';
import { KNOWN_NETWORK_MS, KNOWN_NETWORKS_MAX, SIGN_INS_MAX } from '#engine/base/limits.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import { networkHash } from './network-hash.ts';
import type { SignInStore } from './sign-in-store.ts';

export function postgresSignInStore(sql: Sql): SignInStore {
  return {
    async insert(tokenHash, accountId, network, expiresAt, now) {
      // All sign-ins have the same lifetime, so the first to expire is the oldest. Concurrent sign-ins do not see each
      // other, so the limit may be exceeded until the next one.
      await sql`
        with ended as (
          delete from sign_in where account_id = ${accountId} and (
            expires_at <= ${now} or token_hash in (
              select token_hash from sign_in where account_id = ${accountId}
              order by expires_at desc offset ${SIGN_INS_MAX - 1}))
        ), forgotten as (
          delete from known_network where account_id = ${accountId} and network_hash in (
            select network_hash from known_network
            where account_id = ${accountId} and network_hash <> ${networkHash(sql, sql`${accountId}::text`, network)}
            order by seen_at desc offset ${KNOWN_NETWORKS_MAX - 1})
        ), known as (
          insert into known_network (account_id, network_hash, seen_at)
          values (${accountId}, ${networkHash(sql, sql`${accountId}::text`, network)}, ${now})
          on conflict (account_id, network_hash) do update set seen_at = excluded.seen_at
        )
        insert into sign_in (token_hash, account_id, expires_at) values (${tokenHash}, ${accountId}, ${expiresAt})`;
    },

    async knowsNetwork(accountId, network, now) {
      const rows = await sql`
        select 1 from known_network
        where account_id = ${accountId} and network_hash = ${networkHash(sql, sql`${accountId}::text`, network)}
          and seen_at > ${new Date(now.getTime() - KNOWN_NETWORK_MS)}`;
      return rows.length === 1;
    },

    async find(tokenHash, now) {
      const [row] = await sql<Caller[]>`
        select account_id as "accountId", plan from sign_in join account using (account_id)
        where token_hash = ${tokenHash} and expires_at > ${now}`;
      return row ?? null;
    },

    async delete(tokenHash) {
      await sql`delete from sign_in where token_hash = ${tokenHash}`;
    },
  };
}
