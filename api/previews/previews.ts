// Previews of sessions: what the models expect, beside when the session is and how far it has come. Only what the history
// knows is previewed; the calendar adds starts and states, and says which sessions are to come.

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

/** In full; a view of it may leave parts out. */
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
  /** The current season: a year. */
  readonly season: () => number;
  /** How far a session is that is followed live; null for others. */
  readonly phaseOf: (sessionId: string) => SessionPhase | null;
}

const IMPORT_HISTORY = 'an operator imports it with "npm run admin -- import history f1db-csv.zip"';
const IMPORT_CALENDAR = 'an operator imports it with "npm run admin -- import calendar PATH"';
const LISTED = 'GET /v1/preview/upcoming lists previews of sessions to come.';
const HELD = 'This session is over: the preview is as of before it, and nothing of the races of its weekend is in it.';

export class Previews {
  readonly #parts: PreviewsParts;

  constructor(parts: PreviewsParts) {
    this.#parts = parts;
  }

  /** Of the races and sprints of the current season that have not begun, soonest first. */
  async upcoming(): Promise<UpcomingPreviews> {
    const { calendar, history, season } = this.#parts;
    const [events, release] = await Promise.all([calendar.events(season()), history.digest()]);
    if (release === null) return { previews: [], message: `There is no history to preview from: ${IMPORT_HISTORY}.` };
    if (events.length === 0)
      return { previews: [], message: `There is no calendar of ${season()}: ${IMPORT_CALENDAR}.` };
    const toCome = this.#scoringSessionsToCome(events);
    if (toCome.length === 0) return { previews: [], message: `All races of ${season()} have begun.` };
    const found = await Promise.all(
      toCome.map(({ sessionId }) => this.#preview(sessionId, previewedSession(sessionId)!, release, events)),
    );
    const previews = found.filter((preview) => preview !== null);
    const unknown = toCome.filter((_, place) => found[place] === null).map(({ sessionId }) => sessionId);
    const message = `The history does not know ${unknown.join(', ')}: a newer release does, and ${IMPORT_HISTORY}.`;
    return { previews, message: unknown.length === 0 ? null : message };
  }

  /** Refuses with `not_available` what has no preview. */
  async of(sessionId: string): Promise<SessionPreview> {
    const session = previewedSession(sessionId);
    if (session === null)
      throw new ApiError(
        'not_available',
        `Only races, sprints and their qualifying sessions have previews, called like 2026-monaco-race, -sprint, -qualifying or -sprint-qualifying: ${LISTED}`,
      );
    const { calendar, history } = this.#parts;
    const [events, release] = await Promise.all([calendar.events(session.season), history.digest()]);
    if (release === null)
      throw new ApiError('not_available', `There is no history to preview from: ${IMPORT_HISTORY}. ${LISTED}`);
    const preview = await this.#preview(sessionId, session, release, events);
    if (preview === null) throw new ApiError('not_available', `The history does not know this session. ${LISTED}`);
    return preview;
  }

  #scoringSessionsToCome(events: readonly PlannedEvent[]): readonly PlannedSession[] {
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
  return `The history lacks the results of ${count} before this one, which are played as if to come: ${IMPORT_HISTORY}.`;
}
