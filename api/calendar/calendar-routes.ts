// GET /v1/events: the race calendar of a season, with the status of each session.

import { bearerOperation, type Operation, reply } from '#api/http/operation.ts';
import type { Clock } from '#engine/base/clock.ts';
import type { SessionPhase } from '#engine/racing/session/session-phase.ts';
import { CalendarAnswer, CalendarQuery } from '#schemas/http/calendar.ts';
import type { CalendarStore } from './calendar-store.ts';
import { sessionStatus } from './session-status.ts';

export interface CalendarParts {
  readonly store: CalendarStore;
  readonly clock: Clock;
  /** The current season, a year. */
  readonly season: () => number;
  /** The phase of a session that the service follows live; null for others. */
  readonly phaseOf: (sessionId: string) => SessionPhase | null;
}

export function calendarRoutes({ store, clock, season, phaseOf }: CalendarParts): { readonly list: Operation } {
  return {
    list: bearerOperation(
      { summary: 'Read the race calendar', query: CalendarQuery, answer: CalendarAnswer },
      async ({ query }) => {
        const planned = await store.events(query.season ?? season());
        const nowMs = clock.wallMs();
        const events = planned.map((event) => ({
          ...event,
          sessions: event.sessions.map((session) => ({
            sessionId: session.sessionId,
            type: session.type,
            startDate: new Date(session.startUtcMs).toISOString(),
            status: sessionStatus(session, nowMs, phaseOf(session.sessionId)),
          })),
        }));
        return reply({ data: { events } });
      },
    ),
  };
}
