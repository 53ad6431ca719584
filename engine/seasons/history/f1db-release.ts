// Reads from a CSV release of f1db what the models need, from the season HISTORY_SEASON_MIN on. Checks every field it
// reads and every reference between rows, so a damaged release is refused as a whole.
//
// Each table numbers the rows of a race from 1 without gaps, so a lost row is detected. Race ids hold for one release
// only. The next release may renumber them, so none is stored.

import { type CsvRecord, readCsv } from '#engine/base/csv-records.ts';
import { SourceError } from '#engine/base/source-error.ts';
import { eventIdOf } from '#engine/racing/session-slug.ts';
import {
  ADVICE,
  classificationOf,
  dayOrNull,
  flagOf,
  numberOf,
  numberOrNull,
  numbersOf,
  pointsOf,
  startOrNull,
  textOf,
  wrong,
} from './f1db-fields.ts';
import { F1dbTable, tablePath } from './f1db-table.ts';
import type {
  Circuit,
  ConstructorStanding,
  DriverStanding,
  FastestLap,
  GridPlace,
  History,
  Participant,
  PitStopRecord,
  PracticeTime,
  QualifyingResult,
  RaceResult,
  RaceWeekend,
  SeasonEntry,
} from './history.ts';

/** The first season kept: the first with hybrid engines, and the first that the models learn from. */
export const HISTORY_SEASON_MIN = 2014;

const RACES_FILE = 'f1db-races.csv';
const ENTRIES_FILE = 'f1db-seasons-entrants-drivers.csv';
const CIRCUIT_TYPES: readonly string[] = ['STREET', 'RACE', 'ROAD'] satisfies Circuit['type'][];

const RACE_COLUMNS = [
  'id',
  'year',
  'round',
  'date',
  'time',
  'grandPrixId',
  'circuitId',
  'circuitLayoutId',
  'laps',
  'scheduledLaps',
  'sprintRaceDate',
] as const;
const ENTRY_COLUMNS = ['year', 'constructorId', 'driverId', 'rounds', 'testDriver'] as const;
const PARTICIPANT_COLUMNS = ['driverNumber', 'driverId', 'constructorId', 'positionText'] as const;
const RESULT_COLUMNS = ['laps', 'timeMillis', 'gapMillis', 'gapLaps', 'reasonRetired', 'points'] as const;
/** There has never been a fourth since the first season kept. */
const PRACTICE_SESSIONS = [1, 2, 3] as const;
const QUALIFYING_COLUMNS = ['q1Millis', 'q2Millis', 'q3Millis'] as const;

type ParticipantColumn = (typeof PARTICIPANT_COLUMNS)[number];

/** Reads the release in the folder. Throws a SourceError that names file and line. */
export function readF1dbRelease(folder: string): History {
  return new Release(folder).read();
}

class Release {
  readonly #folder: string;
  readonly #grandsPrix;
  readonly #circuits;
  readonly #drivers;
  readonly #constructors;
  /** All race ids, and whether the race is kept. */
  readonly #kept = new Map<string | null, boolean>();

