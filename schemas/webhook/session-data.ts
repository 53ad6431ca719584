// session.data: the session's log: when each lap or part of qualifying began, and when its status or the track's changed.

import Type from 'typebox';
import { Payload } from './envelope.ts';
import { Nullable } from './nullable.ts';

const CLOSED = { additionalProperties: false };

const INDEX = Type.Integer({
  description: 'Number of the entry in its list, from 0; the same again for a correction.',
});
const UTC = Nullable(Type.String({ description: 'When it happened: ISO 8601 in UTC.' }));

const SeriesEntry = Type.Object(
  {
    index: INDEX,
    utc: UTC,
    lap: Type.Optional(Type.Integer({ description: 'Lap that the leader began.' })),
    qualifyingPart: Type.Optional(
      Type.Integer({ description: 'Part of qualifying that is next or under way; 0 before.' }),
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
          'clear, yellow, safety_car, red, virtual_safety_car, virtual_safety_car_ending, or unknown for another text.',
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
    series: Type.Array(SeriesEntry, { description: 'Laps or parts of qualifying that are new or were corrected.' }),
    statusSeries: Type.Array(StatusEntry, { description: 'Changes of status that are new or were corrected.' }),
  },
  CLOSED,
);

export type SessionSeriesEntry = Type.Static<typeof SeriesEntry>;
export type SessionStatusEntry = Type.Static<typeof StatusEntry>;
export type SessionLogData = Type.Static<typeof SessionLogData>;

export const SessionDataPayload = Payload('session.data', 'When laps and parts began, and statuses changed.', {
  data: SessionLogData,
});
