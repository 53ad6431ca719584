// Two seasons of the drivers and teams of the demo race, at circuits that do not exist: a CSV release in the form of f1db,
// from which the service takes its calendar and the history of its models. One seed determines all of it but the days,
// which are around today.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Random, seededRandom } from '#engine/base/random.ts';
import { DEMO_DRIVERS, type DemoDriver } from '#engine/intake/source/demo-session/grid.ts';
import { slugOf } from '#engine/racing/slug.ts';

const PLACES = [
  ...['Port Meridian', 'Saltmarsh', 'Larkspur', 'Amberfield', 'Cape Orrin', 'Vale of Tern'],
  ...['Kestrel Ridge', 'Old Harbour', 'Silverbrook', 'Highmoor'],
];
/** Races of the season before this one. */
const PAST_RACES = 8;
/** Days from today to each race of this season: the next one is in four days. */
const RACE_DAYS = [-73, -59, -45, -31, -17, -3, 4, 18, 32, 46];
const POINTS = [25, 18, 15, 12, 10, 8, 6, 4, 2, 1];
const LAPS = 57;
const LAP_MS = 84_000;
const STOP_MS = 21_500;
const DAY_MS = 86_400_000;

type Cell = string | number;

/** Writes the release into an empty folder. */
export function writeInventedSeasons(folder: string, nowMs: number): void {
  const random = seededRandom(1);
  const tables = new Tables();
  const thisYear = new Date(nowMs).getUTCFullYear();
  for (const place of PLACES) {
    tables.add('f1db-grands-prix', { id: slugOf(place), fullName: `${place} Grand Prix` });
    tables.add('f1db-circuits', { id: slugOf(place), fullName: `${place} Circuit`, type: 'RACE' });
  }
  for (const name of new Set(DEMO_DRIVERS.map(({ team }) => team.name)))
    tables.add('f1db-constructors', { id: slugOf(name), name });
  for (const driver of DEMO_DRIVERS) {
    const name = `${driver.firstName} ${driver.lastName}`;
    tables.add('f1db-drivers', { id: idOf(driver), name, abbreviation: driver.tla, dateOfBirth: '' });
  }
  let raceId = 0;
  const season = (year: number, days: readonly number[]): void => {
    const rounds = days.map((_, index) => index + 1).join(';');
    for (const driver of DEMO_DRIVERS)
      tables.add('f1db-seasons-entrants-drivers', { year, ...who(driver), rounds, testDriver: 'false' });
    const scores = new Map<DemoDriver, number>();
    days.forEach((day, index) => {
      const weekend = { raceId: ++raceId, year, round: index + 1 };
      tables.add('f1db-races', raceRow(weekend, slugOf(PLACES[index]!), nowMs + day * DAY_MS));
      if (day < 0) hold(tables, weekend, scores, random);
    });
  };
  season(
    thisYear - 1,
    RACE_DAYS.slice(0, PAST_RACES).map((day) => day - 330),
  );
  season(thisYear, RACE_DAYS);
  tables.write(folder);
}

interface Weekend {
  readonly raceId: number;
  readonly year: number;
  readonly round: number;
}

function raceRow({ raceId, year, round }: Weekend, place: string, dayMs: number): Record<string, Cell> {
  const dayOf = (days: number): string => new Date(dayMs + days * DAY_MS).toISOString().slice(0, 10);
  return {
    ...{ id: raceId, year, round, date: dayOf(0), time: '13:00', grandPrixId: place, circuitId: place },
    ...{ circuitLayoutId: `${place}-1`, laps: LAPS, scheduledLaps: LAPS },
    ...{ freePractice1Date: dayOf(-2), freePractice1Time: '11:30', freePractice2Date: '', freePractice2Time: '' },
    ...{ freePractice3Date: '', freePractice3Time: '', qualifyingDate: dayOf(-1), qualifyingTime: '14:00' },
    ...{ sprintQualifyingDate: '', sprintQualifyingTime: '', sprintRaceDate: '', sprintRaceTime: '' },
  };
}

