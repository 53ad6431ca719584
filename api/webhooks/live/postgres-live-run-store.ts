// Live runs in PostgreSQL.

import { newId } from '#engine/base/ids.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import { withIndexLookups } from '#engine/storage/index-lookups.ts';
import type { Sql, TransactionSql } from '#engine/storage/postgres-client.ts';
import type { LiveRunRecord, LiveRunStore } from './live-run-store.ts';

export function postgresLiveRunStore(sql: Sql): LiveRunStore {
  return {
    async enter(sessionId, position, now) {
      return withIndexLookups(sql, async (transaction) => {
        const [known] = await transaction`select from run where session_id = ${sessionId} and mode = 'live' limit 1`;
        const accounts = await transaction<{ accountId: string }[]>`
          select account_id as "accountId" from webhook where deleted_at is null
          union
          -- Also with its last endpoint deleted: what that one still had is to be counted.
          select account_id from run where session_id = ${sessionId} and mode = 'live' and state = 'running'
          order by 1`;
        const accountIds = accounts.map(({ accountId }) => accountId);
        return enter(transaction, sessionId, accountIds, known === undefined ? 0 : position, now);
      });
    },

    async enterAccount(sessionId, accountId, position, now) {
      const [run] = await withIndexLookups(sql, (transaction) =>
        enter(transaction, sessionId, [accountId], position, now),
      );
      return run ?? null;
    },

    async unfinished() {
      return sql<LiveRunRecord[]>`
        select ${columns(sql)} from run r where mode = 'live' and state = 'running' order by run_no`;
    },

    async end(runId, state, now) {
      await sql`update run set state = ${state}, ended_at = ${now} where run_id = ${runId} and state = 'running'`;
    },
  };
}

async function enter(
  sql: TransactionSql,
  sessionId: string,
  accountIds: readonly string[],
  position: number,
  now: Date,
): Promise<LiveRunRecord[]> {
  const runIds = accountIds.map(() => newId('run', now.getTime(), systemRandomBytes));
  await sql`
    insert into run (run_id, account_id, session_id, mode, speed, sinks, state, update_count, started_at)
    select run_id, account_id, ${sessionId}, 'live', 1, 'webhook', 'running', 0, ${now}
    from unnest(${runIds}::text[], ${accountIds as string[]}::text[]) as entering (run_id, account_id)
    where exists (select from webhook w where w.account_id = entering.account_id and deleted_at is null)
    on conflict (account_id, session_id) where mode = 'live' and state in ('running', 'stopping') do nothing`;
  await sql`
    insert into run_endpoint (run_id, webhook_id, next_position)
    select run_id, webhook_id, ${position} from run join webhook using (account_id)
    where session_id = ${sessionId} and mode = 'live' and state = 'running' and deleted_at is null
      and account_id = any(${accountIds as string[]})
    on conflict (run_id, webhook_id) do nothing`;
  return sql<LiveRunRecord[]>`
    select ${columns(sql)} from run r
    where session_id = ${sessionId} and mode = 'live' and state = 'running' and account_id = any(${accountIds as string[]})
    order by run_no`;
}

function columns(sql: Sql | TransactionSql) {
  return sql`
    run_id as "runId", run_no as "runNo", account_id as "accountId", session_id as "sessionId",
    array(select webhook_id from run_endpoint e where e.run_id = r.run_id order by webhook_id) as "webhookIds"`;
}
