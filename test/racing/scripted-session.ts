// Small sessions that tests write: messages at seconds since the start, and the updates that are derived from them.

import { deriveTimeline } from '#engine/racing/derive/derive.ts';
import type { Frame } from '#engine/racing/frame.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import type { RaceEventType } from '#schemas/webhook/race-event-types.ts';
import { payloadsOf, type TestPayload } from './real-sessions.ts';

export const START_MS = Date.parse('2025-05-04T20:00:00Z');

export function at(seconds: number, topic: string, message: unknown): Frame {
  return { utcMs: START_MS + seconds * 1_000, topic, json: JSON.stringify(message) };
}

export function timelineFrom(frames: Iterable<Frame>): Timeline {
  return deriveTimeline({ sessionId: '2025-test-race', seriesId: 'f1' }, frames);
}

export function updatesFrom(frames: Iterable<Frame>, feed?: string): TestPayload[] {
  return payloadsOf(timelineFrom(frames), feed);
}

/** Returns all race events, or those of some types. */
export function raceEventsFrom(frames: Iterable<Frame>, types?: readonly RaceEventType[]): TestPayload[] {
  const events = updatesFrom(frames, 'events.race');
  return types === undefined ? events : events.filter(({ event }) => types.includes(event as RaceEventType));
}

/** Returns race events as `type TLA TLA`. */
export function eventsFrom(frames: Iterable<Frame>, types?: readonly RaceEventType[]): string[] {
  return raceEventsFrom(frames, types).map(({ event, drivers }) => [event, ...drivers.map(({ tla }) => tla)].join(' '));
}

export const DRIVERS = {
  1: { RacingNumber: '1', Tla: 'VER', FirstName: 'Max', LastName: 'Verstappen', TeamName: 'Red Bull Racing' },
  4: { RacingNumber: '4', Tla: 'NOR', FirstName: 'Lando', LastName: 'Norris', TeamName: 'McLaren' },
  16: { RacingNumber: '16', Tla: 'LEC', FirstName: 'Charles', LastName: 'Leclerc', TeamName: 'Ferrari' },
  44: { RacingNumber: '44', Tla: 'HAM', FirstName: 'Lewis', LastName: 'Hamilton', TeamName: 'Ferrari' },
  55: { RacingNumber: '55', Tla: 'SAI', FirstName: 'Carlos', LastName: 'Sainz', TeamName: 'Williams' },
  63: { RacingNumber: '63', Tla: 'RUS', FirstName: 'George', LastName: 'Russell', TeamName: 'Mercedes' },
  77: { RacingNumber: '77', Tla: 'BOT', FirstName: 'Valtteri', LastName: 'Bottas', TeamName: 'Cadillac' },
  81: { RacingNumber: '81', Tla: 'PIA', FirstName: 'Oscar', LastName: 'Piastri', TeamName: 'McLaren' },
};

/** Makes a message of TimingData that changes these lines. */
export function lines(seconds: number, changes: Readonly<Record<string, object>>): Frame {
  return at(seconds, 'TimingData', { Lines: changes });
}

/** Makes a message that puts drivers in this order, from the given position on. */
export function order(seconds: number, numbers: readonly number[], from = 1): Frame {
  const moved = numbers.map((number, index) => [number, { Position: String(from + index), Line: from + index }]);
  return lines(seconds, Object.fromEntries(moved));
}

/** Makes messages that show these cars at another measuring point. */
export function driveOn(seconds: number, ...numbers: number[]): Frame[] {
  const sectors = { 0: { Value: `2${seconds % 10}.${100 + (seconds % 800)}` } };
  return numbers.map((number) => lines(seconds, { [number]: { Sectors: sectors } }));
}

/** Makes the messages of a race under way: 1, 4, 16, 44, 55, 63, 77, 81 in this order, on lap 10 of 50, at second 0. */
export function raceUnderWay(type = 'Race'): Frame[] {
  const car = { InPit: false, PitOut: false, Stopped: false, Retired: false, NumberOfLaps: 9 };
  const cars = Object.keys(DRIVERS).map((number, index) => [number, { ...car, Position: String(index + 1) }]);
  return [
    at(0, 'SessionInfo', { Type: type, Name: type }),
    at(0, 'SessionStatus', { Status: 'Inactive' }),
    at(0, 'SessionStatus', { Status: 'Started' }),
    at(0, 'TrackStatus', { Status: '1', Message: 'AllClear' }),
    at(0, 'LapCount', { CurrentLap: 10, TotalLaps: 50 }),
    at(0, 'DriverList', DRIVERS),
    at(0, 'TimingData', { Lines: Object.fromEntries(cars) }),
  ];
}

let messages = 0;

/** Makes a race control message that arrives when it is sent. */
export function raceControl(seconds: number, message: Readonly<Record<string, unknown>>): Frame {
  const Utc = new Date(START_MS + seconds * 1_000).toISOString().slice(0, 19);
  return at(seconds, 'RaceControlMessages', { Messages: { [messages++]: { Utc, Message: 'TEXT', ...message } } });
}
