// The qualifying of an invented weekend: three parts with fourteen, twelve and ten cars. A deleted lap costs a car its
// place in the next part. A car stops in the second part, which is interrupted for it.

import type { Frame } from '#engine/racing/frame.ts';
import { ENTRANTS } from './entrants.ts';
import { samples } from './samples.ts';
import { Script } from './script.ts';
import { OUT_SECONDS, type TimedRun, TimedRuns } from './timed-runs.ts';
import { weekend } from './weekend.ts';

export const QUALIFYING_ID = '2026-lakeland-qualifying';
export const QUALIFYING_START = '2026-06-06T13:57:00Z';

/** By racing number: `leaves lap, leaves lap`, in seconds since the start of the part, and of the lap. */
type Runs = Readonly<Record<string, string>>;

const Q1: Runs = {
  3: '10 61.402, 268 60.911',
  11: '14 61.655, 281 61.020',
  7: '22 61.310, 276 61.105',
  18: '27 61.940, 285 61.388',
  22: '31 61.702, 270 61.274',
  5: '36 62.120, 292 61.731',
  41: '40 62.015, 296 61.800',
  14: '45 62.301, 300 61.911',
  66: '49 61.590, 285 61.366',
  27: '54 62.480, 304 62.044',
  // The second lap is fast enough to advance, but is deleted.
  88: '58 62.605, 288 61.650',
  9: '63 62.350, 298 62.133',
  50: '67 62.190, 308 61.988',
  36: '72 62.940, 302 62.520',
};
const Q2: Runs = {
  3: '12 60.870, 330 60.402',
  11: '16 61.031, 338 60.688',
  7: '20 60.744, 342 60.511',
  18: '25 61.220, 334 60.990',
  22: '29 61.102, 346 60.875',
  5: '33 61.604, 350 61.301',
  41: '38 61.713, 326 61.422',
  14: '43 61.799, 354 61.513',
  66: '47 61.015, 322 60.933',
  27: '51 61.980, 358 61.702',
  9: '55 62.006, 362 61.850',
  50: '60 61.870',
};
const Q3: Runs = {
  3: '15 60.380, 245 59.987',
  11: '20 60.602, 255 60.305',
  7: '25 60.290, 260 60.041',
  18: '30 60.955, 250 60.711',
  22: '35 60.780, 265 60.498',
  5: '40 61.214',
  41: '45 61.377',
  14: '50 61.480, 270 61.290',
  66: '55 60.840, 275 60.655',
  27: '60 61.655, 280 61.401',
};

function runsOf(runs: Runs, begins: number): TimedRun[] {
  return Object.entries(runs).flatMap(([number, text]) =>
    text.split(', ').map((run) => {
      const [leaves, lap] = run.split(' ').map(Number) as [number, number];
      return { number, leaves: begins + leaves, lap };
    }),
  );
}

/** When the parts start, and how long they last. */
const PARTS = { q1: 180, q2: 860, q3: 1_640 } as const;
const SECONDS = { q1: 440, q2: 520, q3: 360 } as const;

export function qualifyingFrames(): Frame[] {
  const script = new Script(QUALIFYING_START);
  const cars = new TimedRuns(
    script,
    ENTRANTS.map(({ number }) => number),
    1,
  );
  const day = '2026-06-06';
  weekend(script, { key: 9903, type: 'Qualifying', name: 'Qualifying', day, from: '16:00:00', to: '17:00:00' });
  script.track(0, 1);
  script.status(0.5, 'Inactive', 'Inactive');
  script.qualifyingPart(1, 0);
  script.at(1, 'TimingData', { NoEntries: [0, 0, 0], SessionPart: 0, Lines: {}, Withheld: false });
  cars.snapshots(2, { NoEntries: { 0: 14, 1: 12, 2: 10 }, SessionPart: 1, CutOffTime: '', CutOffPercentage: '107' });
  script.qualifyingPart(2, 1);
  script.clock(3, '00:07:20', false);
  tires(script);
  script.raceControl(90, '3 PLACE GRID PENALTY FOR CAR 36 (ABE) - IMPEDING CAR 18 (VIR) IN PRACTICE');
  script.raceControl(95, 'FIA STEWARDS: REPRIMAND PENALTY FOR CAR 5 (DUN) - WALKING ON TRACK');

  cars.cutOff(12);
  part(script, PARTS.q1, SECONDS.q1, '00:07:19');
  cars.drive(runsOf(Q1, PARTS.q1));
  deletedLap(script, cars);
  script.at(PARTS.q1 + SECONDS.q1 + 70, 'TimingData', { CutOffTime: '1:05.174' });
  next(script, PARTS.q2, '00:08:40');
  cars.nextPart(PARTS.q2 - 60, 12, 10, { CutOffTime: '' });
  script.qualifyingPart(PARTS.q2 - 60, 2);

  part(script, PARTS.q2, SECONDS.q2, '00:08:39');
  cars.drive(runsOf(Q2, PARTS.q2).map((run) => (run.number === '50' ? { ...run, parks: true } : run)));
  interruption(script);
  next(script, PARTS.q3, '00:06:00');
  cars.nextPart(PARTS.q3 - 60, 10, null, {});
  script.qualifyingPart(PARTS.q3 - 60, 3);

  part(script, PARTS.q3, SECONDS.q3, '00:05:59');
  cars.drive(runsOf(Q3, PARTS.q3));
  const end = PARTS.q3 + SECONDS.q3;
  script.status(end + 230, 'Finalised', 'Finished');
  script.status(end + 230, 'Ends', 'Finished');
  script.heartbeats(end + 230);
  weather(script, end + 230);
  return script.frames();
}

