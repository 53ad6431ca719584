// Decides what happens to sessions that a newer calendar of their season no longer has. Customers who saw a session
// must see that it is cancelled, but only if the newer calendar really means that. A missing session can have other
// causes.
//
// Y1 If the calendar still has the event, a missing session is cancelled, unless it was over or Y3 to Y5 apply.
// Y2 If the whole event is missing, its sessions are cancelled. Those that were over are cancelled only if the calendar
//    is complete: it has every race that took place, so this one was called off at short notice.
// Y3 A missing session is removed, as renamed or replaced, if a new session takes its place: one of the same type and
//    start elsewhere (one such session means that the whole event was renamed), or one in the same event that overlaps
//    it in time.
// Y4 Some calendars decide nothing, and the session stays: an incomplete calendar for times before its first or after
//    its last session, an event without any times for its sessions, and a nameless session for all sessions of its day.
// Y5 A session that is listed with a day but no time stays as it was. If that day is another one that is not over, the
//    session has moved to a time not yet known and is removed. If its event has no times at all, its other sessions are
//    removed too.
// Y6 A cancelled session stays cancelled until a calendar lists it again. If that one gives only a day, it is removed.

import type { SessionType } from '#engine/racing/session-slug.ts';
import {
  type CalendarEvent,
  type CalendarSession,
  dayOf,
  type SeasonCalendar,
  type VagueSession,
} from './season-calendar.ts';

/** A session of the calendar so far. */
export interface KnownSession {
  readonly sessionId: string;
  readonly eventId: string;
  readonly seriesId: string;
  readonly season: number;
  readonly type: SessionType;
  /** Unix epoch milliseconds. */
  readonly startUtcMs: number;
  readonly endUtcMs: number;
  readonly cancelled: boolean;
}

/** Session ids. Missing sessions in neither list stay as they were. */
export interface SeasonRevision {
  /** Kept, but cancelled from now on. */
  readonly cancelled: readonly string[];
  readonly removed: readonly string[];
}

/** `known` holds the sessions so far of the seasons in `calendar`. The caller vouches that `calendar` is newer. */
export function reviseSeasons(known: readonly KnownSession[], calendar: SeasonCalendar, nowMs: number): SeasonRevision {
  const newer = new NewerCalendar(calendar, known, nowMs);
  const cancelled: string[] = [];
  const removed: string[] = [];
  for (const session of newer.gone) {
    const fate = newer.fateOf(session);
    if (fate === 'cancelled') cancelled.push(session.sessionId);
    else if (fate === 'removed') removed.push(session.sessionId);
  }
  return { cancelled, removed };
}

type Fate = 'stays' | 'cancelled' | 'removed';

/** From the first session start of a season to the last. */
interface Span {
  readonly fromUtcMs: number;
  readonly toUtcMs: number;
}

class NewerCalendar {
  /** Known sessions that the newer calendar lacks. */
  readonly gone: readonly KnownSession[];
  readonly #complete: boolean;
  readonly #nowMs: number;
  readonly #events = new Map<string, CalendarEvent>();
  readonly #spans = new Map<string, Span>();
  /** New sessions by event. */
  readonly #fresh = new Map<string, readonly CalendarSession[]>();
  readonly #renamedEvents: ReadonlySet<string>;
  readonly #postponedEvents: ReadonlySet<string>;

  constructor({ events, complete }: SeasonCalendar, known: readonly KnownSession[], nowMs: number) {
    this.#complete = complete;
    this.#nowMs = nowMs;
    const knownIds = new Set(known.map(({ sessionId }) => sessionId));
    const givenIds = new Set<string>();
    const freshSlots = new Set<string>();
    for (const event of events) {
      const fresh = event.sessions.filter(({ sessionId }) => !knownIds.has(sessionId));
      this.#events.set(event.eventId, event);
      this.#fresh.set(event.eventId, fresh);
      for (const session of fresh) freshSlots.add(slotOf(event, session));
      for (const { sessionId, startUtcMs } of event.sessions) {
        givenIds.add(sessionId);
        this.#extendSpan(event, startUtcMs);
      }
    }
    this.gone = known.filter(({ sessionId }) => !givenIds.has(sessionId));
    this.#renamedEvents = eventsOf(
      this.gone.filter((session) => !this.#events.has(session.eventId) && freshSlots.has(slotOf(session, session))),
    );
    this.#postponedEvents = eventsOf(this.gone.filter((session) => this.#isPostponed(session)));
  }

  fateOf(session: KnownSession): Fate {
    const { eventId, cancelled, endUtcMs } = session;
    if (this.#isPostponed(session)) return 'removed';
    if (cancelled || this.#untimed(session) !== undefined) return 'stays';
    const over = this.#nowMs >= endUtcMs;
    const event = this.#events.get(eventId);
    if (event === undefined) {
      if (this.#renamedEvents.has(eventId)) return 'removed';
      if (over) return this.#complete ? 'cancelled' : 'stays';
      return this.#covers(session) ? 'cancelled' : 'stays';
    }
    if (event.sessions.length === 0) return this.#postponedEvents.has(eventId) ? 'removed' : 'stays';
    if (this.#isReplaced(session)) return 'removed';
    return over || isPerhapsNameless(session, event) || !this.#covers(session) ? 'stays' : 'cancelled';
  }

  #extendSpan(event: CalendarEvent, startUtcMs: number): void {
    const season = seasonOf(event);
    const { fromUtcMs, toUtcMs } = this.#spans.get(season) ?? { fromUtcMs: startUtcMs, toUtcMs: startUtcMs };
    this.#spans.set(season, {
      fromUtcMs: Math.min(fromUtcMs, startUtcMs),
      toUtcMs: Math.max(toUtcMs, startUtcMs),
    });
  }

  #covers(session: KnownSession): boolean {
    if (this.#complete) return true;
    const span = this.#spans.get(seasonOf(session));
    return span !== undefined && session.startUtcMs >= span.fromUtcMs && session.startUtcMs <= span.toUtcMs;
  }

  #isReplaced({ eventId, startUtcMs, endUtcMs }: KnownSession): boolean {
    const fresh = this.#fresh.get(eventId) ?? [];
    return fresh.some((other) => other.startUtcMs < endUtcMs && startUtcMs < other.endUtcMs);
  }

  #untimed({ eventId, sessionId }: KnownSession): VagueSession | undefined {
    return this.#events.get(eventId)?.vague.find((vague) => vague.sessionId === sessionId);
  }

  #isPostponed(session: KnownSession): boolean {
    const untimed = this.#untimed(session);
    if (untimed === undefined) return false;
    return session.cancelled || (untimed.day !== dayOf(session.startUtcMs) && untimed.day >= dayOf(this.#nowMs));
  }
}

function isPerhapsNameless({ startUtcMs }: KnownSession, { vague }: CalendarEvent): boolean {
  const day = dayOf(startUtcMs);
  return vague.some((one) => one.sessionId === null && one.day === day);
}

function eventsOf(sessions: readonly KnownSession[]): ReadonlySet<string> {
  return new Set(sessions.map(({ eventId }) => eventId));
}

type InSeason = Pick<CalendarEvent, 'seriesId' | 'season'>;

/** Each series has seasons of its own. */
export function seasonOf({ seriesId, season }: InSeason): string {
  return `${seriesId} ${season}`;
}

/** Identifies a session by its start: no two sessions of one type start at the same time. */
function slotOf(of: InSeason, { type, startUtcMs }: Pick<CalendarSession, 'type' | 'startUtcMs'>): string {
  return `${seasonOf(of)} ${type} ${startUtcMs}`;
}
