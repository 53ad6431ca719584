// Deliveries of the current calendar month (UTC).

import Type from 'typebox';
import { data } from './page.ts';

export const UsageAnswer = data(
  Type.Object({
    deliveryCount: Type.Integer({ description: 'Attempts, of every mode.' }),
    successCount: Type.Integer(),
    failureCount: Type.Integer(),
    skippedCount: Type.Integer({ description: 'Updates not delivered on purpose.' }),
    windowStart: Type.String(),
  }),
);

export const UsageByFeedAnswer = data(
  Type.Object({
    byFeed: Type.Array(Type.Object({ feedId: Type.String(), deliveryCount: Type.Integer() })),
    windowStart: Type.String(),
  }),
);
