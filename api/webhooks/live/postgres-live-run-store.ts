// Live runs in PostgreSQL.

import { newId } from '#engine/base/ids.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import { DERIVER_VERSION } from '#engine/racing/derive/deriver-version.ts';
import { withIndexLookups } from '#engine/storage/index-lookups.ts';
import type { Sql, TransactionSql } from '#engine/storage/postgres-client.ts';
import type { LiveRunRecord, LiveRunStore } from './live-run-store.ts';

/** `deriverVersion`: that of the code which publishes live sessions now. */
export function postgresLiveRunStore(sql: Sql, deriverVersion = DERIVER_VERSION): LiveRunStore {
  return {
    async enter(sessionId, position, now, home) {
      return withIndexLookups(sql, async (transaction) => {
        const [known] = await transaction`select from run where session_id = ${sessionId} and mode = 'live' limit 1`;
        const accounts = await transaction<{ accountId: string }[]>`
          select account_id as "accountId" from webhook where deleted_at is null
          union
          -- Also with its last endpoint deleted: what that one still had is to be counted.
          select account_id from run where session_id = ${sessionId} and mode = 'live' and state = 'running'
          order by 1`;
        const accountIds = accounts.map(({ accountId }) => accountId).filter(home?.isOurs ?? (() => true));
        const from = known === undefined ? 0 : position;
        return enter(transaction, sessionId, accountIds, from, deriverVersion, now, home?.beganAt ?? null);
      });
    },

    async enterEndpoint(sessionId, accountId, webhookId, position, now) {
      return withIndexLookups(sql, async (transaction) => {
        const [run] = await transaction<LiveRunRecord[]>`
          with named as materialized (
            -- By its id alone: whatever the statistics say, the account's other endpoints are not looked at.
            select account_id, deleted_at from webhook where webhook_id = ${webhookId}
          ), endpoint as (
            select from named where account_id = ${accountId} and deleted_at is null
          ), begun as (
            insert into run (run_id, account_id, session_id, mode, speed, sinks, state, update_count, deriver_version,
              started_at)
            select ${newRunId(now)}, ${accountId}, ${sessionId}, 'live', 1, 'webhook', 'running', 0,
              case when exists (
                select from run where session_id = ${sessionId} and mode = 'live'
                  and deriver_version is distinct from ${deriverVersion}
              ) then null else ${deriverVersion}::int end, ${now} from endpoint
            on conflict (account_id, session_id) where mode = 'live' and state in ('running', 'stopping') do nothing
            returning run_id, run_no
          ), entered as (
            select run_id, run_no from begun
            union all
            select run_id, run_no from run, endpoint
            where account_id = ${accountId} and session_id = ${sessionId} and mode = 'live' and state = 'running'
          ), joined as (
            insert into run_endpoint (run_id, webhook_id, next_position)
            select run_id, ${webhookId}, ${position}::int from entered
            on conflict (run_id, webhook_id) do nothing
          )
          select run_id as "runId", run_no as "runNo", ${accountId} as "accountId", ${sessionId} as "sessionId" from entered`;
        return run ?? null;
      });
    },

    async endpoints(runId) {
      const rows = await withIndexLookups(
        sql,
        (transaction) => transaction<{ webhookId: string }[]>`
          select webhook_id as "webhookId" from run_endpoint where run_id = ${runId} order by webhook_id`,
      );
      return rows.map(({ webhookId }) => webhookId);
    },

    async unfinished() {
      return sql<LiveRunRecord[]>`
        select ${columns(sql)} from run
        where mode = 'live' and state = 'running' and not exists (
          select from live_session l where l.session_id = run.session_id and recorded_at is null
        )
        order by run_no`;
    },

    async end(runId, state, now, updateCount = null) {
      await sql`
        update run set state = ${state}, update_count = coalesce(${updateCount}::int, update_count), ended_at = ${now}
        where run_id = ${runId} and state = 'running'`;
    },
  };
}

async function enter(
  sql: TransactionSql,
  sessionId: string,
  accountIds: readonly string[],
  position: number,
  deriverVersion: number,
  now: Date,
  beganAt: Date | null,
): Promise<LiveRunRecord[]> {
  const runIds = accountIds.map(() => newRunId(now));
  await sql`
    insert into run (run_id, account_id, session_id, mode, speed, sinks, state, update_count, deriver_version, started_at)
    select run_id, account_id, ${sessionId}, 'live', 1, 'webhook', 'running', 0, ${deriverVersion}, ${now}
    from unnest(${runIds}::text[], ${accountIds as string[]}::text[]) as entering (run_id, account_id)
    where exists (select from webhook w where w.account_id = entering.account_id and deleted_at is null)
    on conflict (account_id, session_id) where mode = 'live' and state in ('running', 'stopping') do nothing`;
  // What one version has published, another one may not make again from the recording.
  await sql`
    update run set deriver_version = null
    where session_id = ${sessionId} and mode = 'live' and exists (
      select from run r where r.session_id = ${sessionId} and r.mode = 'live'
        and r.deriver_version is distinct from ${deriverVersion}
    )`;
  await sql`
    insert into run_endpoint (run_id, webhook_id, next_position)
    select run_id, webhook_id, case when created_at <= ${beganAt}::timestamptz then 0 else ${position}::int end
    from run join webhook using (account_id)
    where session_id = ${sessionId} and mode = 'live' and state = 'running' and deleted_at is null
      and account_id = any(${accountIds as string[]})
    on conflict (run_id, webhook_id) do nothing`;
  return sql<LiveRunRecord[]>`
    select ${columns(sql)} from run
    where session_id = ${sessionId} and mode = 'live' and state = 'running' and account_id = any(${accountIds as string[]})
    order by run_no`;
}

function newRunId(now: Date): string {
  return newId('run', now.getTime(), systemRandomBytes);
}

function columns(sql: Sql | TransactionSql) {
  return sql`run_id as "runId", run_no as "runNo", account_id as "accountId", session_id as "sessionId"`;
}
