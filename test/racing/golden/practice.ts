// A short practice of an invented weekend: six cars, a yellow flag, and a driver who takes over another's car.

import type { Frame } from '#engine/racing/frame.ts';
import { Script } from './script.ts';
import { TimedRuns } from './timed-runs.ts';
import { weekend } from './weekend.ts';

export const PRACTICE_ID = '2026-lakeland-practice-1';
export const PRACTICE_START = '2026-06-05T09:29:00Z';

const NUMBERS = ['3', '7', '22', '41', '66', '88'];

export function practiceFrames(): Frame[] {
  const script = new Script(PRACTICE_START);
  const cars = new TimedRuns(script, NUMBERS, null);
  const day = '2026-06-05';
  weekend(script, {
    key: 9904,
    type: 'Practice',
    name: 'Practice 1',
    number: 1,
    day,
    from: '11:30:00',
    to: '12:30:00',
  });
  script.track(0, 1);
  script.status(0.5, 'Inactive', 'Inactive');
  cars.snapshots(2);
  // The team's reserve driver is in car 88. Only the driver list says so.
  script.at(20, 'DriverList', {
    88: {
      FirstName: 'Maren',
      LastName: 'Osterlund',
      FullName: 'Maren OSTERLUND',
      BroadcastName: 'M OSTERLUND',
      Tla: 'OST',
      NameFormat: 'LastNameIsPrimary',
    },
  });
  script.status(60, 'Started', 'Started');
  script.clock(60, '00:15:00', true);
  cars.drive([
    { number: '3', leaves: 70, lap: 63.204 },
    { number: '88', leaves: 80, lap: 64.871 },
    { number: '7', leaves: 90, lap: 62.995 },
    { number: '22', leaves: 150, lap: 63.31 },
    { number: '66', leaves: 170, lap: 63.122 },
    { number: '3', leaves: 420, lap: 62.508 },
    { number: '88', leaves: 430, lap: 65.01 },
    { number: '7', leaves: 440, lap: 62.611 },
  ]);
  // In this session, only TyreStintSeries has the tires.
  const tires = { Compound: 'MEDIUM', New: 'true', TyresNotChanged: '0', TotalLaps: 0, StartLaps: 0 };
  script.at(75, 'TyreStintSeries', { Stints: { 3: [tires], 7: [] } });
  script.at(95, 'TyreStintSeries', {
    Stints: { 7: { 0: { ...tires, Compound: 'HARD', New: 'false', TotalLaps: 4 } } },
  });
  script.at(210, 'TyreStintSeries', { Stints: { 3: { 0: { TotalLaps: 2 } } } });
  script.at(425, 'TyreStintSeries', { Stints: { 3: { 1: { ...tires, Compound: 'SOFT' } } } });
  script.track(300, 2);
  script.raceControl(300, 'YELLOW IN TRACK SECTOR 7', { Category: 'Flag', Flag: 'YELLOW', Scope: 'Sector', Sector: 7 });
  script.track(324, 1);
  script.raceControl(324, 'CLEAR IN TRACK SECTOR 7', { Category: 'Flag', Flag: 'CLEAR', Scope: 'Sector', Sector: 7 });
  // The timing is withheld for a while.
  script.at(700, 'TimingData', { Withheld: true });
  script.at(700, 'TopThree', { Withheld: true });
  script.at(730, 'TimingData', { Withheld: false });
  script.at(730, 'TopThree', { Withheld: false });
  // The name format is removed again.
  script.at(500, 'TopThree', { Lines: { 0: { NameFormat: 'LastNameIsPrimary' } } });
  script.at(560, 'TopThree', { Lines: { 0: { _deleted: ['NameFormat'] } } });
  script.at(600, 'DriverList', { 88: { _deleted: ['NameFormat'] } });
  script.raceControl(960, 'CHEQUERED FLAG', { Category: 'Flag', Flag: 'CHEQUERED', Scope: 'Track' });
  script.status(960, 'Finished', 'Finished');
  script.clock(960, '00:00:00', false);
  script.status(1_020, 'Finalised', 'Finished');
  script.status(1_020, 'Ends', 'Finished');
  script.heartbeats(1_020);
  return script.frames();
}
