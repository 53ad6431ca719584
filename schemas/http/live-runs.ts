// Live runs: the live delivery of a session to the endpoints of one account.

import Type from 'typebox';
import { choice } from './choice.ts';
import { nullable } from './nullable.ts';
import { data, PAGE_PLACE, pageQuery } from './page.ts';
import { sessionFilter } from './session-filter.ts';

export const LiveRunQuery = Type.Object({
  ...pageQuery(100).properties,
  session: sessionFilter('Runs of this session only.'),
});

const COUNTS = {
  matched: Type.Integer({ description: 'Updates that matched a subscription so far.' }),
  delivered: Type.Integer({ description: 'Updates that were answered with a 2xx.' }),
  failed: Type.Integer({ description: 'After four attempts.' }),
  pending: Type.Integer({ description: 'Updates that wait for their first attempt, or for the next one.' }),
};
const LAG = 'From when an update was received to the start of its first attempt, for the last one that was started.';

const LiveRun = Type.Object(
  {
    runId: Type.String({ description: 'Id of the run.' }),
    sessionId: Type.String({ description: 'Id of the session.' }),
    state: choice(
      ['running', 'stopping', 'stopped', 'completed'],
      'completed: all its updates have been delivered, have failed or were skipped.',
    ),
    startedAt: Type.String({ description: 'When the run started, ISO 8601.' }),
    endedAt: nullable(Type.String({ description: 'When the run ended, ISO 8601; null while it runs.' })),
    ...COUNTS,
    skipped: Type.Integer({ description: 'Of all endpoints together, as the other counts here.' }),
    lagMs: Type.Integer({ description: `The largest of its endpoints.` }),
    endpoints: Type.Array(
      Type.Object({
        webhookId: Type.String({ description: 'Id of the endpoint.' }),
        ...COUNTS,
        skipped: Type.Unsafe<Readonly<Record<string, number>>>({
          type: 'object',
          additionalProperties: { type: 'integer' },
          description: 'Updates skipped on purpose, by reason.',
        }),
        lagMs: Type.Integer({ description: LAG }),
      }),
      { description: 'The endpoints that take part: 10,000 on a page at most, as many of each run.' },
    ),
  },
  { title: 'LiveRun' },
);

export const LiveRunList = data(
  Type.Object({
    runs: Type.Array(LiveRun, { description: 'The runs of this page, the latest first.' }),
    ...PAGE_PLACE,
  }),
);
