// The race of an invented weekend, in the dry: pit stops and a double stack, a virtual safety car for a car that
// stopped, a safety car for a car that crashed, a served penalty, a car that is lapped after a long stop, and a change
// of the lead that also changes the lead of the championship.

import type { Frame } from '#engine/racing/frame.ts';
import { RaceFrames } from './race-frames.ts';
import type { RacePlan } from './race-run.ts';
import { mistimedSamples, samples } from './samples.ts';
import { Script } from './script.ts';
import { weekend } from './weekend.ts';

export const RACE_ID = '2026-lakeland-race';
export const RACE_START = '2026-06-07T13:58:00Z';

const BOTH = ['PitLaneTimeCollection', 'PitStopSeries'] as const;

export const RACE_PLAN: RacePlan = {
  laps: 18,
  fuelSeconds: 3.78,
  lights: 120,
  cars: [
    { number: '3', pace: 0, compound: 'SOFT', stops: [{ lap: 7, compound: 'HARD', stands: 2.4, publishedIn: BOTH }] },
    {
      number: '7',
      pace: 0.1,
      compound: 'MEDIUM',
      stops: [{ lap: 9, compound: 'HARD', stands: 2.2, publishedIn: BOTH }],
    },
    {
      number: '11',
      pace: 0.15,
      compound: 'SOFT',
      lost: { 9: 2.8 },
      stops: [{ lap: 6, compound: 'HARD', stands: 2.9, publishedIn: BOTH }],
    },
    {
      number: '22',
      pace: 0.3,
      compound: 'MEDIUM',
      stops: [{ lap: 9, compound: 'HARD', stands: 3.1, publishedIn: ['PitLaneTimeCollection'] }],
      out: { lap: 12, sector: 1 },
    },
    {
      number: '18',
      pace: 0.45,
      compound: 'MEDIUM',
      stops: [
        { lap: 8, compound: 'HARD', stands: 2.5, publishedIn: BOTH },
        { lap: 12, compound: 'SOFT', stands: 2.6, age: 3 },
      ],
    },
    {
      number: '5',
      pace: 0.7,
      compound: 'SOFT',
      lost: { 5: 1.4 },
      stops: [
        { lap: 7, compound: 'MEDIUM', stands: 2.8, publishedIn: BOTH },
        { lap: 12, compound: 'SOFT', stands: 3, publishedIn: BOTH },
      ],
    },
    // The second of the two waits behind the first.
    {
      number: '41',
      pace: 0.8,
      compound: 'MEDIUM',
      stops: [{ lap: 8, compound: 'HARD', stands: 2.7, publishedIn: BOTH }],
    },
    {
      number: '14',
      pace: 0.85,
      compound: 'MEDIUM',
      lost: { 6: 2.4 },
      stops: [{ lap: 8, compound: 'HARD', stands: 7.3, publishedIn: BOTH }],
      out: { lap: 10, sector: 1 },
    },
    // Five seconds of penalty are part of the stop.
    {
      number: '66',
      pace: 0.2,
      compound: 'MEDIUM',
      stops: [{ lap: 11, compound: 'HARD', stands: 7.6, publishedIn: BOTH }],
    },
    // Its tires hit the cliff.
    {
      number: '27',
      pace: 1.1,
      compound: 'HARD',
      lost: { 7: 1.6, 8: 1.7, 9: 1.8 },
      stops: [{ lap: 15, compound: 'SOFT', stands: 58, publishedIn: BOTH }],
    },
  ],
  slow: { 10: 1.3, 12: 1.3 },
  trains: { 13: [94, 1.5], 14: [90, 0.9] },
};

export function raceFrames(): Frame[] {
  const script = new Script(RACE_START);
  const race = new RaceFrames(script, RACE_PLAN);
  before(script, race);
  race.race();
  orderAndPenalties(script, race);
  neutralised(script, race);
  championship(script, race);
  radioAndSamples(script, race);
  after(script, race);
  return script.frames();
}

function before(script: Script, race: RaceFrames): void {
  weekend(script, { key: 9901, type: 'Race', name: 'Race', day: '2026-06-07', from: '16:00:00', to: '18:00:00' });
  script.track(0, 1);
  script.status(0.5, 'Inactive', 'Inactive');
  script.lap(1, 1, RACE_PLAN.laps);
  script.clock(1, '02:00:00', false);
  race.snapshots(2);
  statistics(script, 3);
  race.formation(10);
  script.raceControl(1, 'DRS DISABLED', { Category: 'Drs', Status: 'DISABLED' });
  script.raceControl(60, 'FORMATION LAP WILL START AT 16:00');
  script.raceControl(118, 'STANDING START');
  script.status(RACE_PLAN.lights, 'Started', 'Started');
  script.clock(RACE_PLAN.lights + 0.1, '01:59:59', true);
}

