// Tables of laps, one for each season of Grands Prix or sprints, as races. They are not part of the project; fits and
// scores read them. Times of day are those of the session.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readCsv } from '#engine/base/csv-records.ts';
import { SourceError } from '#engine/base/source-error.ts';

export interface TableLap {
  readonly lap: number;
  /** When the lap ended. */
  readonly endSeconds: number;
  /** Null: not timed. */
  readonly seconds: number | null;
  /** At the end of the lap, from 1. */
  readonly position: number;
  /** Such as "SOFT". Null: not known. */
  readonly compound: string | null;
  /** Laps on the tires at the end of the lap. */
  readonly tireAge: number | null;
  readonly stint: number;
  /** When the car went into the pits at its end, and when it came out of them at its start. Null: it did not. */
  readonly pitInSeconds: number | null;
  readonly pitOutSeconds: number | null;
  /** Digits of the track statuses that were seen during the lap. */
  readonly trackStatus: string;
}

export interface TableRace {
  readonly season: number;
  readonly round: number;
  /** The name of the event, as the timing source has it. */
  readonly event: string;
  readonly isSprint: boolean;
  /** The number of laps driven by the winner. */
  readonly laps: number;
  /** By racing number; each car's laps in order, from 1, without gaps. */
  readonly cars: ReadonlyMap<string, readonly TableLap[]>;
}

/** Seasons that numbers are fitted to and choices are made on. Later ones are for scores. */
export const LAPS_FROM = 2018;
export const LAPS_TO = 2021;

const COLUMNS = [
  'Time',
  'DriverNumber',
  'LapTime',
  'LapNumber',
  'Stint',
  'PitOutTime',
  'PitInTime',
  'Compound',
  'TyreLife',
  'TrackStatus',
  'Position',
  'RoundNumber',
  'EventName',
] as const;
const FILE = /^(grand-prix|sprint)-(\d{4})\.csv$/;
const TIME = /^(\d+) days (\d{2}):(\d{2}):(\d{2}(?:\.\d+)?)$/;
/** Names of other years, and second races, for the same track. */
const SAME_TRACK: Readonly<Record<string, string>> = {
  'Mexican Grand Prix': 'Mexico City Grand Prix',
  'Brazilian Grand Prix': 'São Paulo Grand Prix',
  'Styrian Grand Prix': 'Austrian Grand Prix',
  '70th Anniversary Grand Prix': 'British Grand Prix',
};

/** One name for all events on a track. */
export function trackOf(event: string): string {
  return SAME_TRACK[event] ?? event;
}

/** All names of events with the track's value. */
export function byEvent<Value>(byTrack: Readonly<Record<string, Value>>): Record<string, Value> {
  const others = Object.entries(SAME_TRACK).flatMap(([event, track]) =>
    byTrack[track] === undefined ? [] : [[event, byTrack[track]] as const],
  );
  return Object.fromEntries([...Object.entries(byTrack), ...others].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The races of the seasons from `from` to `to`, by season, sprints last. Throws a SourceError for bad input. */
export function readRaces(folder: string, from: number, to: number): readonly TableRace[] {
  return readdirSync(folder)
    .flatMap((name) => {
      const [, kind, season] = FILE.exec(name) ?? [];
      return season === undefined || +season < from || +season > to ? [] : [{ name, kind, season: +season }];
    })
    .sort((a, b) => a.season - b.season || (a.name < b.name ? -1 : 1))
    .flatMap(({ name, kind, season }) => racesOf(join(folder, name), season, kind === 'sprint'));
}

function racesOf(path: string, season: number, isSprint: boolean): TableRace[] {
  const rounds = Map.groupBy(readCsv(path, COLUMNS), ({ values }) => values.RoundNumber);
  return [...rounds.values()].map((rows) => {
    const cars = new Map<string, TableLap[]>();
    for (const { where, values } of rows) {
      const number = String(Number(values.DriverNumber));
      const laps = cars.get(number) ?? [];
      cars.set(number, laps);
      const lap = Number(values.LapNumber);
      // After a lap without an end nothing more is known of the car.
      if (values.Time === null || values.Position === null || lap !== laps.length + 1) continue;
      laps.push({
        lap,
        endSeconds: secondsOf(values.Time, where),
        seconds: values.LapTime === null ? null : Number(values.LapTime),
        position: Number(values.Position),
        compound: values.Compound === 'UNKNOWN' || values.Compound === null ? null : values.Compound,
        tireAge: values.TyreLife === null ? null : Number(values.TyreLife),
        stint: Number(values.Stint ?? 1),
        pitInSeconds: values.PitInTime === null ? null : secondsOf(values.PitInTime, where),
        pitOutSeconds: values.PitOutTime === null || lap === 1 ? null : secondsOf(values.PitOutTime, where),
        trackStatus: values.TrackStatus ?? '1',
      });
    }
    const laps = Math.max(...Array.from(cars.values(), ({ length }) => length));
    const { EventName, RoundNumber } = rows[0]!.values;
    return { season, round: Number(RoundNumber), event: EventName ?? '', isSprint, laps, cars };
  });
}

function secondsOf(time: string, where: string): number {
  const [, days, hours, minutes, seconds] = TIME.exec(time) ?? [];
  if (seconds === undefined)
    throw new SourceError(where, `${time} is not a time`, 'Check that this is the right table');
  return ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds);
}

/** Whether the car went into the pits at the lap's end. */
export function isInLap({ pitInSeconds }: TableLap): boolean {
  return pitInSeconds !== null;
}

/** Whether the car came out of the pits at the lap's start. */
export function isOutLap({ pitOutSeconds }: TableLap): boolean {
  return pitOutSeconds !== null;
}

/** Whether racing was free on the whole lap. */
export function isGreenLap({ trackStatus }: TableLap): boolean {
  return !/[4567]/.test(trackStatus);
}
