// The delivery log in PostgreSQL, for reading.

import type { Sql } from '#engine/storage/postgres-client.ts';
import type { DeliveryLogStore, LoggedAttempt } from './delivery-log-store.ts';

export function postgresDeliveryLogStore(sql: Sql): DeliveryLogStore {
  return {
    async page(webhookNo, before, limit) {
      return sql<LoggedAttempt[]>`
        select log_no as "logNo", mode, feed, sequence, attempt, status_code as "statusCode",
          latency_ms::float8 as "latencyMs", error, response_body as "responseBody", created_at as "createdAt"
        from delivery_attempt
        where webhook_no = ${webhookNo} and log_no < coalesce(${before}::bigint, 9223372036854775807)
        order by log_no desc limit ${limit}`;
    },
  };
}