/** Adds best sectors and speeds, which TimingStats has besides best laps. */
function statistics(script: Script, seconds: number): void {
  const numbers = RACE_PLAN.cars.map(({ number }) => number);
  const none = { Value: '' };
  script.at(seconds, 'TimingStats', {
    Withheld: false,
    SessionType: 'Race',
    Lines: Object.fromEntries(
      numbers.map((number, index) => [
        number,
        {
          Line: index + 1,
          RacingNumber: number,
          PersonalBestLapTime: none,
          BestSectors: [none, none, none],
          BestSpeeds: { I1: none, I2: none, FL: none, ST: none },
        },
      ]),
    ),
  });
  script.at(290, 'TimingStats', {
    Lines: {
      3: { BestSectors: { 0: { Value: '19.803', Position: 1 } }, BestSpeeds: { ST: { Value: '318', Position: 2 } } },
      7: { BestSectors: { 0: { Value: '19.961', Position: 2 } }, BestSpeeds: { ST: { Value: '321', Position: 1 } } },
    },
  });
  script.at(350, 'TimingStats', {
    Lines: {
      66: {
        BestSectors: { 1: { Value: '23.477', Position: 1 }, 2: { Value: '20.610', Position: 3 } },
        BestSpeeds: {
          I1: { Value: '244', Position: 4 },
          I2: { Value: '262', Position: 1 },
          FL: { Value: '287', Position: 2 },
        },
      },
      7: { BestSpeeds: { ST: { Position: 2 } } },
    },
  });
  // TyreStintSeries repeats old lap counts.
  script.at(400, 'TyreStintSeries', { Stints: { 18: { 0: { TotalLaps: 2 } } } });
  const best = { OverallFastest: true, PersonalFastest: true };
  script.lines(352, {
    3: { Speeds: { ST: { Value: '318', PersonalFastest: true }, I1: best, FL: { PersonalFastest: true } } },
    66: { Speeds: { ST: { Value: '322', ...best }, I2: best }, ShowPosition: false },
    7: { Speeds: { FL: best } },
  });
}

function orderAndPenalties(script: Script, race: RaceFrames): void {
  const drs = (seconds: number, Status: 'ENABLED' | 'DISABLED') =>
    script.raceControl(seconds, `DRS ${Status}`, { Category: 'Drs', Status });
  drs(race.lapStart(3), 'ENABLED');
  drs(race.lapStart(10) + 30, 'DISABLED');
  drs(race.lapStart(11) + 40, 'ENABLED');
  drs(race.lapStart(12) + 32, 'DISABLED');
  drs(race.lapStart(16) + 20, 'ENABLED');

  const incident = 'INCIDENT INVOLVING CARS 66 (LIN) AND 41 (SAT)';
  script.raceControl(race.crossing('66', 5, 2), `TURN 4 ${incident} NOTED - CAUSING A COLLISION`);
  script.raceControl(
    race.crossing('66', 6, 1),
    `FIA STEWARDS: TURN 4 ${incident} UNDER INVESTIGATION - CAUSING A COLLISION`,
  );
  const penalty = '5 SECOND TIME PENALTY FOR CAR 66 (LIN) - CAUSING A COLLISION';
  script.raceControl(race.crossing('66', 8, 2), `FIA STEWARDS: ${penalty}`);
  script.raceControl(race.crossing('66', 12, 2), `FIA STEWARDS: PENALTY SERVED - ${penalty}`);
  script.raceControl(
    race.lapStart(3) + 25,
    'FIA STEWARDS: LAP 2 TURN 6 INCIDENT INVOLVING CARS 11 (ARA) AND 7 (OKE) REVIEWED NO FURTHER INVESTIGATION',
  );
  script.raceControl(
    race.lapStart(10) + 3,
    'PIT LANE INCIDENT INVOLVING CAR 22 (MAR) WILL BE INVESTIGATED AFTER THE RACE - UNSAFE RELEASE',
  );
  script.raceControl(
    race.lapStart(18) + 8,
    'FIA STEWARDS: 10 SECOND STOP/GO PENALTY FOR CAR 27 (NAV) - IGNORING BLUE FLAGS',
  );
  script.raceControl(race.lapStart(2) + 15, 'FIRST LAP INCIDENTS AT TURNS 1 AND 2 ALL NOTED');
  script.raceControl(
    race.lapStart(4) + 11,
    'CAR 5 (DUN) TIME 1:05.201 DELETED - TRACK LIMITS AT TURN 11 LAP 3 16:03:12',
  );
  script.raceControl(race.lapStart(6) + 5, 'BLACK AND WHITE FLAG FOR CAR 5 (DUN) - TRACK LIMITS', {
    Category: 'Flag',
    Flag: 'BLACK AND WHITE',
    Scope: 'Driver',
    RacingNumber: '5',
  });
  script.raceControl(race.lapStart(17) + 9, 'WAVED BLUE FLAG FOR CAR 27 (NAV) TIMED AT 16:19:01', {
    Category: 'Flag',
    Flag: 'BLUE',
    Scope: 'Driver',
    RacingNumber: '27',
    Lap: 17,
  });
  // Side by side: the overview marks one car as being overtaken.
  const passes = race.crossing('66', 3, 1);
  script.at(passes, 'DriverRaceInfo', { 66: { OvertakeState: 2 }, 14: { OvertakeState: 1 } });
  script.at(passes + 6, 'DriverRaceInfo', { 66: { OvertakeState: 0 }, 14: { OvertakeState: 0, IsOut: false } });
}

