// Recorded sessions, their preparation for a replay, and the account's quota.

import Type from 'typebox';
import { choice } from './choice.ts';
import { data, PAGE_PLACE } from './page.ts';

export const SessionList = data(
  Type.Object({
    sessions: Type.Array(
      Type.Object(
        {
          sessionId: Type.String(),
          seriesId: Type.String(),
          name: Type.String(),
          type: Type.String(),
          circuitName: Type.String(),
          startDate: Type.String(),
          durationSeconds: Type.Number(),
          updateCount: Type.Integer(),
          demo: Type.Boolean(),
          season: Type.Integer(),
          unlocked: Type.Boolean({ description: 'True if a replay uses none of the simulate quota.' }),
          prepared: Type.Boolean(),
        },
        { title: 'Session' },
      ),
    ),
    ...PAGE_PLACE,
  }),
);

export const PrepareRequest = Type.Object({ sessionId: Type.String() }, { additionalProperties: false });

export const StatusQuery = Type.Object({ session: Type.String() });

export const PreparationAnswer = data(
  Type.Object({
    sessionId: Type.String(),
    status: choice(['none', 'preparing', 'ready', 'failed']),
    progress: Type.Number({ description: 'From 0 to 1.' }),
    updateCount: Type.Integer(),
  }),
);

/** Not wrapped in `data`. */
export const QuotaAnswer = Type.Object(
  {
    limit: Type.Integer({ description: '-1: unlimited.' }),
    used: Type.Integer(),
    remaining: Type.Integer({ description: '-1: unlimited.' }),
    unlocked: Type.Array(Type.String()),
    currentSeasonOnly: Type.Boolean(),
  },
  { title: 'SimulateQuota' },
);
