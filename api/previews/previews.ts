// Session previews: the models' forecast with the start and status of the session. Only sessions in the race history
// have previews. The calendar adds starts and statuses, and says which sessions are upcoming.

import type { Static } from 'typebox';
import type { CalendarStore, PlannedEvent, PlannedSession } from '#api/calendar/calendar-store.ts';
import { type SessionStatus, sessionStatus } from '#api/calendar/session-status.ts';
import { ApiError } from '#api/http/api-error.ts';
import type { Clock } from '#engine/base/clock.ts';
import { PREVIEWS_UPCOMING_MAX } from '#engine/base/limits.ts';
import type { SessionPhase } from '#engine/racing/session/session-phase.ts';
import type { HistoryStore } from '#engine/seasons/history/history-store.ts';
import type { Preview, PreviewList } from '#schemas/http/previews.ts';
import type { Forecasts } from './forecasts.ts';
import type { Grids } from './grids.ts';
import { type PreviewedSession, previewedSession, raceOf, setsGrid } from './previewed-session.ts';
import type { WeekendPreview } from './weekend-preview.ts';

/** A full preview. A plan's view may leave parts out. */
export type SessionPreview = Omit<Static<typeof Preview>, 'view'>;
export type UpcomingPreviews = Omit<Static<typeof PreviewList>['data'], 'previews'> & {
  readonly previews: readonly SessionPreview[];
};

export interface PreviewsParts {
  readonly calendar: Pick<CalendarStore, 'events'>;
  readonly history: Pick<HistoryStore, 'digest'>;
  readonly forecasts: Forecasts;
  readonly grids: Grids;
  readonly clock: Clock;
  /** The current season, a year. */
  readonly season: () => number;
  /** The phase of a session that the service follows live; null for others. */
  readonly phaseOf: (sessionId: string) => SessionPhase | null;
}

const NO_HISTORY = 'Previews need the race history, which this service does not have yet.';
const LISTED = 'GET /v1/preview/upcoming lists the previews of upcoming sessions.';
const HELD = 'This session is over: the preview dates from before it and does not use its result.';

export class Previews {
  readonly #parts: PreviewsParts;

  constructor(parts: PreviewsParts) {
    this.#parts = parts;
  }

  /** Previews of the races and sprints of the current season that have not started, soonest first. */
  async upcoming(): Promise<UpcomingPreviews> {
    const { calendar, history, season } = this.#parts;
    const [events, release] = await Promise.all([calendar.events(season()), history.digest()]);
    if (release === null) return { previews: [], message: NO_HISTORY };
    if (events.length === 0)
      return { previews: [], message: `This service does not have the calendar of ${season()} yet.` };
    const ahead = this.#upcomingScoringSessions(events);
    if (ahead.length === 0) return { previews: [], message: `All races of ${season()} have started.` };
    const found = await Promise.all(
      ahead.map(({ sessionId }) => this.#preview(sessionId, previewedSession(sessionId)!, release, events)),
    );
    const previews = found.filter((preview) => preview !== null);
    const unknown = ahead.filter((_, place) => found[place] === null).map(({ sessionId }) => sessionId);
    const message = `The race history of this service lacks ${unknown.join(', ')} yet.`;
    return { previews, message: unknown.length === 0 ? null : message };
  }

  /** Rejects with `not_available` if the session has no preview. */
  async of(sessionId: string): Promise<SessionPreview> {
    const session = previewedSession(sessionId);
    if (session === null)
      throw new ApiError(
        'not_available',
        `Only races, sprints and their qualifying sessions have previews; ids end like 2026-monaco-race, -sprint, -qualifying or -sprint-qualifying. ${LISTED}`,
      );
    const { calendar, history } = this.#parts;
    const [events, release] = await Promise.all([calendar.events(session.season), history.digest()]);
    if (release === null) throw new ApiError('not_available', `${NO_HISTORY} ${LISTED}`);
    const preview = await this.#preview(sessionId, session, release, events);
    if (preview === null) throw new ApiError('not_available', `The race history does not have this session. ${LISTED}`);
    return preview;
  }

  #upcomingScoringSessions(events: readonly PlannedEvent[]): readonly PlannedSession[] {
    return events
      .flatMap(({ sessions }) => sessions)
      .filter((session) => ['Race', 'Sprint'].includes(session.type) && this.#statusOf(session) === 'upcoming')
      .sort((a, b) => a.startUtcMs - b.startUtcMs)
      .slice(0, PREVIEWS_UPCOMING_MAX);
  }

  async #preview(
    sessionId: string,
    session: PreviewedSession,
    release: string,
    events: readonly PlannedEvent[],
  ): Promise<SessionPreview | null> {
    const { type } = session;
    const found = await this.#forecast(session, release);
    if (found === null) return null;
    const { parts, weekend } = found;
    const held = setsGrid(type) ? weekend.qualifyingHeld : weekend.raceHeld;
    const planned = events.flatMap(({ sessions }) => sessions).find((session) => session.sessionId === sessionId);
    const startUtcMs = planned?.startUtcMs ?? (type === 'Race' ? weekend.startUtcMs : null);
    const status = planned === undefined ? null : this.#statusOf(planned);
    return {
      sessionId,
      type,
      startDate: startUtcMs === null ? null : new Date(startUtcMs).toISOString(),
      status: held ? 'finished' : status,
      message: held || status === 'finished' ? HELD : missing(weekend.roundsMissing),
      ...parts,
    };
  }

  async #forecast({ eventId, type }: PreviewedSession, release: string): Promise<WeekendPreview | null> {
    const { forecasts, grids } = this.#parts;
    const question = { release, eventId, race: raceOf(type) };
    if (setsGrid(type)) return forecasts.of({ ...question, grid: [] });
    const byHistory = await forecasts.of({ ...question, grid: null });
    if (byHistory === null || byHistory.parts.generatedFrom.gridKnown) return byHistory;
    const grid = await grids.of(eventId, question.race);
    return grid === null ? byHistory : forecasts.of({ ...question, grid });
  }

  #statusOf(session: PlannedSession): SessionStatus {
    const { clock, phaseOf } = this.#parts;
    return sessionStatus(session, clock.wallMs(), phaseOf(session.sessionId));
  }
}

function missing(rounds: number): string | null {
  if (rounds === 0) return null;
  const count = rounds === 1 ? 'one round' : `${rounds} rounds`;
  return `The race history lacks the results of ${count} before this one; they are simulated like future races.`;
}
