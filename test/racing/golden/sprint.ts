// The sprint of an invented weekend. It starts to rain, all cars change to intermediates, and a crash brings the red
// flag. The connection is lost while the field is in the pit lane. After a standing start, a drive-through is served
// and a car stops.

import type { Frame } from '#engine/racing/frame.ts';
import { RaceFrames } from './race-frames.ts';
import { type RacePlan, RESUME_APART_SECONDS } from './race-run.ts';
import { Script } from './script.ts';
import { weekend } from './weekend.ts';

export const SPRINT_ID = '2026-lakeland-sprint';
export const SPRINT_START = '2026-06-06T09:58:00Z';

const LANE = ['PitLaneTimeCollection'] as const;
const wet = (lap: number, stands: number, publishedIn: readonly 'PitLaneTimeCollection'[] = LANE) => ({
  lap,
  compound: 'INTERMEDIATE',
  stands,
  publishedIn,
});

/** When the cars leave the pit lane again. */
const RESUMED = 1_000;
/** Cars 88 and 3 swapped places after the line that decides the order of the restart. */
const RESTART = ['11', '88', '3', '50', '22', '7', '9'];

export const SPRINT_PLAN: RacePlan = {
  laps: 11,
  fuelSeconds: 1.26,
  lights: 120,
  cars: [
    { number: '7', pace: 0.1, compound: 'SOFT', stops: [wet(3, 2.6)] },
    { number: '3', pace: 0, compound: 'SOFT', stops: [wet(4, 2.9)] },
    { number: '88', pace: 0.5, compound: 'SOFT', stops: [wet(4, 2.3)] },
    {
      number: '22',
      pace: 0.3,
      compound: 'SOFT',
      // The second is the drive-through.
      stops: [wet(4, 3.4), { lap: 9, compound: null, stands: 0 }],
    },
    { number: '9', pace: 0.7, compound: 'MEDIUM', stops: [wet(4, 2.8, [])], out: { lap: 9, sector: 1 } },
    { number: '11', pace: 0.2, compound: 'SOFT', stops: [wet(5, 3.1)] },
    { number: '50', pace: 0.9, compound: 'MEDIUM', stops: [wet(5, 2.7)] },
    { number: '36', pace: 1.2, compound: 'MEDIUM', out: { lap: 6, sector: 2 } },
  ],
  slow: { 3: 1.03, 4: 1.09, 5: 1.09, 6: 1.2, 8: 1.06, 9: 1.04, 10: 1.02 },
  trains: { 7: [88, 1.4] },
  pause: { afterLap: 6, until: RESUMED, order: RESTART },
};

export function sprintFrames(): Frame[] {
  const script = new Script(SPRINT_START);
  const race = new RaceFrames(script, SPRINT_PLAN);
  weekend(script, { key: 9902, type: 'Race', name: 'Sprint', day: '2026-06-06', from: '12:00:00', to: '13:00:00' });
  script.track(0, 1);
  script.status(0.5, 'Inactive', 'Inactive');
  script.lap(1, 1, SPRINT_PLAN.laps);
  race.snapshots(2);
  race.formation(10);
  script.raceControl(100, 'RISK OF RAIN FOR F1 SPRINT IS 60%');
  script.raceControl(118, 'STANDING START');
  script.status(SPRINT_PLAN.lights, 'Started', 'Started');
  race.race();
  redFlag(script, race);
  secondHalf(script, race);
  weather(script);
  const finish = race.lapStart(SPRINT_PLAN.laps + 1);
  script.raceControl(finish, 'CHEQUERED FLAG', { Category: 'Flag', Flag: 'CHEQUERED', Scope: 'Track' });
  script.status(finish + 20, 'Finished', 'Finished');
  script.status(finish + 120, 'Finalised', 'Finished');
  script.status(finish + 120, 'Ends', 'Finished');
  script.heartbeats(finish + 120);
  return script.frames();
}

