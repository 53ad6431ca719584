// Deliveries of the current calendar month (UTC).

import Type from 'typebox';
import { nullable } from './nullable.ts';
import { data } from './page.ts';

export const UsageAnswer = data(
  Type.Object({
    deliveryCount: Type.Integer({ description: 'Attempts, of every mode.' }),
    successCount: Type.Integer(),
    failureCount: Type.Integer(),
    skippedCount: Type.Integer({ description: 'Updates not delivered on purpose.' }),
    includedDeliveries: nullable(
      Type.Integer({ description: 'Attempts that the plan includes each month; null when they are not limited.' }),
    ),
    deliveryLimit: nullable(
      Type.Integer({
        description:
          'Attempts that this month may have in all, with those that the spend cap pays for; further updates are skipped. Null when they are not limited.',
      }),
    ),
    overageCount: Type.Integer({ description: 'Attempts that are billed on top of the plan.' }),
    overageCost: Type.Number({ description: 'What they cost so far, in US dollars.' }),
    windowStart: Type.String(),
  }),
);

export const UsageByFeedAnswer = data(
  Type.Object({
    byFeed: Type.Array(Type.Object({ feedId: Type.String(), deliveryCount: Type.Integer() })),
    windowStart: Type.String(),
  }),
);

export const UsageLatencyAnswer = data(
  Type.Object({
    byFeed: Type.Array(
      Type.Object({
        feedId: Type.String(),
        p50: Type.Number({
          description:
            'Milliseconds from when an update was due to its acknowledgement (2xx), retries included: half of the deliveries took no longer. Off by at most relativeError, between 0.1 ms and 200 s.',
        }),
        p95: Type.Number(),
        p99: Type.Number(),
        sampleCount: Type.Integer({ description: 'Updates delivered.' }),
      }),
    ),
    relativeError: Type.Number({ description: 'How far p50, p95 and p99 may be off, as a part of them.' }),
    windowStart: Type.String(),
  }),
);