function part(script: Script, begins: number, seconds: number, remaining: string): void {
  const end = begins + seconds;
  script.status(begins, 'Started', 'Started');
  script.clock(begins + 1, remaining, true);
  script.raceControl(begins, 'GREEN LIGHT - PIT EXIT OPEN', { Category: 'Flag', Flag: 'GREEN', Scope: 'Track' });
  script.raceControl(end, 'CHEQUERED FLAG', { Category: 'Flag', Flag: 'CHEQUERED', Scope: 'Track' });
  script.status(end, 'Finished', 'Finished');
  script.clock(end, '00:00:00', false);
}

/** Sets up the clock and the status for the next part. */
function next(script: Script, begins: number, remaining: string): void {
  script.clock(begins - 60, remaining);
  script.status(begins - 55, 'Inactive', 'Finished');
}

/** Deletes the second lap of car 88: the timing returns to its first one. */
function deletedLap(script: Script, cars: TimedRuns): void {
  const seconds = PARTS.q1 + 288 + OUT_SECONDS + 61.65 + 45;
  const message = 'CAR 88 (COS) TIME 1:01.650 DELETED - TRACK LIMITS AT TURN 4 LAP 5 16:10:36';
  script.raceControl(seconds, message);
  const place = cars.order.indexOf('88');
  const behind = cars.order.slice(place + 1);
  const moved = behind.map((number, index) => [number, place + index + 1] as const);
  const last = cars.order.length;
  const lines: Record<string, object> = Object.fromEntries(
    moved.map(([number, Line]) => [number, { Line, Position: String(Line), Cutoff: Line > 12 }]),
  );
  lines['88'] = {
    Line: last,
    Position: String(last),
    BestLapTime: { Value: '1:02.605', Lap: 2 },
    BestLapTimes: { 0: { Value: '1:02.605', Lap: 2 } },
    Cutoff: true,
  };
  script.lines(seconds + 1, lines as Readonly<Record<string, Record<string, unknown>>>);
  cars.moveTo('88', last);
}

/** Car 50 stops on its way back, and the part is interrupted. */
function interruption(script: Script): void {
  const stops = PARTS.q2 + 60 + OUT_SECONDS + 61.87 + 12;
  script.lines(stops, { 50: { Stopped: true, Status: 68 } });
  script.track(stops + 2, 2);
  script.raceControl(stops + 2, 'DOUBLE YELLOW IN TRACK SECTOR 2', {
    Category: 'Flag',
    Flag: 'DOUBLE YELLOW',
    Scope: 'Sector',
    Sector: 2,
  });
  script.track(stops + 6, 5);
  script.raceControl(stops + 6, 'RED FLAG', { Category: 'Flag', Flag: 'RED', Scope: 'Track' });
  script.status(stops + 6.5, 'Aborted', 'Started');
  script.clock(stops + 7, '00:05:10', false);
  script.raceControl(stops + 14, 'TURN 3 INCIDENT INVOLVING CARS 50 (KOW) AND 22 (MAR) NOTED');
  script.lines(stops + 20, { 50: { Retired: true } });
  script.raceControl(stops + 60, 'Q2 WILL RESUME AT 16:17');
  script.track(stops + 70, 1);
  script.status(stops + 80, 'Inactive', 'Started');
  script.status(stops + 100, 'Started', 'Started');
  script.clock(stops + 101, '00:05:09', true);
}

/** Adds the tires: used ones in the first part, new ones from then on. */
function tires(script: Script): void {
  const stint = (stints: unknown) =>
    Object.fromEntries(ENTRANTS.map(({ number }) => [number, { Stints: stints }] as const));
  const used = { LapFlags: 0, Compound: 'SOFT', New: 'false', TyresNotChanged: '0', TotalLaps: 3, StartLaps: 3 };
  script.at(100, 'TimingAppData', { Lines: stint([used]) });
  script.at(PARTS.q2 - 30, 'TimingAppData', {
    Lines: { 3: { Stints: { 1: { ...used, New: 'true', TotalLaps: 0, StartLaps: 0 } } } },
  });
  script.at(PARTS.q2 + 400, 'TimingAppData', {
    Lines: { 3: { Stints: { 1: { LapTime: '1:00.402', LapNumber: 8, LapFlags: 1, TotalLaps: 6 } } } },
  });
  const car = { rpm: 11_900, speed: 311, gear: 8, throttle: 100, brake: 0, drs: 14, at: [-812, 2044, 65] } as const;
  samples(script, PARTS.q3 + 120, { 3: car, 7: { ...car, speed: 305, rpm: 11_650 } });
}

function weather(script: Script, until: number): void {
  for (let minute = 0; minute * 60 < until; minute++) {
    script.at(minute * 60 + 31, 'WeatherData', {
      AirTemp: '22.8',
      Humidity: '52.0',
      Pressure: '1009.9',
      Rainfall: '0',
      TrackTemp: (36 - minute / 5).toFixed(1),
      WindDirection: '140',
      WindSpeed: (1 + (minute % 3) / 2).toFixed(1),
    });
  }
}
