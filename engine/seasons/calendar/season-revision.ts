// What becomes of the sessions that a newer calendar of their season no longer has. Whoever was told of a session is told
// that it is cancelled; but only where the newer calendar really says so, for its silence can mean other things.
//
// Y1 A session of an event that the calendar still has is cancelled, unless it was over or (Y3 to Y5) something else is meant.
// Y2 A session whose whole event is gone is cancelled. One that was over only counts as that when the calendar is complete:
//    it has every race that was held, so that this one was not, and it has been called off shortly before.
// Y3 A session in whose place another has come, which was not known before, has been renamed or replaced: with the same
//    type and start (an event renamed in one session is renamed as a whole), or at the same time in the same event.
// Y4 A calendar that is not complete says nothing of what is before its first session or after its last, one without any
//    time nothing of an event's sessions, and a session without a name may be any of its day.
// Y5 A session of which only the day is told stays as it was, unless that is another day that is still to come: then it has
//    moved to a time that nobody knows yet, and is removed, with the rest of an event of which no time is known any more.
// Y6 What is cancelled remains so until a calendar has it again.

import type { SessionType } from '#engine/racing/session-slug.ts';
import {
  type CalendarEvent,
  type CalendarSession,
  dayOf,
  type SeasonCalendar,
  type VagueSession,
} from './season-calendar.ts';

/** A session that the calendar had so far. */
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

/** By their ids. Sessions in neither that the newer calendar does not have stay as they were. */
export interface SeasonRevision {
  /** Kept, and cancelled from now on. */
  readonly cancelled: readonly string[];
  readonly removed: readonly string[];
}

/** `known` are the sessions so far, of the seasons of `calendar`; it is taken to be newer. */
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

/** From the first start of a season's sessions to the last one. */
interface Reach {
  readonly fromUtcMs: number;
  readonly toUtcMs: number;
}

class NewerCalendar {
  /** Sessions that it does not have. */
  readonly gone: readonly KnownSession[];
  readonly #complete: boolean;
  readonly #nowMs: number;
  readonly #events = new Map<string, CalendarEvent>();
  readonly #reaches = new Map<string, Reach>();
  /** Sessions that were not known before, by event. */
  readonly #fresh = new Map<string, readonly CalendarSession[]>();
  readonly #renamedEvents: ReadonlySet<string>;
  readonly #putOffEvents: ReadonlySet<string>;

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
        this.#reach(event, startUtcMs);
      }
    }
    this.gone = known.filter(({ sessionId }) => !givenIds.has(sessionId));
    this.#renamedEvents = eventsOf(
      this.gone.filter((session) => !this.#events.has(session.eventId) && freshSlots.has(slotOf(session, session))),
    );
    this.#putOffEvents = eventsOf(this.gone.filter((session) => this.#isPutOff(session)));
  }

  fateOf(session: KnownSession): Fate {
    const { eventId, cancelled, endUtcMs } = session;
    if (this.#isPutOff(session)) return 'removed';
    if (cancelled || this.#untimed(session) !== undefined) return 'stays';
    const over = this.#nowMs >= endUtcMs;
    const event = this.#events.get(eventId);
    if (event === undefined) {
      if (this.#renamedEvents.has(eventId)) return 'removed';
      if (over) return this.#complete ? 'cancelled' : 'stays';
      return this.#speaksOf(session) ? 'cancelled' : 'stays';
    }
    if (event.sessions.length === 0) return this.#putOffEvents.has(eventId) ? 'removed' : 'stays';
    if (this.#isReplaced(session)) return 'removed';
    return over || isPerhapsNameless(session, event) || !this.#speaksOf(session) ? 'stays' : 'cancelled';
  }

  #reach(event: CalendarEvent, startUtcMs: number): void {
    const season = seasonOf(event);
    const { fromUtcMs, toUtcMs } = this.#reaches.get(season) ?? { fromUtcMs: startUtcMs, toUtcMs: startUtcMs };
    this.#reaches.set(season, {
      fromUtcMs: Math.min(fromUtcMs, startUtcMs),
      toUtcMs: Math.max(toUtcMs, startUtcMs),
    });
  }

  #speaksOf(session: KnownSession): boolean {
    if (this.#complete) return true;
    const reach = this.#reaches.get(seasonOf(session));
    return reach !== undefined && session.startUtcMs >= reach.fromUtcMs && session.startUtcMs <= reach.toUtcMs;
  }

  #isReplaced({ eventId, startUtcMs, endUtcMs }: KnownSession): boolean {
    const fresh = this.#fresh.get(eventId) ?? [];
    return fresh.some((other) => other.startUtcMs < endUtcMs && startUtcMs < other.endUtcMs);
  }

  #untimed({ eventId, sessionId }: KnownSession): VagueSession | undefined {
    return this.#events.get(eventId)?.vague.find((vague) => vague.sessionId === sessionId);
  }

  #isPutOff(session: KnownSession): boolean {
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

/** No two sessions of one type begin at the same moment of a season. */
function slotOf(of: InSeason, { type, startUtcMs }: Pick<CalendarSession, 'type' | 'startUtcMs'>): string {
  return `${seasonOf(of)} ${type} ${startUtcMs}`;
}
