// Recorded sessions, their preparation for a replay, and the account's quota.

import Type from 'typebox';
import { choice } from './choice.ts';
import { data, PAGE_PLACE } from './page.ts';

export const SessionList = data(
  Type.Object({
    sessions: Type.Array(
      Type.Object(
        {
          sessionId: Type.String({ description: 'Id of the session.' }),
          seriesId: Type.String({ description: 'The series, such as `f1`.' }),
          name: Type.String({ description: 'Name of the event and the session.' }),
          type: Type.String({ description: 'What kind of session it is.' }),
          circuitName: Type.String({ description: 'Name of the circuit.' }),
          startDate: Type.String({ description: 'When it began, ISO 8601.' }),
          durationSeconds: Type.Number({ description: 'From its first update to its last one.' }),
          updateCount: Type.Integer({ description: 'Number of its updates.' }),
          demo: Type.Boolean({ description: 'Whether it is the demo session, which takes no slot.' }),
          season: Type.Integer({ description: 'The year of its season.' }),
          unlocked: Type.Boolean({ description: 'True if a replay uses none of the simulate quota.' }),
          prepared: Type.Boolean({ description: 'Whether a replay can start now.' }),
        },
        { title: 'Session' },
      ),
      { description: 'The sessions of this page.' },
    ),
    ...PAGE_PLACE,
  }),
);

export const PrepareRequest = Type.Object(
  { sessionId: Type.String({ description: 'Id of the session.' }) },
  { additionalProperties: false },
);

export const StatusQuery = Type.Object({ session: Type.String({ description: 'Id of the session.' }) });

export const PreparationAnswer = data(
  Type.Object({
    sessionId: Type.String({ description: 'Id of the session.' }),
    status: choice(
      ['none', 'preparing', 'ready', 'failed'],
      'A replay can start when it is ready. none: it was not asked for. failed: ask for it again.',
    ),
    progress: Type.Number({ description: 'From 0 to 1.' }),
    updateCount: Type.Integer({ description: 'Number of its updates.' }),
  }),
);

/** Not wrapped in `data`. */
export const QuotaAnswer = Type.Object(
  {
    limit: Type.Integer({ description: '-1: unlimited.' }),
    used: Type.Integer({ description: 'Different sessions that the account has replayed.' }),
    remaining: Type.Integer({ description: '-1: unlimited.' }),
    unlocked: Type.Array(Type.String(), { description: 'Ids of the sessions that take no further slot.' }),
    currentSeasonOnly: Type.Boolean({ description: 'Whether only sessions of the current season can be replayed.' }),
  },
  { title: 'SimulateQuota' },
);
