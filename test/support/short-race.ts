// A race of one minute in the archive's format: ten cars, a gap that changes every 50 ms, laps, one change of the lead.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const CARS = Array.from({ length: 10 }, (_, index) => ({
  number: String(index + 1),
  tla: `C${String.fromCharCode(65 + index)}X`,
  team: index < 5 ? 'Red Kite Racing' : 'Blue Heron',
}));
const DURATION_MS = 60_000;
const EVERY_MS = 50;

function at(ms: number): string {
  return `00:${String(Math.floor(ms / 60_000)).padStart(2, '0')}:${((ms % 60_000) / 1000).toFixed(3).padStart(6, '0')}`;
}

/** Writes the archive folder and returns its path. */
export function writeShortRace(parent: string): string {
  const folder = join(parent, 'short-race');
  mkdirSync(folder);
  const write = (topic: string, lines: readonly (readonly [ms: number, message: unknown])[]): void => {
    const text = lines.map(([ms, message]) => `${at(ms)}${JSON.stringify(message)}\r\n`).join('');
    writeFileSync(join(folder, `${topic}.jsonStream`), `\ufeff${text}`);
  };
  write('SessionInfo', [
    [
      0,
      {
        Meeting: {
          Key: 1,
          Name: 'Short Grand Prix',
          Location: 'Testville',
          Circuit: { Key: 1, ShortName: 'Testville' },
        },
        Key: 1,
        Type: 'Race',
        Name: 'Race',
        StartDate: '2026-05-03T14:00:00',
        EndDate: '2026-05-03T15:00:00',
        GmtOffset: '00:00:00',
        Path: '2026/2026-05-03_Short_Grand_Prix/2026-05-03_Race/',
      },
    ],
  ]);
  write('SessionStatus', [
    [100, { Status: 'Started' }],
    [DURATION_MS, { Status: 'Finished' }],
  ]);
  write('DriverList', [
    [
      50,
      Object.fromEntries(
        CARS.map(({ number, tla, team }, index) => [
          number,
          { RacingNumber: number, FullName: `Driver ${tla}`, Tla: tla, Line: index + 1, TeamName: team },
        ]),
      ),
    ],
  ]);
  const timing: [number, unknown][] = [
    [
      60,
      {
        Lines: Object.fromEntries(
          CARS.map(({ number }, index) => [
            number,
            { RacingNumber: number, Position: String(index + 1), Line: index + 1, GapToLeader: '', NumberOfLaps: 0 },
          ]),
        ),
      },
    ],
  ];
  for (let ms = 200; ms < DURATION_MS; ms += EVERY_MS) {
    const car = CARS[1 + ((ms / EVERY_MS) % 9)]!;
    timing.push([ms, { Lines: { [car.number]: { GapToLeader: `+${(ms / 10_000).toFixed(3)}` } } }]);
  }
  write('TimingData', timing);
  return folder;
}
