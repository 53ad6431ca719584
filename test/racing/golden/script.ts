// Writes golden sessions: messages in the upstream's own format, at seconds since the session's time zero. A script
// writes a fact once, even where the upstream says it twice, such as the status in its own topic and in the session's
// log.

import type { Json } from '#engine/base/json-value.ts';
import type { Frame } from '#engine/racing/frame.ts';
import { merge } from '#engine/racing/session/merge.ts';
import { compressed } from '#test/racing/compressed-message.ts';

export type Fields = Readonly<Record<string, unknown>>;

const TRACK = { 1: 'AllClear', 2: 'Yellow', 4: 'SCDeployed', 5: 'Red', 6: 'VSCDeployed', 7: 'VSCEnding' } as const;

interface Gap {
  readonly fromUtcMs: number;
  readonly toUtcMs: number;
}

export class Script {
  readonly #startUtcMs: number;
  readonly #frames: Frame[] = [];
  readonly #raceControl: { readonly seconds: number; readonly fields: Fields }[] = [];
  readonly #series: { readonly seconds: number; readonly of: 'Series' | 'StatusSeries'; readonly fields: Fields }[] =
    [];

  #gap: Gap | null = null;

  /** `start`: ISO 8601 in UTC. */
  constructor(start: string) {
    this.#startUtcMs = Date.parse(start);
  }

  at(seconds: number, topic: string, message: unknown): void {
    this.#frames.push({ utcMs: this.#utcMs(seconds), topic, json: JSON.stringify(message) });
  }

  /** Adds a message of a `.z` topic. */
  compressed(seconds: number, topic: 'CarData.z' | 'Position.z', message: unknown): void {
    this.#frames.push({ utcMs: this.#utcMs(seconds), topic, json: compressed(JSON.stringify(message)) });
  }

  /** `2026-06-07T14:00:12.345Z` */
  utc(seconds: number): string {
    return new Date(this.#utcMs(seconds)).toISOString();
  }

  /** Adds a message of TimingData with a line for each of these cars. */
  lines(seconds: number, lines: Readonly<Record<string, Fields>>): void {
    this.at(seconds, 'TimingData', { Lines: lines });
  }

  /** Sets the status of the session. `started` is the status of the part, which the upstream sends since 2025. */
  status(seconds: number, Status: string, started?: string): void {
    this.at(seconds, 'SessionStatus', { Status, ...(started === undefined ? {} : { Started: started }) });
    this.#series.push({ seconds, of: 'StatusSeries', fields: { SessionStatus: Status } });
  }

  /** Sets the status of the track: 1 clear, 2 yellow, 4 safety car, 5 red, 6 virtual safety car, 7 its ending. */
  track(seconds: number, status: keyof typeof TRACK): void {
    this.at(seconds, 'TrackStatus', { Status: String(status), Message: TRACK[status] });
    this.#series.push({ seconds, of: 'StatusSeries', fields: { TrackStatus: TRACK[status] } });
  }

  lap(seconds: number, lap: number, totalLaps: number): void {
    this.at(seconds, 'LapCount', lap === 1 ? { CurrentLap: lap, TotalLaps: totalLaps } : { CurrentLap: lap });
    this.#series.push({ seconds, of: 'Series', fields: { Lap: lap } });
  }

  qualifyingPart(seconds: number, part: number): void {
    this.#series.push({ seconds, of: 'Series', fields: { QualifyingPart: part } });
  }

  /** Adds a race control message, sent in the second that it names. */
  raceControl(seconds: number, Message: string, fields: Fields = { Category: 'Other' }): void {
    this.#raceControl.push({ seconds, fields: { ...fields, Message } });
  }

  heartbeats(until: number): void {
    for (let seconds = 7; seconds < until; seconds += 15) {
      this.at(seconds, 'Heartbeat', { Utc: this.utc(seconds).replace('Z', '9669Z') });
    }
  }

  clock(seconds: number, Remaining: string, Extrapolating?: boolean): void {
    const running = Extrapolating === undefined ? {} : { Extrapolating };
    this.at(seconds, 'ExtrapolatedClock', { Utc: this.utc(seconds), Remaining, ...running });
  }

  /**
   * Loses the connection: messages between the two moments are missing, and a snapshot of every topic follows.
   */
  gap(from: number, to: number): void {
    this.#gap = { fromUtcMs: this.#utcMs(from), toUtcMs: this.#utcMs(to) };
  }

  /** Returns all frames in time order. Frames of the same moment keep the order of the script. */
  frames(): Frame[] {
    const all = [...this.#frames, ...this.#numberedMessages(), ...this.#log()].sort((a, b) => a.utcMs - b.utcMs);
    return this.#gap === null ? all : receivedAcross(this.#gap, all);
  }

  /** Numbers the race control messages in sending order. The first one comes as a list. */
  #numberedMessages(): Frame[] {
    return this.#raceControl
      .toSorted((a, b) => a.seconds - b.seconds)
      .map(({ seconds, fields }, index) => {
        const message = { Utc: this.utc(seconds).slice(0, 19), ...fields };
        const Messages = index === 0 ? [message] : { [index]: message };
        return { utcMs: this.#utcMs(seconds), topic: 'RaceControlMessages', json: JSON.stringify({ Messages }) };
      });
  }

  /** Makes the frames of SessionData. Each of its two series starts as a list. */
  #log(): Frame[] {
    const counts = { Series: 0, StatusSeries: 0 };
    return this.#series
      .toSorted((a, b) => a.seconds - b.seconds)
      .map(({ seconds, of, fields }) => {
        const entry = { Utc: this.utc(seconds), ...fields };
        const index = counts[of]++;
        const json = JSON.stringify({ [of]: index === 0 ? [entry] : { [index]: entry } });
        return { utcMs: this.#utcMs(seconds), topic: 'SessionData', json };
      });
  }

  #utcMs(seconds: number): number {
    return this.#startUtcMs + Math.round(seconds * 1000);
  }
}

function receivedAcross({ fromUtcMs, toUtcMs }: Gap, all: readonly Frame[]): Frame[] {
  const before = all.filter(({ utcMs }) => utcMs < fromUtcMs);
  const states = new Map<string, Json>();
  for (const { utcMs, topic, json } of all) {
    if (utcMs < toUtcMs && !topic.endsWith('.z')) states.set(topic, merge(states.get(topic), JSON.parse(json)).state);
  }
  const snapshots = [...states].map(([topic, state]) => ({
    utcMs: toUtcMs,
    topic,
    json: JSON.stringify({ ...(state as object), _kf: true }),
  }));
  return [...before, ...snapshots, ...all.filter(({ utcMs }) => utcMs >= toUtcMs)];
}
