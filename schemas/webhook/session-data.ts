// session.data: the session's log. When each lap or part of qualifying started, and when the session or track status
// changed.

import Type from 'typebox';
import { Payload } from './envelope.ts';
import { Nullable } from './nullable.ts';

const CLOSED = { additionalProperties: false };

const INDEX = Type.Integer({
  description: 'Number of the entry in its list, from 0. A correction repeats the number.',
});
const UTC = Nullable(Type.String({ description: 'When it happened: ISO 8601 in UTC.' }));

const SeriesEntry = Type.Object(
  {
    index: INDEX,
    utc: UTC,
    lap: Type.Optional(Type.Integer({ description: 'The lap that the leader started.' })),
    qualifyingPart: Type.Optional(
      Type.Integer({ description: 'The part of qualifying that is next or under way; 0 before the first.' }),
    ),
  },
  CLOSED,
);

const StatusEntry = Type.Object(
  {
    index: INDEX,
    utc: UTC,
    trackStatus: Type.Optional(
      Type.String({
        description:
          'clear, yellow, safety_car, red, virtual_safety_car, virtual_safety_car_ending; unknown for any other text.',
      }),
    ),
    sessionStatus: Type.Optional(
      Type.String({ description: 'inactive, started, aborted, finished, finalised or ends.' }),
    ),
  },
  CLOSED,
);

export const SessionLogData = Type.Object(
  {
    series: Type.Array(SeriesEntry, { description: 'New and corrected laps or parts of qualifying.' }),
    statusSeries: Type.Array(StatusEntry, { description: 'New and corrected status changes.' }),
  },
  CLOSED,
);

export type SessionSeriesEntry = Type.Static<typeof SeriesEntry>;
export type SessionStatusEntry = Type.Static<typeof StatusEntry>;
export type SessionLogData = Type.Static<typeof SessionLogData>;

export const SessionDataPayload = Payload(
  'session.data',
  'When laps and parts of qualifying started, and when a status changed.',
  {
    data: SessionLogData,
  },
);