/** Qualifying and race of a weekend, and the standings after it. `scores` grows. */
function hold(tables: Tables, { raceId, year, round }: Weekend, scores: Map<DemoDriver, number>, random: Random): void {
  const rows = (table: string, drivers: readonly DemoDriver[], more: (at: number) => Record<string, Cell>): void => {
    drivers.forEach((driver, index) => {
      const place = { positionDisplayOrder: index + 1, positionNumber: index + 1, positionText: index + 1 };
      tables.add(table, { raceId, year, round, ...place, driverNumber: driver.number, ...who(driver), ...more(index) });
    });
  };
  const quickest = sorted((driver) => driver.team.paceMs + driver.paceMs + 500 * random.next());
  const q = (at: number): number => LAP_MS + 65 * at;
  rows('f1db-races-free-practice-1-results', quickest, (at) => ({ timeMillis: q(at) + 1_500 }));
  rows('f1db-races-qualifying-results', quickest, (at) => ({
    ...{ q1Millis: q(at) + 900, q2Millis: at < 15 ? q(at) + 400 : '', q3Millis: at < 10 ? q(at) : '' },
  }));
  rows('f1db-races-starting-grid-positions', quickest, () => ({}));
  const pace = (driver: DemoDriver): number => driver.team.paceMs + driver.paceMs + 25 * quickest.indexOf(driver);
  const finished = sorted((driver) => pace(driver) + 700 * random.next());
  const retired = random.next() < 0.6 ? finished.splice(Math.floor(20 * random.next()), 1) : [];
  const classified = [...finished, ...retired];
  const points = (at: number): number => (at < finished.length ? (POINTS[at] ?? 0) : 0);
  rows('f1db-races-race-results', classified, (at) => {
    if (at >= finished.length) {
      const place = { positionNumber: '', positionText: 'DNF' };
      return { ...place, laps: 23, timeMillis: '', gapMillis: '', gapLaps: '', reasonRetired: 'Gearbox', points: 0 };
    }
    const gap = { timeMillis: LAPS * (LAP_MS + 3_500) + 4_200 * at, gapMillis: at === 0 ? '' : 4_200 * at };
    return { laps: LAPS, ...gap, gapLaps: '', reasonRetired: '', points: points(at) };
  });
  rows('f1db-races-fastest-laps', finished, (at) => ({ lap: 40 + (at % 15), timeMillis: LAP_MS + 2_600 + 45 * at }));
  rows('f1db-races-pit-stops', finished, (at) => ({
    ...{ stop: 1, lap: 17 + Math.floor(10 * random.next()), timeMillis: STOP_MS + Math.floor(90 * at * random.next()) },
  }));
  classified.forEach((driver, at) => {
    scores.set(driver, (scores.get(driver) ?? 0) + points(at));
  });
  standings(tables, raceId, scores);
}

function standings(tables: Tables, raceId: number, scores: ReadonlyMap<DemoDriver, number>): void {
  const teams = new Map<string, number>();
  for (const [{ team }, points] of scores) teams.set(team.name, (teams.get(team.name) ?? 0) + points);
  const ranked = <Key>(totals: ReadonlyMap<Key, number>): readonly (readonly [Key, Record<string, Cell>])[] =>
    [...totals]
      .sort(([, a], [, b]) => b - a)
      .map(([key, points], at) => [key, { raceId, positionDisplayOrder: at + 1, positionNumber: at + 1, points }]);
  for (const [driver, row] of ranked(scores))
    tables.add('f1db-races-driver-standings', { ...row, driverId: idOf(driver) });
  for (const [team, row] of ranked(teams))
    tables.add('f1db-races-constructor-standings', {
      ...row,
      constructorId: slugOf(team),
      engineManufacturerId: 'own',
    });
}

function sorted(by: (driver: DemoDriver) => number): DemoDriver[] {
  const keys = new Map(DEMO_DRIVERS.map((driver) => [driver, by(driver)]));
  return [...DEMO_DRIVERS].sort((a, b) => keys.get(a)! - keys.get(b)!);
}

function idOf({ firstName, lastName }: DemoDriver): string {
  return slugOf(`${firstName} ${lastName}`);
}

function who(driver: DemoDriver): Record<string, Cell> {
  return { driverId: idOf(driver), constructorId: slugOf(driver.team.name) };
}

/** Of sessions that nobody drives here. A release has their tables all the same. */
const EMPTY_TABLES: Readonly<Record<string, string>> = {
  'f1db-races-free-practice-2-results': 'f1db-races-free-practice-1-results',
  'f1db-races-free-practice-3-results': 'f1db-races-free-practice-1-results',
  'f1db-races-sprint-race-results': 'f1db-races-race-results',
  'f1db-races-sprint-qualifying-results': 'f1db-races-qualifying-results',
  'f1db-races-sprint-starting-grid-positions': 'f1db-races-starting-grid-positions',
};

class Tables {
  readonly #rows = new Map<string, Record<string, Cell>[]>();

  add(table: string, row: Record<string, Cell>): void {
    const rows = this.#rows.get(table);
    if (rows === undefined) this.#rows.set(table, [row]);
    else rows.push(row);
  }

  write(folder: string): void {
    const write = (table: string, columns: readonly string[], rows: readonly Record<string, Cell>[]): void => {
      const lines = rows.map((row) =>
        columns.map((column) => (row[column] === '' ? '' : JSON.stringify(row[column]))).join(','),
      );
      writeFileSync(join(folder, `${table}.csv`), `${[columns.join(','), ...lines].join('\n')}\n`);
    };
    for (const [table, rows] of this.#rows) write(table, Object.keys(rows[0]!), rows);
    for (const [table, like] of Object.entries(EMPTY_TABLES)) write(table, Object.keys(this.#rows.get(like)![0]!), []);
  }
}
