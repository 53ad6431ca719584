// A short race with messages of every topic.

import { deflateRawSync } from 'node:zlib';
import type { Frame } from '#engine/racing/frame.ts';
import { at, DRIVERS, raceUnderWay } from '#test/racing/scripted-session.ts';

export const EVERY_TOPIC: readonly Frame[] = [
  ...raceUnderWay(),
  at(10, 'RaceControlMessages', {
    Messages: { 0: { Utc: '2025-05-04T20:00:10', Category: 'Flag', Flag: 'RED', Message: 'RED FLAG' } },
  }),
  at(20, 'WeatherData', {
    AirTemp: '28.7',
    Rainfall: '0',
    WindDirection: '80',
    TrackTemp: '50.1',
    Humidity: '60',
    Pressure: '1011',
    WindSpeed: '1',
  }),
  at(30, 'ExtrapolatedClock', { Utc: '2025-05-04T20:00:30.1Z', Remaining: '01:20:00', Extrapolating: true }),
  at(35, 'TeamRadio', {
    Captures: { 0: { Utc: '2025-05-04T20:00:35Z', RacingNumber: '4', Path: 'TeamRadio/NOR.mp3' } },
  }),
  at(40, 'TimingAppData', { Lines: { 4: { Stints: { 0: { Compound: 'SOFT', New: 'true', TotalLaps: 3 } } } } }),
  at(41, 'TyreStintSeries', { Stints: { 4: [{ Compound: 'SOFT', New: 'true', TotalLaps: 3, StartLaps: 0 }] } }),
  at(42, 'CurrentTyres', { Tyres: { 4: { Compound: 'SOFT', New: true } } }),
  at(43, 'PitLaneTimeCollection', { PitTimes: { 4: { RacingNumber: '4', Duration: '22.3', Lap: '11' } } }),
  at(44, 'PitStopSeries', {
    PitTimes: {
      4: [
        {
          Timestamp: '2025-05-04T20:00:44Z',
          PitStop: { RacingNumber: '4', PitStopTime: '2.3', PitLaneTime: '22.3', Lap: '11' },
        },
      ],
    },
  }),
  at(45, 'TopThree', { Withheld: false, Lines: [{ Position: '1', RacingNumber: '1', LapTime: '1:23.456' }] }),
  at(46, 'TimingStats', {
    Lines: { 1: { PersonalBestLapTime: { Value: '1:23.456', Position: 1 }, BestSpeeds: { I1: { Value: '300' } } } },
  }),
  at(47, 'LapSeries', { 1: { LapPosition: ['1', '2', '3'] } }),
  at(48, 'ChampionshipPrediction', {
    Drivers: {
      1: { RacingNumber: '1', CurrentPosition: 1, PredictedPosition: 2, CurrentPoints: 100, PredictedPoints: 118.5 },
    },
    Teams: { 'Red Bull Racing': { TeamName: 'Red Bull Racing', PredictedPoints: 200, PredictedPosition: 1 } },
  }),
  at(49, 'DriverRaceInfo', {
    1: {
      RacingNumber: '1',
      Position: '1',
      Gap: '',
      Interval: '',
      PitStops: 1,
      Catching: 0,
      OvertakeState: 0,
      IsOut: false,
    },
  }),
  at(50, 'TimingData', {
    Lines: {
      4: {
        LastLapTime: { Value: '1:23.456', PersonalFastest: true },
        NumberOfLaps: 10,
        GapToLeader: '+1.2',
        IntervalToPositionAhead: { Value: '+0.4' },
        Sectors: { 0: { Value: '27.1', Segments: { 0: { Status: 2048 } } } },
      },
    },
  }),
  at(51, 'SessionData', {
    Series: { 0: { Utc: '2025-05-04T20:00:51Z', Lap: 11 } },
    StatusSeries: { 0: { Utc: '2025-05-04T20:00:51Z', TrackStatus: 'Yellow' } },
  }),
  at(52, 'Heartbeat', { Utc: '2025-05-04T20:00:52.5Z' }),
  at(
    53,
    'CarData.z',
    deflateRawSync(
      JSON.stringify({
        Entries: [
          { Utc: '2025-05-04T20:00:53Z', Cars: { 4: { Channels: { 0: 10_500, 2: 280, 3: 7, 4: 100, 5: 0, 45: 12 } } } },
        ],
      }),
    ).toString('base64'),
  ),
  at(
    54,
    'Position.z',
    deflateRawSync(
      JSON.stringify({
        Position: [{ Timestamp: '2025-05-04T20:00:54Z', Entries: { 4: { Status: 'OnTrack', X: 1, Y: -2, Z: 3 } } }],
      }),
    ).toString('base64'),
  ),
  at(120, 'LapCount', { CurrentLap: 11 }),
  at(130, 'TrackStatus', { Status: '4', Message: 'SCDeployed' }),
  at(140, 'TimingData', {
    Lines: Object.fromEntries(
      Object.keys(DRIVERS).map((number, index) => [number, { Position: String(8 - index), InPit: index % 2 === 0 }]),
    ),
  }),
  at(200, 'TimingData', {
    Lines: Object.fromEntries(Object.keys(DRIVERS).map((number) => [number, { InPit: false, PitOut: true }])),
  }),
  at(300, 'SessionStatus', { Status: 'Finished' }),
];
