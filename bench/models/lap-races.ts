// Races from tables of laps, as frames of live timing: each car's times, gaps, tires and stops as it crosses the line, with
// the status of the track. What a table does not have (sectors, retirements, weather) is left out. The laps of a race are those
// that were driven: of a race that was cut short, the models and their simple rules know it from the start.

import { readRaces, type TableLap, type TableRace } from '#bench/laps/lap-tables.ts';
import type { Frame } from '#engine/racing/frame.ts';
import type { History, RaceResult, RaceWeekend } from '#engine/seasons/history/history.ts';

export interface LapRace {
  /** `2021-bahrain-race`, `2021-britain-sprint`. */
  readonly sessionId: string;
  readonly season: number;
  readonly weekend: RaceWeekend;
  readonly result: readonly RaceResult[];
  readonly laps: number;
  readonly frames: readonly Frame[];
  /** What the frames were made from. */
  readonly table: TableRace;
}

interface TimedMessage {
  readonly seconds: number;
  readonly rank: number;
  readonly topic: string;
  readonly message: object;
}

/** The races of one season for which there is a table, in the order of the rounds, sprints last. */
export function lapRaces(folder: string, season: number, history: History): readonly LapRace[] {
  return readRaces(folder, season, season).flatMap((table): LapRace[] => {
    const weekend = history.weekends.find((one) => one.season === season && one.round === table.round);
    const result = table.isSprint ? weekend?.sprintResults : weekend?.results;
    if (weekend === undefined || result === undefined || result.length === 0) return [];
    const { laps } = result[0]!;
    const names = new Map(result.map(({ number, driverId }) => [number, history.drivers.get(driverId)?.name ?? '']));
    const frames = framesOf(table, laps, weekend.day, names);
    const sessionId = `${weekend.eventId}-${table.isSprint ? 'sprint' : 'race'}`;
    return [{ sessionId, season, weekend, result, laps, frames, table }];
  });
}

/** The race as a table has it, without names or day. */
export function framesOfTable(table: TableRace): readonly Frame[] {
  return framesOf(
    table,
    table.laps,
    `${table.season}-01-01`,
    new Map(Array.from(table.cars.keys(), (one) => [one, one])),
  );
}

/** `laps`: those of the result. A table may have the lap back to the pits, too. */
function framesOf(
  { cars, event, isSprint }: TableRace,
  laps: number,
  day: string,
  names: ReadonlyMap<string, string>,
): readonly Frame[] {
  const timed = Array.from(cars, ([number, all]) => ({ number, laps: all.filter(({ lap }) => lap <= laps) }));
  const byLap = Map.groupBy(
    timed.flatMap((car) => car.laps),
    ({ lap }) => lap,
  );
  const leaders = new Map([...byLap].map(([lap, all]) => [lap, Math.min(...all.map(({ endSeconds }) => endSeconds))]));
  const first = (leaders.get(1) ?? 0) - 120;
  const messages: TimedMessage[] = [
    start(first, 'SessionInfo', { Meeting: { Name: event }, Type: 'Race', Name: isSprint ? 'Sprint' : 'Race' }),
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
    const now = worstStatus(byLap.get(lap)!.find(({ endSeconds }) => endSeconds === seconds)!.trackStatus);
    if (now !== status) messages.push({ seconds, rank: 0, topic: 'TrackStatus', message: { Status: now } });
    status = now;
  }
  for (const car of timed) messages.push(...messagesOf(car.number, car.laps, laps, first, byLap, leaders));
  const dayMs = Date.parse(`${day}T00:00:00Z`);
  return messages
    .sort((a, b) => a.seconds - b.seconds || a.rank - b.rank)
    .map(({ seconds, topic, message }) => ({
      utcMs: dayMs + Math.round(seconds * 1000),
      topic,
      json: JSON.stringify(message),
    }));
}

function messagesOf(
  number: string,
  own: readonly TableLap[],
  laps: number,
  firstSeconds: number,
  byLap: ReadonlyMap<number, readonly TableLap[]>,
  leaders: ReadonlyMap<number, number>,
): TimedMessage[] {
  const messages: TimedMessage[] = [];
  const add = (seconds: number, rank: number, topic: string, line: object): void => {
    messages.push({ seconds, rank, topic, message: { Lines: { [number]: line } } });
  };
  let stint: number | null = null;
  let index = -1;
  for (const { lap, endSeconds, seconds, compound, tireAge, pitInSeconds, pitOutSeconds, ...row } of own) {
    const age = tireAge ?? lap;
    if (row.stint !== stint) {
      stint = row.stint;
      index++;
      const opened = {
        Compound: compound,
        New: age <= 1 ? 'true' : 'false',
        TotalLaps: age - 1,
        StartLaps: age - 1,
      };
      const at = lap === 1 ? firstSeconds : (pitOutSeconds ?? leaders.get(lap - 1)!);
      add(at, 1, 'TimingAppData', { Stints: { [index]: opened } });
    }
    const ahead = byLap.get(lap)!.flatMap((one) => (one.endSeconds < endSeconds ? [one.endSeconds] : []));
    const interval = ahead.length === 0 ? '' : `+${(endSeconds - Math.max(...ahead)).toFixed(3)}`;
    add(endSeconds, 2, 'TimingData', {
      NumberOfLaps: lap,
      Position: String(ahead.length + 1),
      Line: ahead.length + 1,
      GapToLeader: ahead.length === 0 ? `LAP ${lap}` : `+${(endSeconds - leaders.get(lap)!).toFixed(3)}`,
      IntervalToPositionAhead: { Value: interval },
      ...(seconds === null ? {} : { LastLapTime: { Value: lapTimeText(seconds) } }),
    });
    add(endSeconds, 2, 'TimingAppData', { Stints: { [index]: { TotalLaps: age } } });
    if (pitInSeconds !== null) add(pitInSeconds, 1, 'TimingData', { InPit: true });
    if (pitOutSeconds === null) continue;
    add(pitOutSeconds, 2, 'TimingData', { InPit: false, PitOut: true });
    add(endSeconds, 3, 'TimingData', { PitOut: false });
  }
  const last = own.at(-1);
  // A car that completes no further lap is out some time after its last one.
  if (last !== undefined && last.lap < laps - 3) add(last.endSeconds + 200, 2, 'TimingData', { Stopped: true });
  return messages;
}

function start(seconds: number, topic: string, message: object): TimedMessage {
  return { seconds, rank: 0, topic, message };
}

function driverOf(number: string, name: string) {
  return { RacingNumber: number, FullName: name };
}

/** Of the digits seen during a lap the one that slows the most. */
function worstStatus(digits: string): string {
  return ['5', '4', '6', '7'].find((digit) => digits.includes(digit)) ?? '1';
}

function lapTimeText(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  return `${minutes}:${(seconds - minutes * 60).toFixed(3).padStart(6, '0')}`;
}
