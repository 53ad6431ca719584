// Writes the topics that concern the whole built-in session: description, drivers, session and track status, race
// control, laps, weather, clock and heartbeat.

import type { Random } from '#engine/base/random.ts';
import { CIRCUIT_NAME, RACE_LAPS } from './circuit.ts';
import { type FrameWriter, SESSION_START_UTC_MS, upstreamSecond } from './frame-writer.ts';
import type { Entrant } from './race-plan.ts';

const TRACK_STATUS = { AllClear: '1', Yellow: '2', SCDeployed: '4' } as const;

export class SessionFrames {
  readonly #out: FrameWriter;
  readonly #messages: { readonly atMs: number; readonly fields: Readonly<Record<string, unknown>> }[] = [];
  /** When each lap after the first began. */
  readonly #lapsMs: number[] = [];

  constructor(out: FrameWriter) {
    this.#out = out;
  }

  snapshot(atMs: number, grid: readonly Entrant[]): void {
    this.#out.write(atMs, 'SessionInfo', {
      Meeting: {
        Key: 9001,
        Name: 'Demonstration Grand Prix',
        OfficialName: 'SLIPSTREAM DEMONSTRATION GRAND PRIX',
        Location: CIRCUIT_NAME,
        Number: 0,
        Country: { Key: 900, Code: 'INV', Name: 'Invented' },
        Circuit: { Key: 900, ShortName: CIRCUIT_NAME },
      },
      ArchiveStatus: { Status: 'Generating' },
      Key: 90001,
      Type: 'Race',
      Name: 'Race',
      StartDate: upstreamSecond(0),
      EndDate: upstreamSecond(1_200_000),
      GmtOffset: '00:00:00',
      Path: 'demo/',
    });
    const drivers = grid.map(({ driver }, index) => [
      driver.number,
      {
        RacingNumber: driver.number,
        BroadcastName: `${driver.firstName.charAt(0)} ${driver.lastName.toUpperCase()}`,
        FullName: `${driver.firstName} ${driver.lastName.toUpperCase()}`,
        Tla: driver.tla,
        Line: index + 1,
        TeamName: driver.team.name,
        TeamColour: driver.team.colour,
        FirstName: driver.firstName,
        LastName: driver.lastName,
      },
    ]);
    this.#out.write(atMs, 'DriverList', Object.fromEntries(drivers));
    this.#out.write(atMs, 'TrackStatus', { Status: TRACK_STATUS.AllClear, Message: 'AllClear' });
    this.#out.write(atMs, 'SessionStatus', { Status: 'Inactive' });
    this.#out.write(atMs, 'LapCount', { CurrentLap: 1, TotalLaps: RACE_LAPS });
    this.#clock(atMs, '02:00:00', false);
    this.raceControl(atMs, { Category: 'Drs', Status: 'DISABLED', Message: 'DRS DISABLED' });
  }

  status(atMs: number, status: 'Started' | 'Finished' | 'Finalised' | 'Ends'): void {
    this.#out.write(atMs, 'SessionStatus', { Status: status });
    if (status === 'Started') this.#clock(atMs + 5, '01:59:59', true);
    if (status === 'Finished') this.#clock(atMs + 5, '01:45:00', false);
  }

  track(atMs: number, message: keyof typeof TRACK_STATUS): void {
    this.#out.write(atMs, 'TrackStatus', { Status: TRACK_STATUS[message], Message: message });
  }

  lap(atMs: number, lap: number): void {
    this.#lapsMs.push(atMs);
    this.#out.write(atMs, 'LapCount', { CurrentLap: lap });
  }

  /** Adds a race control message, without its time and lap. `finish` writes it. */
  raceControl(atMs: number, fields: Readonly<Record<string, unknown>>): void {
    this.#messages.push({ atMs, fields });
  }

  /** Yellow flags in a track sector. `clear` ends them. */
  yellow(atMs: number, sector: number, double: boolean): void {
    const flag = double ? 'DOUBLE YELLOW' : 'YELLOW';
    const message = `${flag} IN TRACK SECTOR ${sector}`;
    this.track(atMs, 'Yellow');
    this.raceControl(atMs + 40, { Category: 'Flag', Flag: flag, Scope: 'Sector', Sector: sector, Message: message });
  }

  clear(atMs: number, sector: number): void {
    const message = `CLEAR IN TRACK SECTOR ${sector}`;
    this.raceControl(atMs, { Category: 'Flag', Flag: 'CLEAR', Scope: 'Sector', Sector: sector, Message: message });
    this.track(atMs + 60, 'AllClear');
  }

  /** Writes the race control messages, numbered in the order in which they are sent. */
  finish(): void {
    this.#messages.sort((a, b) => a.atMs - b.atMs);
    for (const [index, { atMs, fields }] of this.#messages.entries()) {
      const lap = this.#lapsMs.filter((lapMs) => lapMs <= atMs).length + 1;
      const message = { Utc: upstreamSecond(atMs), Lap: lap, ...fields };
      this.#out.write(atMs, 'RaceControlMessages', { Messages: index === 0 ? [message] : { [index]: message } });
    }
  }

  /** Heartbeats every 15 s and weather every 60 s until the end. */
  background(untilMs: number, random: Random): void {
    for (let atMs = 15_000; atMs <= untilMs; atMs += 15_000) {
      this.#out.write(atMs, 'Heartbeat', { Utc: new Date(SESSION_START_UTC_MS + atMs).toISOString() });
    }
    let airTenths = 241;
    let trackTenths = 386;
    let windDegrees = 70;
    for (let atMs = 2_000; atMs <= untilMs; atMs += 60_000) {
      const drift = (): number => Math.floor(random.next() * 5) - 2;
      airTenths += drift();
      trackTenths += drift() * 2;
      windDegrees = (windDegrees + 360 + drift() * 9) % 360;
      this.#out.write(atMs, 'WeatherData', {
        AirTemp: tenths(airTenths),
        Humidity: tenths(470 + drift() * 5),
        Pressure: tenths(10_132 + drift()),
        Rainfall: '0',
        TrackTemp: tenths(trackTenths),
        WindDirection: String(windDegrees),
        WindSpeed: tenths(24 + drift() * 3),
      });
    }
  }

  #clock(atMs: number, remaining: string, running: boolean): void {
    const utc = new Date(SESSION_START_UTC_MS + atMs).toISOString();
    this.#out.write(atMs, 'ExtrapolatedClock', { Utc: utc, Remaining: remaining, Extrapolating: running });
  }
}

function tenths(value: number): string {
  return `${Math.floor(value / 10)}.${value % 10}`;
}
