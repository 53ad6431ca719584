// Mails about endpoints in PostgreSQL. The row of an endpoint's health says which mail was the last. Setting it is the
// claim, so only one of several services on the same database sends the mail.

import { HEALTH_MAIL_AFTER_MS, HEALTH_MAIL_PAUSE_MS, HEALTH_MAILS_AT_ONCE_MAX } from '#engine/base/limits.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import type { HealthMailStore, HealthNotice, NoticedEndpoint } from './health-mail-store.ts';

interface Row extends Omit<NoticedEndpoint, 'lastFailure'> {
  readonly accountId: string;
  readonly email: string;
  readonly failedAt: Date | null;
  readonly failureCode: string | null;
  readonly statusCode: number | null;
}

export function postgresHealthMailStore(sql: Sql): HealthMailStore {
  return {
    async claim(news, now) {
      const lastsSince = new Date(now.getTime() - HEALTH_MAIL_AFTER_MS);
      const pausedSince = new Date(now.getTime() - HEALTH_MAIL_PAUSE_MS);
      const isDue =
        news === 'failing'
          ? sql`h.failing_since <= ${lastsSince} and coalesce(h.mailed, 'well') <> 'failing'
              and (h.mailed_at is null or h.mailed_at <= ${pausedSince})`
          : sql`h.mailed = 'failing' and h.failing_since is null and h.well_since <= ${lastsSince}`;
      const rows = await sql<Row[]>`
        update endpoint_health h set mailed = ${news}, mailed_at = ${now}
        from webhook w join account a using (account_id)
        where h.webhook_no = w.webhook_no and ${isDue} and w.active and w.deleted_at is null
          and w.account_id = any(array(
            select distinct w.account_id
            from endpoint_health h join webhook w using (webhook_no) join account a using (account_id)
            where ${isDue} and w.active and w.deleted_at is null and a.verified_at is not null
            order by 1 limit ${HEALTH_MAILS_AT_ONCE_MAX}
          ))
        returning w.account_id as "accountId", a.email, h.webhook_no as "webhookNo", w.webhook_id as "webhookId", w.url,
          ${news === 'failing' ? sql`h.failing_since` : sql`h.well_since`} as since, h.failed_at as "failedAt",
          h.failure_code as "failureCode", h.status_code as "statusCode"`;
      return [...Map.groupBy(rows, ({ accountId }) => accountId)].map(([accountId, ofAccount]): HealthNotice => {
        const endpoints = ofAccount.map(endpointOf).sort((a, b) => a.webhookNo - b.webhookNo);
        return { news, accountId, email: ofAccount[0]!.email, endpoints };
      });
    },

    async giveBack({ news, endpoints }) {
      const webhookNos = endpoints.map(({ webhookNo }) => webhookNo);
      await sql`
        update endpoint_health set mailed = ${news === 'failing' ? null : 'failing'},
          mailed_at = case when ${news} = 'failing' then null else mailed_at end
        where webhook_no = any(${webhookNos}) and mailed = ${news}`;
    },
  };
}

function endpointOf({ webhookNo, webhookId, url, since, failedAt, failureCode, statusCode }: Row): NoticedEndpoint {
  const lastFailure = failedAt === null ? null : { at: failedAt, code: failureCode ?? 'http_status', statusCode };
  return { webhookNo, webhookId, url, since, lastFailure };
}
