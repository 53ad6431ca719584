// GET /v1/usage...: what the account's deliveries of this calendar month (UTC) add up to.

import { bearerOperation, type Operation, reply } from '#api/http/operation.ts';
import type { Clock } from '#engine/clock.ts';
import { UsageAnswer, UsageByFeedAnswer } from '#schemas/http/usage.ts';
import type { UsageStore } from './usage-store.ts';

export function usageRoutes(
  store: UsageStore,
  clock: Clock,
): { readonly totals: Operation; readonly byFeed: Operation } {
  const window = () => {
    const month = `${new Date(clock.wallMs()).toISOString().slice(0, 7)}-01`;
    return { month, windowStart: `${month}T00:00:00.000Z` };
  };
  return {
    totals: bearerOperation(
      { summary: 'Read what was delivered this month', answer: UsageAnswer },
      async ({ caller }) => {
        const { month, windowStart } = window();
        const { attempts, succeeded, failed, skipped } = await store.totals(caller.accountId, month);
        const counts = {
          deliveryCount: attempts,
          successCount: succeeded,
          failureCount: failed,
          skippedCount: skipped,
        };
        return reply({ data: { ...counts, windowStart } });
      },
    ),

    byFeed: bearerOperation(
      { summary: 'Read what was delivered this month, by feed', answer: UsageByFeedAnswer },
      async ({ caller }) => {
        const { month, windowStart } = window();
        const rows = await store.attemptsByFeed(caller.accountId, month);
        const byFeed = rows.map(({ feedId, attempts }) => ({ feedId, deliveryCount: attempts }));
        return reply({ data: { byFeed, windowStart } });
      },
    ),
  };
}
