// GET /v1/usage/sla: how the promise to begin live deliveries in time was kept in a month. For plans that have it.

import { bearerOperation, type Operation, reply } from '#api/http/operation.ts';
import { type PlanTerms, PUNCTUAL_PERCENT } from '#api/plans/plan.ts';
import type { Clock } from '#engine/base/clock.ts';
import { FIRST_ATTEMPT_MS_MAX } from '#engine/base/limits.ts';
import { EXCLUDED_OUTCOMES, type ExcludedOutcome } from '#engine/delivery/usage/due-outcome.ts';
import { monthOf } from '#engine/delivery/usage/month.ts';
import { SlaAnswer, SlaQuery } from '#schemas/http/usage.ts';
import type { SlaStore } from './sla-store.ts';

const MINUTE_MS = 60_000;

export function slaRoutes(store: SlaStore, clock: Clock): { readonly read: Operation } {
  return {
    read: bearerOperation(
      {
        summary: 'Read how punctual live deliveries were in a month',
        included: ({ punctual }: PlanTerms) => punctual,
        query: SlaQuery,
        answer: SlaAnswer,
        refuses: ['insufficient_tier'],
      },
      async ({ query, caller }) => {
        const month = monthOf(query.month === undefined ? clock.wallMs() : Date.parse(`${query.month}-01T00:00:00Z`));
        const { sessions, updates, sourceGapMs, serviceGapMs } = await store.month(caller.accountId, month);
        const { on_time: onTime = 0, late = 0 } = updates;
        const excluded = Object.fromEntries(
          EXCLUDED_OUTCOMES.map((reason) => [reason, updates[reason] ?? 0]),
        ) as Record<ExcludedOutcome, number>;
        const counted = onTime + late;
        return reply({
          data: {
            month: month.firstDay.slice(0, 7),
            due: Object.values(excluded).reduce((sum, count) => sum + count, counted),
            onTime,
            late,
            excluded,
            percentage: counted === 0 ? null : percentageOf(onTime, counted),
            target: PUNCTUAL_PERCENT,
            met: counted === 0 ? null : 100 * onTime >= PUNCTUAL_PERCENT * counted,
            withinMs: FIRST_ATTEMPT_MS_MAX,
            sessions,
            sourceGapMinutes: minutes(sourceGapMs),
            downtimeMinutes: minutes(serviceGapMs),
            windowStart: new Date(month.startsMs).toISOString(),
          },
        });
      },
    ),
  };
}

/** With four decimals, and never more than it is: what is not met must not look as if it were. */
function percentageOf(onTime: number, counted: number): number {
  return Math.floor((onTime / counted) * 1_000_000) / 10_000;
}

function minutes(ms: number): number {
  return Math.round(ms / (MINUTE_MS / 100)) / 100;
}
