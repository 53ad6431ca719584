// GET /v1/usage...: totals of the account's deliveries in this calendar month (UTC).

import type { Static } from 'typebox';
import type { OverageStore } from '#api/billing/overage/overage-store.ts';
import { ApiError } from '#api/http/api-error.ts';
import { bearerOperation, type Operation, reply } from '#api/http/operation.ts';
import { TERMS } from '#api/plans/plan.ts';
import type { Clock } from '#engine/base/clock.ts';
import { DAY_UNKNOWN, dateOf } from '#engine/delivery/usage/day.ts';
import { LATENCY_RELATIVE_ERROR, LatencySketch } from '#engine/delivery/usage/latency-sketch.ts';
import { monthOf } from '#engine/delivery/usage/month.ts';
import { UsageAnswer, UsageByFeedAnswer, UsageLatencyAnswer } from '#schemas/http/usage.ts';
import { bucketSize, overageDollars, overageOf } from './bucket.ts';
import type { UsageStore } from './usage-store.ts';

export function usageRoutes(
  store: UsageStore,
  overage: Pick<OverageStore, 'totals'>,
  clock: Clock,
): { readonly totals: Operation; readonly byFeed: Operation; readonly latency: Operation } {
  const window = () => {
    const { firstDay, startsMs } = monthOf(clock.wallMs());
    return { month: firstDay, windowStart: new Date(startsMs).toISOString() };
  };
  return {
    totals: bearerOperation({ summary: "Read this month's usage", answer: UsageAnswer }, async ({ caller }) => {
      const { month, windowStart } = window();
      const totals = await store.totals(caller.accountId, month);
      if (totals === null) throw new ApiError('unauthorized', 'The account is gone.');
      const { included, allowed } = bucketSize(totals);
      const demoDeliveryCount = totals.demoAttempts ?? 0;
      const { streamed = 0, demoStreamed = 0 } = totals;
      const overageCount = overageOf(totals, totals.attempts - demoDeliveryCount + streamed - demoStreamed);
      const { billed, reported } = await overage.totals(caller.accountId, month);
      const count = billed ?? 0;
      const spendCap = TERMS[totals.plan].past === 'billed' ? totals.spendCapCents / 100 : null;
      return reply({
        data: {
          deliveryCount: totals.attempts,
          demoDeliveryCount,
          streamedCount: streamed,
          demoStreamedCount: demoStreamed,
          successCount: totals.succeeded,
          failureCount: totals.failed,
          skippedCount: totals.skipped,
          includedDeliveries: finite(included),
          deliveryLimit: finite(allowed),
          overageCount,
          overageCost: overageDollars(overageCount),
          overage: { count, cost: overageDollars(count), reportedCount: reported, spendCap },
          windowStart,
        },
      });
    }),

    byFeed: bearerOperation(
      { summary: "Read this month's usage by feed", answer: UsageByFeedAnswer },
      async ({ caller }) => {
        const { month, windowStart } = window();
        const byFeed: Static<typeof UsageByFeedAnswer>['data']['byFeed'] = [];
        for (const { feedId, day, attempts, streamed } of await store.attemptsByFeed(caller.accountId, month)) {
          let feed = byFeed.at(-1);
          if (feed?.feedId !== feedId) {
            feed = { feedId, deliveryCount: 0, streamedCount: 0, byDay: [] };
            byFeed.push(feed);
          }
          feed.deliveryCount += attempts;
          feed.streamedCount += streamed;
          if (day !== DAY_UNKNOWN)
            feed.byDay.push({ date: dateOf(month, day), deliveryCount: attempts, streamedCount: streamed });
        }
        return reply({ data: { byFeed, windowStart } });
      },
    ),

    latency: bearerOperation(
      { summary: "Read this month's delivery latency by feed", answer: UsageLatencyAnswer },
      async ({ caller }) => {
        const { month, windowStart } = window();
        const rows = await store.latencyByFeed(caller.accountId, month);
        const byFeed = rows.map(({ feedId, counts }) => {
          const sketch = new LatencySketch();
          sketch.merge(counts);
          const [p50, p95, p99] = [sketch.quantile(0.5), sketch.quantile(0.95), sketch.quantile(0.99)];
          return { feedId, p50, p95, p99, sampleCount: sketch.sampleCount };
        });
        return reply({ data: { byFeed, relativeError: LATENCY_RELATIVE_ERROR, windowStart } });
      },
    ),
  };
}

/** Null stands for no limit. */
function finite(attempts: number): number | null {
  return attempts === Number.POSITIVE_INFINITY ? null : attempts;
}
