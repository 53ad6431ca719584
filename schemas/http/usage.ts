// Usage in a calendar month (UTC).

import Type from 'typebox';
import { nullable } from './nullable.ts';
import { data } from './page.ts';
import { MONTH } from './text-patterns.ts';

export const UsageAnswer = data(
  Type.Object({
    deliveryCount: Type.Integer({ description: 'Attempts in all modes: live, replay and test.' }),
    demoDeliveryCount: Type.Integer({
      description: 'Those of them that were of the demo session. They take nothing from what the plan includes.',
    }),
    streamedCount: Type.Integer({
      description: 'Updates that streams have sent. Each counts against the month like a delivery.',
    }),
    demoStreamedCount: Type.Integer({
      description: 'Those of them that were of the demo session. They take nothing from what the plan includes.',
    }),
    successCount: Type.Integer({ description: 'Attempts that were answered with a 2xx.' }),
    failureCount: Type.Integer({ description: 'The other attempts.' }),
    skippedCount: Type.Integer({ description: 'Updates skipped on purpose.' }),
    includedDeliveries: nullable(
      Type.Integer({ description: 'Attempts included in the plan each month; null if unlimited.' }),
    ),
    deliveryLimit: nullable(
      Type.Integer({
        description:
          'Most attempts allowed this month, including those covered by the spend cap. Beyond it, updates are ' +
          'skipped. Null if unlimited.',
      }),
    ),
    overageCount: Type.Integer({ description: 'Attempts billed on top of the plan.' }),
    overageCost: Type.Number({ description: 'Cost of the overage so far, in US dollars.' }),
    overage: Type.Object(
      {
        count: Type.Integer({
          description:
            'Attempts of this month that are billed: those beyond the included ones that were made on Developer. Never ' +
            'more than the spend cap pays for.',
        }),
        cost: Type.Number({ description: 'What they cost, in US dollars.' }),
        reportedCount: Type.Integer({
          description: 'Those of them that the payment provider has. The others follow within about an hour.',
        }),
        spendCap: nullable(
          Type.Number({
            description: 'What overage may cost in a month, in US dollars; null on plans that do not bill any.',
          }),
        ),
      },
      { description: 'What this month adds to the invoice.' },
    ),
    windowStart: Type.String({ description: 'The beginning of the month (UTC), ISO 8601.' }),
  }),
);

export const UsageByFeedAnswer = data(
  Type.Object({
    byFeed: Type.Array(
      Type.Object({
        feedId: Type.String({ description: 'Id of the feed.' }),
        deliveryCount: Type.Integer({ description: 'Attempts of this feed in all modes.' }),
        streamedCount: Type.Integer({ description: 'Updates of this feed that streams have sent.' }),
        byDay: Type.Array(
          Type.Object({
            date: Type.String({ description: 'The day (UTC), such as 2026-11-23.' }),
            deliveryCount: Type.Integer({ description: 'Attempts of this feed that began on this day.' }),
            streamedCount: Type.Integer({ description: 'Updates of this feed that streams have sent on this day.' }),
          }),
          {
            description:
              'One entry for each day on which anything of this feed was sent, in order. They add up to the counts of ' +
              'the feed, without what the service counted before its version counted days.',
          },
        ),
      }),
      { description: 'One entry for each feed of which anything was sent.' },
    ),
    windowStart: Type.String({ description: 'The beginning of the month (UTC), ISO 8601.' }),
  }),
);

export const UsageLatencyAnswer = data(
  Type.Object({
    byFeed: Type.Array(
      Type.Object({
        feedId: Type.String({ description: 'Id of the feed.' }),
        p50: Type.Number({
          description:
            'Median time in milliseconds from when an update was due to its acknowledgement (2xx), including ' +
            'retries. Accurate to within relativeError between 0.1 ms and 200 s.',
        }),
        p95: Type.Number({ description: 'As p50: 95 % took no longer.' }),
        p99: Type.Number({ description: 'As p50: 99 % took no longer.' }),
        sampleCount: Type.Integer({ description: 'Updates delivered.' }),
      }),
      { description: 'One entry for each feed with deliveries.' },
    ),
    relativeError: Type.Number({ description: 'Largest relative error of p50, p95 and p99.' }),
    windowStart: Type.String({ description: 'The beginning of the month (UTC), ISO 8601.' }),
  }),
);

export const SlaQuery = Type.Object({
  month: Type.Optional(
    Type.String({
      pattern: MONTH,
      description: 'A calendar month (UTC), such as 2026-11. The current one if left out.',
    }),
  ),
});

const excluded = (description: string) => Type.Integer({ description });

export const SlaAnswer = data(
  Type.Object({
    month: Type.String({ description: 'The calendar month (UTC), such as 2026-11.' }),
    due: Type.Integer({
      description:
        'Updates of live sessions that matched an endpoint, once for each endpoint. The sum of onTime, late and ' +
        'everything in excluded.',
    }),
    onTime: Type.Integer({ description: 'Their first attempt began within withinMs of their publication.' }),
    late: Type.Integer({ description: 'Their first attempt began later than that, or never, by our own doing.' }),
    excluded: Type.Object(
      {
        receiver_busy: excluded(
          'They waited because every attempt that the endpoint may have under way at once was unanswered.',
        ),
        paused: excluded('The endpoint was paused.'),
        deleted: excluded('The endpoint was deleted.'),
        filtered: excluded('The filters had changed before the attempt, and no longer matched.'),
        monthly_limit: excluded('The account had used its deliveries of the month.'),
        replay_only: excluded("The URL is on the service's own machine."),
      },
      { description: 'Updates that do not count, by reason.' },
    ),
    percentage: nullable(
      Type.Number({
        description: 'onTime of onTime + late, with four decimals, rounded down. Null if neither has any.',
      }),
    ),
    target: Type.Number({ description: 'The percentage that the plan promises.' }),
    met: nullable(Type.Boolean({ description: 'Whether percentage is at least target. Null without a percentage.' })),
    withinMs: Type.Integer({ description: 'Within how many milliseconds a first attempt is on time.' }),
    sessions: Type.Integer({ description: 'Live sessions of which any update was due.' }),
    sourceGapMinutes: Type.Number({
      description: 'For how long the sources of those sessions were silent, in gaps of more than a minute.',
    }),
    downtimeMinutes: Type.Number({
      description: 'For how long this service took nothing of those sessions because it was down.',
    }),
    windowStart: Type.String({ description: 'The beginning of the month (UTC), ISO 8601.' }),
  }),
);
