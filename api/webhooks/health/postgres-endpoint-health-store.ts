// The health of endpoints in PostgreSQL: for each endpoint one row, the thirteen spans of its last hour, its checkpoint in
// the account's replay, and those in its latest live runs.

import { HEALTH_LIVE_RUNS_MAX, HEALTH_SPAN_S, HEALTH_SPANS_MAX } from '#engine/base/limits.ts';
import { HEALTH_BUCKETS, latencyQuantile } from '#engine/delivery/delivery-log/endpoint-health.ts';
import { withIndexLookups } from '#engine/storage/index-lookups.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import type { EndpointHealth, EndpointHealthStore } from './endpoint-health-store.ts';

interface Row {
  readonly webhookId: string;
  readonly failingSince: Date | null;
  readonly failedAt: Date | null;
  readonly failureCode: string | null;
  readonly statusCode: number | null;
  readonly spans: readonly (readonly [attempts: number, delivered: number, counts: readonly number[]])[];
  readonly paused: boolean;
  readonly missedUpdates: number;
}

export function postgresEndpointHealthStore(sql: Sql): EndpointHealthStore {
  return {
    async of(webhookIds, now) {
      const span = Math.floor(now.getTime() / 1000 / HEALTH_SPAN_S);
      const rows = await withIndexLookups(
        sql,
        (transaction) => transaction<Row[]>`
          select w.webhook_id as "webhookId", failing_since as "failingSince", failed_at as "failedAt",
            failure_code as "failureCode", status_code as "statusCode",
            (
              select coalesce(jsonb_agg(jsonb_build_array(attempts, delivered, counts)), '[]')
              from endpoint_health_span s where s.webhook_no = w.webhook_no and span > ${span - HEALTH_SPANS_MAX}::bigint
            ) as spans,
            exists (
              select from run r join run_endpoint e using (run_id)
              where r.account_id = w.account_id and r.mode = 'replay' and r.state in ('running', 'stopping')
                and e.webhook_id = w.webhook_id and e.breaker = 'open'
            ) as paused,
            (
              select coalesce(sum(e.failed + coalesce((e.skipped->>'expired')::int, 0) - e.recovered), 0)::int
              from (
                select run_id from run where account_id = w.account_id and mode = 'live'
                order by run_no desc limit ${HEALTH_LIVE_RUNS_MAX}
              ) latest join run_endpoint e using (run_id)
              where e.webhook_id = w.webhook_id
            ) as "missedUpdates"
          from webhook w left join endpoint_health h using (webhook_no)
          where w.webhook_id = any(${webhookIds as string[]})`,
      );
      return new Map(rows.map((row) => [row.webhookId, healthOf(row)]));
    },
  };
}

function healthOf({
  failingSince,
  failedAt,
  failureCode,
  statusCode,
  spans,
  paused,
  missedUpdates,
}: Row): EndpointHealth {
  const counts = new Array<number>(HEALTH_BUCKETS).fill(0);
  let [attempts, delivered] = [0, 0];
  for (const span of spans) {
    attempts += span[0];
    delivered += span[1];
    for (const [bucket, count] of span[2].entries()) counts[bucket]! += count;
  }
  return {
    state: paused ? 'paused_for_run' : failingSince === null ? 'healthy' : 'failing',
    failingSince,
    attempts,
    delivered,
    p95LatencyMs: latencyQuantile(counts, 0.95),
    lastFailure: failedAt === null ? null : { at: failedAt, code: failureCode ?? 'http_status', statusCode },
    missedUpdates,
  };
}
