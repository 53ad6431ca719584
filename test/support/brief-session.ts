// A recorded race of twenty seconds for contract tests. Every kind of filter finds updates that match and updates that
// do not: six cars of three teams, pit visits, a change of positions, and a steady lap count for the free feeds.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importRecording } from './admin-command.ts';

export const BRIEF_SESSION = '2026-brief-race';
/** The same race under another id. */
export const OTHER_SESSION = '2026-other-race';

export const CARS = [
  { number: '11', tla: 'KIT', team: 'Red Kite Racing' },
  { number: '12', tla: 'KAT', team: 'Red Kite Racing' },
  { number: '21', tla: 'HER', team: 'Blue Heron' },
  { number: '22', tla: 'HAN', team: 'Blue Heron' },
  { number: '31', tla: 'FOX', team: 'Copper Fox F1' },
  { number: '32', tla: 'FAX', team: 'Copper Fox F1' },
] as const;

const END_MS = 20_000;

type Line = readonly [ms: number, message: unknown];

/** Imports the session. No service may be running. */
export async function importBriefSession(dataDir: string): Promise<void> {
  await importAs(dataDir, [BRIEF_SESSION]);
}

/** Imports the session under both ids. */
export async function importBothSessions(dataDir: string): Promise<void> {
  await importAs(dataDir, [BRIEF_SESSION, OTHER_SESSION]);
}

async function importAs(dataDir: string, sessionIds: readonly string[]): Promise<void> {
  const folder = writeBriefRace(dataDir);
  for (const id of sessionIds) await importRecording(dataDir, folder, id);
}

/** Writes the archive folder and returns its path. */
export function writeBriefRace(parent: string): string {
  const folder = join(parent, 'brief-race');
  mkdirSync(folder);
  const write = (topic: string, lines: readonly Line[]): void => {
    const text = lines.map(([ms, message]) => `${at(ms)}${JSON.stringify(message)}\r\n`).join('');
    writeFileSync(join(folder, `${topic}.jsonStream`), `\ufeff${text}`);
  };
  write('SessionInfo', [[0, SESSION_INFO]]);
  write('SessionStatus', [
    [100, { Status: 'Inactive' }],
    [1_000, { Status: 'Started' }],
    [END_MS - 100, { Status: 'Finished' }],
    [END_MS, { Status: 'Finalised' }],
  ]);
  write('DriverList', [
    [
      50,
      each(({ number, tla, team }) => ({ RacingNumber: number, FullName: `Driver ${tla}`, Tla: tla, TeamName: team })),
    ],
  ]);
  write('TimingData', timing());
  write('TimingAppData', [
    [70, { Lines: each(() => ({ Stints: { 0: { Compound: 'SOFT', New: 'true', TotalLaps: 0 } } })) }],
    [8_000, { Lines: { 11: { Stints: { 1: { Compound: 'HARD', New: 'true', TotalLaps: 0 } } } } }],
    [9_000, { Lines: { 22: { Stints: { 1: { Compound: 'HARD', New: 'true', TotalLaps: 0 } } } } }],
  ]);
  write('RaceControlMessages', [
    [2_000, { Messages: [{ Utc: '2026-05-03T14:00:02', Category: 'Other', Message: 'DRIEST RACE IN YEARS — ENJOY' }] }],
    [12_000, { Messages: { 1: { Utc: '2026-05-03T14:00:12', Category: 'Other', Message: 'CAR 21 (HER) NOTED' } } }],
  ]);
  write(
    'LapCount',
    every(200, 1_000).map((ms, index) => [ms, { CurrentLap: index + 1, TotalLaps: 200 }]),
  );
  return folder;
}

function timing(): Line[] {
  const lines: Line[] = [
    [60, { Lines: each((_, index) => ({ Position: String(index + 1), InPit: false, NumberOfLaps: 0 })) }],
    [5_000, { Lines: { 11: { InPit: true } } }],
    [6_000, { Lines: { 22: { InPit: true } } }],
    [8_000, { Lines: { 11: { InPit: false } } }],
    [9_000, { Lines: { 22: { InPit: false } } }],
    // From here on KAT is last and FAX second.
    [10_000, { Lines: { 12: { Position: '6' }, 32: { Position: '2' } } }],
    ...every(100, 1_050).map((ms, index): Line => {
      const { number } = CARS[1 + (index % 5)]!;
      return [ms, { Lines: { [number]: { GapToLeader: `+${(ms / 1_000).toFixed(3)}` } } }];
    }),
  ];
  return lines.toSorted(([a], [b]) => a - b);
}

function each(make: (car: (typeof CARS)[number], index: number) => object): object {
  return Object.fromEntries(CARS.map((car, index) => [car.number, make(car, index)]));
}

function every(stepMs: number, fromMs: number): number[] {
  return Array.from({ length: Math.floor((END_MS - 200 - fromMs) / stepMs) }, (_, index) => fromMs + index * stepMs);
}

function at(ms: number): string {
  return `00:00:${(ms / 1_000).toFixed(3).padStart(6, '0')}`;
}

const SESSION_INFO = {
  Meeting: {
    Key: 2,
    Name: 'Brief Grand Prix',
    Location: 'Testville',
    Circuit: { Key: 2, ShortName: 'Testville' },
  },
  Key: 2,
  Type: 'Race',
  Name: 'Race',
  StartDate: '2026-05-03T14:00:00',
  EndDate: '2026-05-03T15:00:00',
  GmtOffset: '00:00:00',
  Path: '2026/2026-05-03_Brief_Grand_Prix/2026-05-03_Race/',
};
