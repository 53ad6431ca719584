// The line of the session's time: under which flag each stretch was driven, and when something notable happened. It knows
// what was shown so far, and keeps it when the show moves back.

import type { EventsRacePayload, SessionDataPayload, TrackStatusPayload } from '#api/client/payloads.ts';
import type { Fold, ShownUpdate } from '../show/updates.ts';

/** Changes of the flag, and moments: further ones are left out. */
const CHANGES_MAX = 400;
const MOMENTS_MAX = 400;
/** Two feeds say when a flag changed, to different precision. */
const SAME_MS = 2_500;

export const MOMENT_KINDS = [
  'session_start',
  'lead_change',
  'fastest_lap',
  'retirement',
  'stopped',
  'safety_car_deployed',
  'virtual_safety_car_deployed',
  'red_flag',
  'session_resumed',
  'penalty',
  'rain_start',
  'rain_stop',
  'chequered_flag',
] as const satisfies readonly EventsRacePayload['event'][];

export type MomentKind = (typeof MOMENT_KINDS)[number];

const KINDS: ReadonlySet<string> = new Set(MOMENT_KINDS);

export interface Moment {
  /** Of the update: says which moment it is. */
  readonly sequence: number;
  readonly kind: MomentKind;
  readonly atMs: number;
  readonly lap: number | null;
  /** The code, or the number, of the driver whose moment it is. */
  readonly driver: string | null;
}

export interface Stretch {
  readonly status: string;
  readonly fromMs: number;
  readonly toMs: number;
}

interface Change {
  readonly status: string;
  readonly atMs: number;
}

export class TimeLineFold implements Fold {
  #changes: readonly Change[] = [];
  #moments: readonly Moment[] = [];
  #furthestMs = 0;

  reset(): void {
    this.#changes = [];
    this.#moments = [];
    this.#furthestMs = 0;
  }

  /** What is known of the session stays. */
  rewind(): void {}

  /** By time. Another array when there is another one. */
  get moments(): readonly Moment[] {
    return this.#moments;
  }

  /** The latest time that was shown. */
  get furthestMs(): number {
    return this.#furthestMs;
  }

  /** Without gaps from the first known flag to the latest time that was shown. */
  get stretches(): readonly Stretch[] {
    return this.#changes.map(({ status, atMs }, index) => ({
      status,
      fromMs: atMs,
      toMs: this.#changes[index + 1]?.atMs ?? Math.max(atMs, this.#furthestMs),
    }));
  }

  take({ feed, payload, sequence, atMs }: ShownUpdate): void {
    this.#furthestMs = Math.max(this.#furthestMs, atMs);
    if (feed === 'track.status') {
      this.#change({ status: (payload as unknown as TrackStatusPayload).data.status, atMs });
    } else if (feed === 'session.data') {
      for (const { utc, trackStatus } of (payload as unknown as SessionDataPayload).data.statusSeries) {
        if (utc !== null && trackStatus !== undefined) this.#change({ status: trackStatus, atMs: Date.parse(utc) });
      }
    } else if (feed === 'events.race') {
      this.#moment(payload as unknown as EventsRacePayload, sequence, atMs);
    }
  }

  #change(said: Change): void {
    const index = this.#changes.findLastIndex(({ atMs }) => atMs <= said.atMs + SAME_MS);
    const before = this.#changes[index];
    if (before?.status === said.status || this.#changes.length >= CHANGES_MAX) return;
    const after = this.#changes[index + 1];
    // The same change, said later by a feed that is less precise.
    const rest = this.#changes.slice(after?.status === said.status ? index + 2 : index + 1);
    const kept = this.#changes.slice(0, index + 1);
    this.#changes = [...kept, said, ...rest].sort((a, b) => a.atMs - b.atMs);
  }

  #moment({ event, drivers, lap }: EventsRacePayload, sequence: number, atMs: number): void {
    if (!KINDS.has(event) || this.#moments.length >= MOMENTS_MAX) return;
    const index = this.#moments.findLastIndex((moment) => moment.sequence <= sequence);
    if (this.#moments[index]?.sequence === sequence) return;
    const driver = drivers?.[0];
    const moment = {
      sequence,
      kind: event as MomentKind,
      atMs,
      lap: lap ?? null,
      driver: driver === undefined ? null : (driver.tla ?? driver.number),
    };
    this.#moments = this.#moments.toSpliced(index + 1, 0, moment);
  }
}
