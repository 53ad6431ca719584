// The states of a session's feeds.

import Type from 'typebox';
import { data } from './page.ts';

export const StateQuery = Type.Object({
  sequence: Type.Optional(
    Type.Integer({ minimum: 1, description: 'The update after which the states are shown. Default: the latest.' }),
  ),
  feed: Type.Optional(Type.String({ description: 'One feed. Default: all feeds of the plan.' })),
  feeds: Type.Optional(
    Type.String({ description: 'Several feeds, joined by commas; `*` and groups such as `tire.*` are allowed.' }),
  ),
});

export const StateAnswer = data(
  Type.Object({
    sessionId: Type.String({ description: 'Id of the session.' }),
    seriesId: Type.String({ description: 'The series, such as `f1`.' }),
    live: Type.Boolean({ description: 'Whether the session is live, so that more updates may follow.' }),
    sequence: Type.Integer({ description: 'The last update in the states; 0 before the first one.' }),
    updateCount: Type.Integer({ description: 'Number of updates of the session, so far if it is live.' }),
    states: Type.Array(
      Type.Object(
        {
          feed: Type.String({ description: 'Id of the feed.' }),
          seriesId: Type.String({ description: 'The series, such as `f1`.' }),
          sessionId: Type.String({ description: 'Id of the session.' }),
          sequence: Type.Integer({ description: 'The last update of this feed.' }),
          utc: Type.String({ description: 'When the timing source sent that: ISO 8601 in UTC, with milliseconds.' }),
        },
        {
          title: 'FeedState',
          description: 'A payload of the feed with everything that its updates so far leave behind.',
          additionalProperties: true,
        },
      ),
      { description: 'One for each feed that has an update so far, in the order of the catalogue.' },
    ),
  }),
);
