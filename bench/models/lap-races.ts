// Races from tables of laps (../shared/data/laps), as frames of live timing: each car's times, gaps, tires and stops as
// it crosses the line, with the status of the track. What a table does not have (sectors, retirements, weather) is left out.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type CsvRecord, readCsv } from '#engine/base/csv-records.ts';
import type { Frame } from '#engine/racing/frame.ts';
import type { History, RaceResult, RaceWeekend } from '#engine/seasons/history/history.ts';

const COLUMNS = [
  'Time',
  'Driver',
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
] as const;
type LapRow = CsvRecord<(typeof COLUMNS)[number]>['values'];

export interface LapRace {
  /** `2021-bahrain-race`, `2021-britain-sprint`. */
  readonly sessionId: string;
  readonly season: number;
  readonly weekend: RaceWeekend;
  readonly result: readonly RaceResult[];
  readonly laps: number;
  readonly frames: readonly Frame[];
}

interface TimedMessage {
  readonly seconds: number;
  readonly rank: number;
  readonly topic: string;
  readonly message: object;
}

const KINDS = [
  ['grand-prix', 'race'],
  ['sprint', 'sprint'],
] as const;

/** The races of one season for which there is a table, in the order of the rounds. */
export function lapRaces(folder: string, season: number, history: History): readonly LapRace[] {
  return KINDS.flatMap(([table, kind]) => {
    const path = join(folder, `${table}-${season}.csv`);
    if (!existsSync(path)) return [];
    const rounds = Map.groupBy(
      readCsv(path, COLUMNS).map(({ values }) => values),
      ({ RoundNumber }) => Number(RoundNumber),
    );
    return [...rounds].flatMap(([round, rows]): LapRace[] => {
      const weekend = history.weekends.find((one) => one.season === season && one.round === round);
      const result = kind === 'sprint' ? weekend?.sprintResults : weekend?.results;
      if (weekend === undefined || result === undefined || result.length === 0) return [];
      // A table may have the lap back to the pits, too.
      const { laps } = result[0]!;
      const raced = rows.filter(({ LapNumber }) => Number(LapNumber) <= laps);
      const names = new Map(result.map(({ number, driverId }) => [number, history.drivers.get(driverId)?.name ?? '']));
      const frames = framesOf(raced, laps, kind === 'sprint', weekend.day, names);
      return [{ sessionId: `${weekend.eventId}-${kind}`, season, weekend, result, laps, frames }];
    });
  });
}