  constructor(folder: string) {
    this.#folder = folder;
    this.#grandsPrix = new F1dbTable(folder, 'f1db-grands-prix.csv', ['fullName'], (row) => textOf(row, 'fullName'));
    this.#circuits = new F1dbTable(folder, 'f1db-circuits.csv', ['fullName', 'type'], (row, circuitId) => ({
      circuitId,
      name: textOf(row, 'fullName'),
      type: circuitTypeOf(row),
    }));
    this.#drivers = new F1dbTable(
      folder,
      'f1db-drivers.csv',
      ['name', 'abbreviation', 'dateOfBirth'],
      (row, driverId) => ({
        driverId,
        name: textOf(row, 'name'),
        tla: textOf(row, 'abbreviation'),
        dateOfBirth: dayOrNull(row, 'dateOfBirth'),
      }),
    );
    this.#constructors = new F1dbTable(folder, 'f1db-constructors.csv', ['name'], (row, constructorId) => ({
      constructorId,
      name: textOf(row, 'name'),
    }));
  }

  read(): History {
    const weekends = this.#weekends();
    const entries = this.#entries();
    return {
      circuits: this.#circuits.referred(),
      drivers: this.#drivers.referred(),
      constructors: this.#constructors.referred(),
      entries,
      weekends,
    };
  }

  #weekends(): readonly RaceWeekend[] {
    const races = readCsv(tablePath(this.#folder, RACES_FILE), RACE_COLUMNS).filter((race) => {
      const kept = numberOf(race, 'year') >= HISTORY_SEASON_MIN;
      this.#kept.set(textOf(race, 'id'), kept);
      return kept;
    });
    if (races.length === 0) throw new SourceError(RACES_FILE, `it has no race from ${HISTORY_SEASON_MIN} on`, ADVICE);
    const practice = PRACTICE_SESSIONS.map((session) => this.#practice(session));
    const qualifying = this.#qualifying('f1db-races-qualifying-results.csv');
    const grid = this.#grid('f1db-races-starting-grid-positions.csv');
    const results = this.#results('f1db-races-race-results.csv');
    const fastestLaps = this.#fastestLaps();
    const pitStops = this.#pitStops();
    const sprintQualifying = this.#qualifying('f1db-races-sprint-qualifying-results.csv');
    const sprintGrid = this.#grid('f1db-races-sprint-starting-grid-positions.csv');
    const sprintResults = this.#results('f1db-races-sprint-race-results.csv');
    const driverStandings = this.#driverStandings();
    const constructorStandings = this.#constructorStandings();
    const known = new Set<string>();
    const weekends = races.map((race): RaceWeekend => {
      const raceId = textOf(race, 'id');
      const season = numberOf(race, 'year');
      const round = numberOf(race, 'round');
      const name = this.#grandsPrix.at(race, 'grandPrixId');
      const eventId = eventIdOf(season, name);
      for (const key of [`race ${raceId}`, eventId, `round ${round} of ${season}`]) {
        if (known.has(key)) throw new SourceError(race.where, `${key} appears twice`, ADVICE);
        known.add(key);
      }
      const day = dayOrNull(race, 'date');
      if (day === null) throw wrong(race, 'date', 'a day');
      return {
        eventId,
        season,
        round,
        name,
        circuitId: this.#circuits.at(race, 'circuitId').circuitId,
        layoutId: textOf(race, 'circuitLayoutId'),
        day,
        startUtcMs: startOrNull(race, day, 'time'),
        laps: numberOf(race, 'laps'),
        scheduledLaps: numberOrNull(race, 'scheduledLaps'),
        hasSprint: race.values.sprintRaceDate !== null || sprintResults.has(raceId),
        practice: practice.flatMap((session) => session.get(raceId) ?? []),
        qualifying: qualifying.get(raceId) ?? [],
        grid: grid.get(raceId) ?? [],
        results: results.get(raceId) ?? [],
        fastestLaps: fastestLaps.get(raceId) ?? [],
        pitStops: pitStops.get(raceId) ?? [],
        sprintQualifying: sprintQualifying.get(raceId) ?? [],
        sprintGrid: sprintGrid.get(raceId) ?? [],
        sprintResults: sprintResults.get(raceId) ?? [],
        driverStandings: driverStandings.get(raceId) ?? [],
        constructorStandings: constructorStandings.get(raceId) ?? [],
      };
    });
    return weekends.sort((a, b) => a.season - b.season || a.round - b.round);
  }

  #entries(): readonly SeasonEntry[] {
    const rows = readCsv(tablePath(this.#folder, ENTRIES_FILE), ENTRY_COLUMNS);
    return rows.flatMap((row) => {
      const season = numberOf(row, 'year');
      if (season < HISTORY_SEASON_MIN) return [];
      return {
        season,
        driverId: this.#drivers.at(row, 'driverId').driverId,
        constructorId: this.#constructors.at(row, 'constructorId').constructorId,
        rounds: numbersOf(row, 'rounds'),
        testDriver: flagOf(row, 'testDriver'),
      };
    });
  }

  #results(file: string): ReadonlyMap<string, readonly RaceResult[]> {
    return this.#byRace(file, [...PARTICIPANT_COLUMNS, ...RESULT_COLUMNS], (row) => ({
      ...this.#participant(row),
      classification: classificationOf(row, 'positionText'),
      // Empty for a driver who did not start.
      laps: numberOrNull(row, 'laps') ?? 0,
      timeMs: numberOrNull(row, 'timeMillis'),
      gapMs: numberOrNull(row, 'gapMillis'),
      gapLaps: numberOrNull(row, 'gapLaps'),
      reasonRetired: row.values.reasonRetired,
      points: pointsOf(row, 'points'),
    }));
  }

  #practice(session: number): ReadonlyMap<string, readonly PracticeTime[]> {
    const columns = [...PARTICIPANT_COLUMNS, 'timeMillis'] as const;
    const rows = this.#byRace(`f1db-races-free-practice-${session}-results.csv`, columns, (row) => {
      const timeMs = numberOrNull(row, 'timeMillis');
      return timeMs === null ? [] : [{ ...this.#participant(row), session, timeMs }];
    });
    return new Map([...rows].map(([raceId, times]) => [raceId, times.flat()]));
  }

  #qualifying(file: string): ReadonlyMap<string, readonly QualifyingResult[]> {
    return this.#byRace(file, [...PARTICIPANT_COLUMNS, ...QUALIFYING_COLUMNS], (row) => ({
      ...this.#participant(row),
      classification: classificationOf(row, 'positionText'),
      q1Ms: numberOrNull(row, 'q1Millis'),
      q2Ms: numberOrNull(row, 'q2Millis'),
      q3Ms: numberOrNull(row, 'q3Millis'),
    }));
  }

  #grid(file: string): ReadonlyMap<string, readonly GridPlace[]> {
    return this.#byRace(file, [...PARTICIPANT_COLUMNS, 'positionNumber'], (row) => {
      const position = numberOrNull(row, 'positionNumber');
      if (position === null && row.values.positionText !== 'PL') throw wrong(row, 'positionText', 'a position or PL');
      return { ...this.#participant(row), position };
    });
  }

  #fastestLaps(): ReadonlyMap<string, readonly FastestLap[]> {
    const columns = [...PARTICIPANT_COLUMNS, 'positionNumber', 'lap', 'timeMillis'] as const;
    return this.#byRace('f1db-races-fastest-laps.csv', columns, (row) => ({
      ...this.#participant(row),
      rank: numberOf(row, 'positionNumber'),
      lap: numberOrNull(row, 'lap'),
      timeMs: numberOrNull(row, 'timeMillis'),
    }));
  }

  #pitStops(): ReadonlyMap<string, readonly PitStopRecord[]> {
    const columns = [...PARTICIPANT_COLUMNS, 'stop', 'lap', 'timeMillis'] as const;
    return this.#byRace('f1db-races-pit-stops.csv', columns, (row) => ({
      ...this.#participant(row),
      stop: numberOf(row, 'stop'),
      lap: numberOf(row, 'lap'),
      timeMs: numberOf(row, 'timeMillis'),
    }));
  }

  #driverStandings(): ReadonlyMap<string, readonly DriverStanding[]> {
    const columns = ['driverId', 'positionNumber', 'points'] as const;
    return this.#byRace('f1db-races-driver-standings.csv', columns, (row) => ({
      driverId: this.#drivers.at(row, 'driverId').driverId,
      position: numberOf(row, 'positionNumber'),
      points: pointsOf(row, 'points'),
    }));
  }

  #constructorStandings(): ReadonlyMap<string, readonly ConstructorStanding[]> {
    const columns = ['constructorId', 'engineManufacturerId', 'positionNumber', 'points'] as const;
    return this.#byRace('f1db-races-constructor-standings.csv', columns, (row) => ({
      constructorId: this.#constructors.at(row, 'constructorId').constructorId,
      engineManufacturerId: textOf(row, 'engineManufacturerId'),
      position: numberOf(row, 'positionNumber'),
      points: pointsOf(row, 'points'),
    }));
  }

  #participant(row: CsvRecord<ParticipantColumn>): Participant {
    return {
      driverId: this.#drivers.at(row, 'driverId').driverId,
      constructorId: this.#constructors.at(row, 'constructorId').constructorId,
      number: textOf(row, 'driverNumber'),
    };
  }

  /** The rows of each kept race, in their order. */
  #byRace<const Column extends string, Entry>(
    file: string,
    columns: readonly Column[],
    read: (row: CsvRecord<Column>) => Entry,
  ): ReadonlyMap<string, readonly Entry[]> {
    const entries = new Map<string, Entry[]>();
    for (const row of readCsv(tablePath(this.#folder, file), ['raceId', 'positionDisplayOrder', ...columns])) {
      const raceId = row.values.raceId;
      const kept = this.#kept.get(raceId);
      if (raceId === null || kept === undefined) throw wrong(row, 'raceId', `in ${RACES_FILE}`);
      if (!kept) continue;
      const ofRace = entries.get(raceId) ?? [];
      entries.set(raceId, ofRace);
      if (numberOf(row, 'positionDisplayOrder') !== ofRace.length + 1) {
        throw wrong(row, 'positionDisplayOrder', `${ofRace.length + 1}, the next of its race`);
      }
      ofRace.push(read(row));
    }
    return entries;
  }
}

function circuitTypeOf(row: CsvRecord<'type'>): Circuit['type'] {
  const type = textOf(row, 'type');
  if (!CIRCUIT_TYPES.includes(type)) throw wrong(row, 'type', CIRCUIT_TYPES.join(', '));
  return type as Circuit['type'];
}
