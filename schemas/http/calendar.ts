// The race calendar.

import Type from 'typebox';
import { choice } from './choice.ts';
import { data } from './page.ts';

export const CalendarQuery = Type.Object({
  season: Type.Optional(Type.Integer({ minimum: 1950, maximum: 2999, description: 'Default: the current season.' })),
});

export const CalendarAnswer = data(
  Type.Object({
    events: Type.Array(
      Type.Object({
        eventId: Type.String({ description: 'Also the raceId of fantasy scores.' }),
        name: Type.String({ description: 'Name of the event.' }),
        circuitName: Type.String({ description: 'Name of the circuit.' }),
        round: Type.Integer({ description: 'Its place in the season, from 1.' }),
        sessions: Type.Array(
          Type.Object({
            sessionId: Type.String({ description: 'Id of the session.' }),
            type: choice(
              ['Practice', 'Qualifying', 'Sprint Qualifying', 'Sprint', 'Race'],
              'What kind of session it is.',
            ),
            startDate: Type.String({ description: 'Scheduled start.' }),
            status: choice(
              ['upcoming', 'live', 'finished', 'cancelled'],
              'cancelled: missing from the latest calendar. It may return. A rescheduled session keeps its id.',
            ),
          }),
          { description: 'The sessions of the event, by date.' },
        ),
      }),
      { description: 'The events of the season, by date.' },
    ),
  }),
);