function framesOf(
  rows: readonly LapRow[],
  laps: number,
  isSprint: boolean,
  day: string,
  names: ReadonlyMap<string, string>,
): readonly Frame[] {
  const timed = rows.flatMap((row) => {
    const seconds = secondsOf(row.Time);
    return seconds === null
      ? []
      : [{ row, seconds, lap: Number(row.LapNumber), number: String(Number(row.DriverNumber)) }];
  });
  const byLap = Map.groupBy(timed, ({ lap }) => lap);
  const leaders = new Map([...byLap].map(([lap, cars]) => [lap, Math.min(...cars.map(({ seconds }) => seconds))]));
  const first = (leaders.get(1) ?? 0) - 120;
  const messages: TimedMessage[] = [
    start(first, 'SessionInfo', { Type: 'Race', Name: isSprint ? 'Sprint' : 'Race' }),
    start(
      first,
      'DriverList',
      Object.fromEntries([...names].map(([number, name]) => [number, driverOf(number, name)])),
    ),
    start(first, 'LapCount', { CurrentLap: 1, TotalLaps: laps }),
    start(first, 'TrackStatus', { Status: '1' }),
    start(first, 'SessionStatus', { Status: 'Started' }),
  ];
  let status = '1';
  for (const [lap, seconds] of [...leaders].sort(([a], [b]) => a - b)) {
    if (lap < laps) messages.push({ seconds, rank: 3, topic: 'LapCount', message: { CurrentLap: lap + 1 } });
    const leader = byLap.get(lap)!.find((one) => one.seconds === seconds)!;
    const now = worstStatus(leader.row.TrackStatus ?? '1');
    if (now !== status) messages.push({ seconds, rank: 0, topic: 'TrackStatus', message: { Status: now } });
    status = now;
  }
  for (const [, stints] of Map.groupBy(timed, ({ number }) => number)) {
    let stint: string | null = null;
    let index = -1;
    for (const { row, number, seconds, lap } of stints.sort((a, b) => a.lap - b.lap)) {
      const age = row.TyreLife === null ? lap : Number(row.TyreLife);
      if (row.Stint !== stint || index < 0) {
        stint = row.Stint;
        index++;
        const opened = {
          Compound: row.Compound,
          New: age <= 1 ? 'true' : 'false',
          TotalLaps: age - 1,
          StartLaps: age - 1,
        };
        const at = lap === 1 ? first : (secondsOf(row.PitOutTime) ?? leaders.get(lap - 1)!);
        messages.push({
          seconds: at,
          rank: 1,
          topic: 'TimingAppData',
          message: linesOf(number, { Stints: { [index]: opened } }),
        });
      }
      const ahead = (byLap.get(lap) ?? []).filter((other) => other.seconds < seconds);
      const before = ahead.length === 0 ? null : Math.max(...ahead.map((other) => other.seconds));
      const completed = {
        NumberOfLaps: lap,
        Position: String(ahead.length + 1),
        Line: ahead.length + 1,
        GapToLeader: ahead.length === 0 ? `LAP ${lap}` : `+${(seconds - leaders.get(lap)!).toFixed(3)}`,
        IntervalToPositionAhead: { Value: before === null ? '' : `+${(seconds - before).toFixed(3)}` },
        ...(row.LapTime === null ? {} : { LastLapTime: { Value: lapTimeText(Number(row.LapTime)) } }),
      };
      messages.push({ seconds, rank: 2, topic: 'TimingData', message: linesOf(number, completed) });
      messages.push({
        seconds,
        rank: 2,
        topic: 'TimingAppData',
        message: linesOf(number, { Stints: { [index]: { TotalLaps: age } } }),
      });
      const [inSeconds, outSeconds] = [secondsOf(row.PitInTime), lap === 1 ? null : secondsOf(row.PitOutTime)];
      if (inSeconds !== null)
        messages.push({ seconds: inSeconds, rank: 1, topic: 'TimingData', message: linesOf(number, { InPit: true }) });
      if (outSeconds !== null)
        messages.push({
          seconds: outSeconds,
          rank: 2,
          topic: 'TimingData',
          message: linesOf(number, { InPit: false, PitOut: true }),
        });
      if (outSeconds !== null)
        messages.push({ seconds, rank: 3, topic: 'TimingData', message: linesOf(number, { PitOut: false }) });
    }
    const last = stints.at(-1)!;
    // A car that completes no further lap is out some time after its last one.
    if (last.lap < laps - 3)
      messages.push({
        seconds: last.seconds + 200,
        rank: 2,
        topic: 'TimingData',
        message: linesOf(last.number, { Stopped: true }),
      });
  }
  const dayMs = Date.parse(`${day}T00:00:00Z`);
  return messages
    .sort((a, b) => a.seconds - b.seconds || a.rank - b.rank)
    .map(({ seconds, topic, message }) => ({
      utcMs: dayMs + Math.round(seconds * 1000),
      topic,
      json: JSON.stringify(message),
    }));
}

function start(seconds: number, topic: string, message: object): TimedMessage {
  return { seconds, rank: 0, topic, message };
}

function driverOf(number: string, name: string) {
  return { RacingNumber: number, FullName: name };
}

function linesOf(number: string, line: object) {
  return { Lines: { [number]: line } };
}

/** Of the digits seen during a lap the one that slows the most. */
function worstStatus(digits: string): string {
  return ['5', '4', '6', '7'].find((digit) => digits.includes(digit)) ?? '1';
}

/** `0 days 01:04:15.422000` */
function secondsOf(text: string | null): number | null {
  const found = text === null ? null : /(\d+) days (\d+):(\d+):([\d.]+)/.exec(text);
  return found && Number(found[1]) * 86_400 + Number(found[2]) * 3600 + Number(found[3]) * 60 + Number(found[4]);
}

function lapTimeText(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  return `${minutes}:${(seconds - minutes * 60).toFixed(3).padStart(6, '0')}`;
}