function neutralised(script: Script, race: RaceFrames): void {
  // Car 14 rolls out on lap 10.
  const stops = race.crossing('14', 10, 1) + 9;
  script.lines(stops, { 14: { Stopped: true, Status: 68, Sectors: { 1: { Stopped: true } } } });
  script.track(stops + 3, 2);
  const yellow = { Category: 'Flag', Scope: 'Sector', Sector: 9 };
  script.raceControl(stops + 3, 'DOUBLE YELLOW IN TRACK SECTOR 9', { ...yellow, Flag: 'DOUBLE YELLOW' });
  const virtual = { Category: 'SafetyCar', Mode: 'VIRTUAL SAFETY CAR' };
  script.track(stops + 9, 6);
  script.raceControl(stops + 9, 'VIRTUAL SAFETY CAR DEPLOYED', { ...virtual, Status: 'DEPLOYED' });
  script.raceControl(stops + 48, 'VIRTUAL SAFETY CAR ENDING', { ...virtual, Status: 'ENDING' });
  script.track(stops + 48, 7);
  script.track(stops + 58, 1);
  script.raceControl(stops + 58, 'TRACK CLEAR', { Category: 'Flag', Flag: 'CLEAR', Scope: 'Track' });
  script.at(stops + 70, 'DriverRaceInfo', { 14: { IsOut: true } });

  // Car 22 crashes on lap 12, and the timing marks it as retired.
  const crash = race.crossing('22', 12, 1) + 7;
  script.lines(crash, { 22: { Stopped: true, Status: 68 } });
  script.track(crash + 2, 2);
  script.lines(crash + 14, { 22: { Retired: true, Status: 76 } });
  const car = { Category: 'SafetyCar', Mode: 'SAFETY CAR' };
  script.track(crash + 6, 4);
  script.raceControl(crash + 6, 'SAFETY CAR DEPLOYED', { ...car, Status: 'DEPLOYED' });
  script.raceControl(race.lapStart(14) + 20, 'SAFETY CAR IN THIS LAP', { ...car, Status: 'IN THIS LAP' });
  script.track(race.lapStart(15), 1);
  script.raceControl(race.lapStart(15), 'TRACK CLEAR', { Category: 'Flag', Flag: 'CLEAR', Scope: 'Track' });
}

