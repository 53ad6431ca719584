// Reads the calendar of one season from `Index.json` of the live-timing archive: every meeting with its sessions, in
// local time with a UTC offset.
//
// Left out: pre-season tests, whose round numbers are not those of the championship; sessions without a name, which
// duplicate a named session; and anything that is not a session of a race weekend.
//
// An index is not a complete calendar. It grows with its season, and the 2024 index has lost its first rounds. A
// missing `Path` means nothing either: Practice 3 in Japan 2019 (cancelled by a typhoon) has none, and neither has
// Practice 1 in Imola 2021, which took place.

import { basename } from 'node:path';
import { integerOf, isContainer, type Json, type JsonObject, objectOf, textOf } from '#engine/base/json-value.ts';
import { SourceError } from '#engine/base/source-error.ts';
import { readSourceText } from '#engine/base/source-text.ts';
import { eventIdOf, SERIES_ID, sessionIdOf, sessionTypeOf } from '#engine/racing/session-slug.ts';
import { localUtcMs } from '#engine/racing/upstream-time.ts';
import {
  type CalendarEvent,
  type CalendarSession,
  dayOf,
  PLANNED_MS,
  type SeasonCalendar,
  type VagueSession,
} from './season-calendar.ts';

const ADVICE = 'Check that this is a season index of the live-timing archive; nothing was imported';
const TEST = /\btest(ing)?\b/i;

/** Returns no events when the season is not wanted. Throws a SourceError that names file and field. */
export function readArchiveIndex(path: string, wanted: (season: number) => boolean): SeasonCalendar {
  const file = basename(path);
  const index = parse(readSourceText(path), file);
  const season = required(integerOf(index.Year), `${file}: Year`, 'year');
  const events: CalendarEvent[] = [];
  const leftOut: string[] = [];
  if (!wanted(season)) return { events, complete: false, leftOut };
  listOf(index.Meetings, `${file}: Meetings`).forEach((meeting, place) => {
    const where = `${file}: Meetings[${place}]`;
    const name = required(textOf(meeting.Name), `${where}.Name`, 'name');
    if (TEST.test(name)) leftOut.push(`${name} ${season} is not a race weekend`);
    else events.push(eventOf(meeting, name, season, where, leftOut));
  });
  return { events, complete: false, leftOut };
}

function eventOf(meeting: JsonObject, name: string, season: number, where: string, leftOut: string[]): CalendarEvent {
  const eventId = eventIdOf(season, name);
  const sessions: CalendarSession[] = [];
  const vague: VagueSession[] = [];
  listOf(meeting.Sessions, `${where}.Sessions`).forEach((session, place) => {
    const read = sessionOf(session, eventId, `${where}.Sessions[${place}]`);
    if (read !== null) {
      sessions.push(read);
      return;
    }
    const sessionName = textOf(session.Name);
    leftOut.push(`${name} ${season}: ${sessionName ?? 'a session without a name'}`);
    const startUtcMs = localUtcMs(session.StartDate, session.GmtOffset);
    if (sessionName === null && startUtcMs !== null) vague.push({ sessionId: null, day: dayOf(startUtcMs) });
  });
  return {
    eventId,
    seriesId: SERIES_ID,
    season,
    round: required(integerOf(meeting.Number), `${where}.Number`, 'round number'),
    name,
    circuitName: textOf(objectOf(meeting.Circuit).ShortName) ?? textOf(meeting.Location) ?? name,
    sessions,
    vague,
  };
}

/** Null: the session is left out. */
function sessionOf(session: JsonObject, eventId: string, where: string): CalendarSession | null {
  const name = textOf(session.Name);
  const type = sessionTypeOf(textOf(session.Type), name);
  if (name === null || type === null) return null;
  const time = (field: string) =>
    required(
      localUtcMs(session[field], session.GmtOffset),
      `${where}.${field}`,
      'local time such as 2026-03-08T15:00:00 with a GmtOffset such as 11:00:00',
    );
  const startUtcMs = time('StartDate');
  const endUtcMs = session.EndDate === undefined ? startUtcMs + PLANNED_MS[type] : time('EndDate');
  if (endUtcMs <= startUtcMs) throw new SourceError(`${where}.EndDate`, 'it is not after StartDate', ADVICE);
  return { sessionId: sessionIdOf(eventId, type, name), type, startUtcMs, endUtcMs };
}

function parse(text: string, file: string): JsonObject {
  try {
    return objectOf(JSON.parse(text));
  } catch (error) {
    throw new SourceError(file, `it is not JSON (${(error as Error).message})`, ADVICE);
  }
}

function listOf(value: Json | undefined, where: string): JsonObject[] {
  if (!isContainer(value)) throw new SourceError(where, 'it is not a list', ADVICE);
  return Object.values(value).map(objectOf);
}

function required<Value>(value: Value | null, where: string, what: string): Value {
  if (value === null) throw new SourceError(where, `there is no ${what}`, ADVICE);
  return value;
}
