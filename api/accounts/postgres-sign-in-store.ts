// Sign-ins in PostgreSQL.

import type { Caller } from '#api/http/operation.ts';
import { SIGN_INS_MAX } from '#engine/base/limits.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import type { SignInStore } from './sign-in-store.ts';

export function postgresSignInStore(sql: Sql): SignInStore {
  return {
    async insert(tokenHash, accountId, expiresAt, now) {
      // All sign-ins have the same lifetime, so the first to expire is the oldest. Concurrent sign-ins do not see each
      // other, so the limit may be exceeded until the next one.
      await sql`
        with ended as (
          delete from sign_in where account_id = ${accountId} and (
            expires_at <= ${now} or token_hash in (
              select token_hash from sign_in where account_id = ${accountId}
              order by expires_at desc offset ${SIGN_INS_MAX - 1}))
        )
        insert into sign_in (token_hash, account_id, expires_at) values (${tokenHash}, ${accountId}, ${expiresAt})`;
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