function championship(script: Script, race: RaceFrames): void {
  const before = { 3: 120, 7: 112, 11: 84, 22: 60, 18: 78, 5: 41, 41: 12, 14: 9, 66: 33, 27: 2 };
  const Drivers = Object.fromEntries(
    Object.entries(before)
      .sort(([, a], [, b]) => b - a)
      .map(([RacingNumber, CurrentPoints], index) => [
        RacingNumber,
        {
          RacingNumber,
          CurrentPosition: index + 1,
          PredictedPosition: index + 1,
          CurrentPoints,
          PredictedPoints: CurrentPoints,
        },
      ]),
  );
  const team = (TeamName: string, position: number, points: number) => ({
    TeamName,
    CurrentPosition: position,
    PredictedPosition: position,
    CurrentPoints: points,
    PredictedPoints: points,
  });
  const Teams = {
    'Aster Racing Vantor': team('Aster Racing', 1, 204),
    Borealis: team('Borealis', 2, 190),
    'Copperline GP': team('Copperline GP', 3, 101),
    Everfield: team('Everfield', 4, 35),
    'Delta Marine': team('Delta Marine', 5, 21),
  };
  // An entry for an absent driver has no racing number.
  const absent = { RacingNumber: '', CurrentPosition: 11, PredictedPosition: 11, CurrentPoints: 0, PredictedPoints: 0 };
  script.at(4, 'ChampionshipPrediction', { Drivers: { ...Drivers, '': absent }, Teams });
  // While car 3 is in the pits, car 7 and its team lead the predicted championship.
  const stops = race.lapStart(8) + 25;
  script.at(stops, 'ChampionshipPrediction', {
    Drivers: { 3: { PredictedPosition: 2, PredictedPoints: 132 }, 7: { PredictedPosition: 1, PredictedPoints: 137 } },
    Teams: {
      'Aster Racing Vantor': { PredictedPosition: 2, PredictedPoints: 222 },
      Borealis: { PredictedPosition: 1, PredictedPoints: 227 },
    },
  });
  script.at(race.lapStart(10) + 20, 'ChampionshipPrediction', {
    Drivers: { 3: { PredictedPosition: 1, PredictedPoints: 145 }, 7: { PredictedPosition: 2, PredictedPoints: 130 } },
    Teams: {
      'Aster Racing Vantor': { PredictedPosition: 1, PredictedPoints: 244 },
      Borealis: { PredictedPosition: 2, PredictedPoints: 218 },
    },
  });
}

function radioAndSamples(script: Script, race: RaceFrames): void {
  const stop = race.crossing('3', 7, 3);
  const capture = (seconds: number, RacingNumber: string, file: string) => ({
    Utc: script.utc(seconds),
    RacingNumber,
    Path: `TeamRadio/${file}.mp3`,
  });
  // The first message has a radio message that is minutes old.
  script.at(stop - 30, 'TeamRadio', {
    Captures: [capture(stop - 200, '7', 'OKE_1'), capture(stop - 34, '3', 'HOL_1')],
  });
  script.at(stop + 12, 'TeamRadio', { Captures: { 2: capture(stop + 9, '11', 'ARA_1') } });

  const car = { rpm: 11_200, speed: 298, gear: 8, throttle: 100, brake: 0, drs: 12, at: [1204, -388, 71] } as const;
  const parked = { rpm: 0, speed: 0, gear: 0, throttle: 104, brake: 104, drs: 0, at: [0, 0, 0] } as const;
  const early = race.lapStart(3) + 4;
  samples(script, early, { 3: { ...car, speed: 290 }, 27: parked }, { 3: car, 27: parked });
  samples(script, early + 1, {
    3: { ...car, speed: 121, gear: 3, throttle: 0, brake: 100, drs: 8, at: [1290, -402, 71] },
    27: parked,
  });
  // Car 5 runs wide.
  samples(script, early + 2.4, {
    3: { ...car, speed: 121, gear: 3, throttle: 0, brake: 100, drs: 8, at: [1290, -402, 71] },
    5: { ...car, speed: 96, gear: 2, drs: 9, at: [1311, -420, 70], status: 'OffTrack' },
  });
  // The clock of one sample is an hour ahead.
  mistimedSamples(script, early + 5, early + 3_605, { 3: { ...car, speed: 301 } });
  samples(script, early + 6, { 3: { ...car, speed: 302 } });
}

function after(script: Script, race: RaceFrames): void {
  const finish = race.lapStart(RACE_PLAN.laps + 1);
  script.raceControl(finish, 'CHEQUERED FLAG', { Category: 'Flag', Flag: 'CHEQUERED', Scope: 'Track' });
  script.status(finish + 75, 'Finished', 'Finished');
  script.clock(finish + 76, '01:38:20', false);
  const home = RACE_PLAN.cars.filter(({ out }) => out === undefined);
  for (const [index, { number }] of home.entries())
    script.lines(finish + 90 + index * 4, { [number]: { InPit: true } });
  script.status(finish + 140, 'Finalised', 'Finished');
  script.status(finish + 170, 'Ends', 'Finished');
  script.heartbeats(finish + 170);
  for (let minute = 0; minute * 60 < finish + 170; minute++) {
    script.at(minute * 60 + 13, 'WeatherData', {
      AirTemp: (24 + (minute % 4) / 10).toFixed(1),
      Humidity: '46.0',
      Pressure: '1013.2',
      Rainfall: '0',
      TrackTemp: (38.5 - minute / 10).toFixed(1),
      WindDirection: String(80 + 3 * minute),
      WindSpeed: '2.1',
    });
  }
}
