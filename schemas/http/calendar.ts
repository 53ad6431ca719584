// The race calendar.

import Type from 'typebox';
import { choice } from './choice.ts';
import { data } from './page.ts';

export const CalendarQuery = Type.Object({
  season: Type.Optional(Type.Integer({ minimum: 1950, maximum: 2999, description: 'The current one unless given.' })),
});

export const CalendarAnswer = data(
  Type.Object({
    events: Type.Array(
      Type.Object({
        eventId: Type.String({ description: 'Also the race id of fantasy scores.' }),
        name: Type.String(),
        circuitName: Type.String(),
        round: Type.Integer(),
        sessions: Type.Array(
          Type.Object({
            sessionId: Type.String(),
            type: choice(['Practice', 'Qualifying', 'Sprint Qualifying', 'Sprint', 'Race']),
            startDate: Type.String({ description: 'The planned start.' }),
            status: choice(
              ['upcoming', 'live', 'finished', 'cancelled'],
              'Cancelled: a newer calendar no longer has it. It can come back, and a session that has moved keeps its id.',
            ),
          }),
        ),
      }),
    ),
  }),
);