function redFlag(script: Script, race: RaceFrames): void {
  const crash = race.crossing('36', 6, 2) + 5;
  script.lines(crash, { 36: { Stopped: true, Status: 68 } });
  script.track(crash + 2, 2);
  script.track(crash + 8, 5);
  script.raceControl(crash + 8, 'RED FLAG', { Category: 'Flag', Flag: 'RED', Scope: 'Track' });
  script.status(crash + 9, 'Aborted', 'Started');
  script.raceControl(
    Math.ceil(crash + 25),
    'TURN 7 INCIDENT INVOLVING CARS 36 (ABE) AND 50 (KOW) NOTED - CAUSING A COLLISION',
  );
  script.lines(crash + 30, { 36: { Retired: true, Status: 76 } });
  const inLane = (number: string) => race.crossing(number, 6, 3) + 4;
  for (const number of RESTART) script.lines(inLane(number), { [number]: { InPit: true, Status: 80 } });
  script.status(crash + 90, 'Inactive', 'Started');
  // The order of the restart is that of the last line that all cars have passed. One message corrects it.
  const lines = RESTART.map((number, index) => [number, { Line: index + 1, Position: String(index + 1) }] as const);
  script.lines(crash + 120, Object.fromEntries(lines));
  // New intermediates for all cars except 22, whose entry says that its tires were not changed.
  for (const [index, number] of RESTART.entries()) {
    const stint = number === '22' ? { TyresNotChanged: '1', New: 'false' } : { TyresNotChanged: '0', New: 'true' };
    const age = number === '22' ? 2 : 0;
    script.at(crash + 200 + index, 'TimingAppData', {
      Lines: {
        [number]: {
          Stints: { 2: { ...stint, Compound: 'INTERMEDIATE', TotalLaps: age, StartLaps: age, LapFlags: 0 } },
        },
      },
    });
  }
  script.gap(crash + 203.5, crash + 260);
  // The cars leave one by one, behind the safety car.
  script.raceControl(RESUMED - 60, 'SPRINT WILL RESUME AT 12:14');
  script.status(RESUMED - 8, 'Started', 'Started');
  script.track(RESUMED - 9, 4);
  const car = { Category: 'SafetyCar', Mode: 'SAFETY CAR' };
  script.raceControl(RESUMED - 9, 'SAFETY CAR DEPLOYED', { ...car, Status: 'DEPLOYED' });
  for (const [index, number] of RESTART.entries()) {
    const leaves = RESUMED + RESUME_APART_SECONDS * index;
    script.lines(leaves, { [number]: { InPit: false, PitOut: true, Status: 608 } });
    script.lines(leaves + 25, { [number]: { PitOut: false, Status: 64 } });
    const Duration = (leaves - inLane(number)).toFixed(1);
    script.at(leaves + 1, 'PitLaneTimeCollection', {
      PitTimes: { [number]: { RacingNumber: number, Duration, Lap: '6' } },
    });
  }
  script.at(RESUMED + 60, 'PitLaneTimeCollection', { PitTimes: { _deleted: RESTART } });
  script.raceControl(RESUMED + 40, 'STANDING START');
  script.raceControl(RESUMED + 45, 'SAFETY CAR IN THIS LAP', { ...car, Status: 'IN THIS LAP' });
  script.track(race.lapStart(8), 1);
}

function secondHalf(script: Script, race: RaceFrames): void {
  const drive = 'DRIVE THROUGH PENALTY FOR CAR 22 (MAR) - SPEEDING IN THE PIT LANE';
  script.raceControl(race.lapStart(8) + 30, `FIA STEWARDS: ${drive}`);
  script.raceControl(race.crossing('22', 10, 3), `FIA STEWARDS: PENALTY SERVED - ${drive}`);
  const stops = race.crossing('9', 9, 1) + 12;
  script.lines(stops, { 9: { Stopped: true, Status: 68 } });
  script.track(stops + 3, 2);
  const yellow = { Category: 'Flag', Scope: 'Sector', Sector: 4 };
  script.raceControl(stops + 3, 'YELLOW IN TRACK SECTOR 4', { ...yellow, Flag: 'YELLOW' });
  script.raceControl(stops + 33, 'CLEAR IN TRACK SECTOR 4', { ...yellow, Flag: 'CLEAR' });
  script.track(stops + 33, 1);
  script.raceControl(Math.ceil(stops + 35), 'CAR 9 (YIL) STOPPED AT TURN 8');
  // Race control corrects the text of an earlier message.
  script.at(stops + 40, 'RaceControlMessages', { Messages: { 1: { Message: 'STANDING START (CORRECTED)' } } });
}

/** Adds the weather every minute: rain from minute 4 to 15, with a dry minute in between. */
function weather(script: Script): void {
  for (let minute = 0; minute < 26; minute++) {
    const rains = minute >= 4 && minute <= 15 && minute !== 6;
    script.at(minute * 60 + 20, 'WeatherData', {
      AirTemp: '17.4',
      Humidity: rains ? '91.0' : '80.0',
      Pressure: '1002.7',
      Rainfall: rains ? '1' : '0',
      TrackTemp: (24 - minute / 4).toFixed(1),
      WindDirection: '215',
      WindSpeed: '5.6',
    });
  }
}
