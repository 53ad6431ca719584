// The delivery log in PostgreSQL, for reading.

import type { Sql } from '#engine/storage/postgres-client.ts';
import type { DeliveryLogStore, LoggedAttempt, LogOwner } from './delivery-log-store.ts';

export function postgresDeliveryLogStore(sql: Sql): DeliveryLogStore {
  return {
    async owner(accountId, webhookId) {
      const [row] = await sql<LogOwner[]>`
        select webhook_no as "webhookNo", deleted_at as "deletedAt" from webhook
        where webhook_id = ${webhookId} and account_id = ${accountId}`;
      return row ?? null;
    },

    // Earlier days are left out when the statement is planned, so those that are kept for deleted endpoints cost the others
    // nothing. Planning for the 90 days of the default is most of the two milliseconds that it takes.
    async page(webhookNo, since, before, limit) {
      return sql<LoggedAttempt[]>`
        select log_no as "logNo", mode, feed, sequence, attempt, status_code as "statusCode",
          latency_ms::float8 as "latencyMs", error, response_body as "responseBody", created_at as "createdAt"
        from delivery_attempt
        where webhook_no = ${webhookNo} and created_at >= ${since}
          and log_no < coalesce(${before}::bigint, 9223372036854775807)
        order by log_no desc limit ${limit}`;
    },
  };
}
