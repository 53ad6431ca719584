// Reads the calendar from the CSV release of f1db: the races with the start times of their sessions (UTC), and the
// names of grands prix and circuits from their own tables. A release has no end times, so sessions get their planned
// length.
//
// Left out: sessions with a day but no time, as in the seasons before 2024. An invented time of day would make the
// service treat a session as live when it is not.
//
// A release has every race of a season, past and future. A race that is called off is removed, and the rounds after it
// are renumbered.

import { join } from 'node:path';
import { type CsvRecord, readCsv } from '#engine/base/csv-records.ts';
import { SourceError } from '#engine/base/source-error.ts';
import { eventIdOf, SERIES_ID, type SessionType, sessionIdOf } from '#engine/racing/session-slug.ts';
import {
  type CalendarEvent,
  type CalendarSession,
  PLANNED_MS,
  type SeasonCalendar,
  type VagueSession,
} from './season-calendar.ts';

export const RACES_FILE = 'f1db-races.csv';
const GRANDS_PRIX_FILE = 'f1db-grands-prix.csv';
const CIRCUITS_FILE = 'f1db-circuits.csv';

/** The sessions of a weekend, with the two columns that hold day and time. */
const SESSIONS = [
  { type: 'Practice', name: 'Practice 1', day: 'freePractice1Date', time: 'freePractice1Time' },
  { type: 'Practice', name: 'Practice 2', day: 'freePractice2Date', time: 'freePractice2Time' },
  { type: 'Practice', name: 'Practice 3', day: 'freePractice3Date', time: 'freePractice3Time' },
  { type: 'Sprint Qualifying', name: 'Sprint Qualifying', day: 'sprintQualifyingDate', time: 'sprintQualifyingTime' },
  { type: 'Sprint', name: 'Sprint', day: 'sprintRaceDate', time: 'sprintRaceTime' },
  { type: 'Qualifying', name: 'Qualifying', day: 'qualifyingDate', time: 'qualifyingTime' },
  { type: 'Race', name: 'Race', day: 'date', time: 'time' },
] as const satisfies readonly { type: SessionType; name: string; day: string; time: string }[];

type RaceColumn = (typeof SESSIONS)[number]['day' | 'time'] | 'year' | 'round' | 'grandPrixId' | 'circuitId';
type Race = CsvRecord<RaceColumn>;

const RACE_COLUMNS: readonly RaceColumn[] = [
  ...(['year', 'round', 'grandPrixId', 'circuitId'] as const),
  ...SESSIONS.flatMap(({ day, time }) => [day, time]),
];
const ADVICE = 'Check that this is the CSV release of f1db, and download it again; nothing was imported';

/**
 * Reads the races of the wanted seasons from the release in `folder`. Throws a SourceError that names file and line.
 */
export function readF1dbRaces(folder: string, wanted: (season: number) => boolean): SeasonCalendar {
  const races = readCsv(join(folder, RACES_FILE), RACE_COLUMNS);
  const grandsPrix = fullNames(join(folder, GRANDS_PRIX_FILE));
  const circuits = fullNames(join(folder, CIRCUITS_FILE));
  const events: CalendarEvent[] = [];
  const leftOut: string[] = [];
  for (const race of races) {
    const season = wholeNumber(race, 'year');
    if (!wanted(season)) continue;
    const name = named(grandsPrix, race, 'grandPrixId', GRANDS_PRIX_FILE);
    const eventId = eventIdOf(season, name);
    const sessions: CalendarSession[] = [];
    const vague: VagueSession[] = [];
    for (const { type, name: sessionName, day: dayColumn, time } of SESSIONS) {
      const sessionId = sessionIdOf(eventId, type, sessionName);
      const startUtcMs = startOf(race, dayColumn, time);
      const day = race.values[dayColumn];
      if (startUtcMs !== null) {
        sessions.push({ sessionId, type, startUtcMs, endUtcMs: startUtcMs + PLANNED_MS[type] });
      } else if (day !== null) {
        leftOut.push(`${name} ${season}: the time of ${sessionName} is not known`);
        vague.push({ sessionId, day });
      }
    }
    const circuitName = named(circuits, race, 'circuitId', CIRCUITS_FILE);
    events.push({
      eventId,
      seriesId: SERIES_ID,
      season,
      round: wholeNumber(race, 'round'),
      name,
      circuitName,
      sessions,
      vague,
    });
  }
  return { events, complete: true, leftOut };
}

function fullNames(path: string): ReadonlyMap<string | null, string | null> {
  return new Map(readCsv(path, ['id', 'fullName']).map(({ values }) => [values.id, values.fullName]));
}

function named(
  names: ReadonlyMap<string | null, string | null>,
  race: Race,
  column: 'grandPrixId' | 'circuitId',
  file: string,
): string {
  const id = race.values[column];
  const name = names.get(id) ?? null;
  if (name === null) throw new SourceError(race.where, `${column} ${JSON.stringify(id)} is not in ${file}`, ADVICE);
  return name;
}

function wholeNumber(race: Race, column: 'year' | 'round'): number {
  const text = race.values[column];
  if (text === null || !/^\d{1,4}$/.test(text)) {
    throw new SourceError(race.where, `${column} ${JSON.stringify(text)} is not a number`, ADVICE);
  }
  return Number(text);
}

/** Unix epoch milliseconds. Null: day or time is not known. */
function startOf(race: Race, day: RaceColumn, time: RaceColumn): number | null {
  const dayText = race.values[day];
  const timeText = race.values[time];
  if (dayText === null || timeText === null) return null;
  const text = `${dayText}T${timeText}:00.000Z`;
  const startUtcMs = Date.parse(text);
  // Date.parse accepts days such as 31 April and rolls them over into the next month.
  if (Number.isNaN(startUtcMs) || new Date(startUtcMs).toISOString() !== text) {
    throw new SourceError(race.where, `${day} ${dayText} and ${time} ${timeText} are not a day and a time`, ADVICE);
  }
  return startUtcMs;
}
