// Collects the frames of the built-in session in any order and returns them in time order.

import type { Frame } from '#engine/racing/frame.ts';

/** Time zero of the built-in session, Unix epoch milliseconds: an invented Sunday afternoon. */
export const SESSION_START_UTC_MS = Date.UTC(2026, 2, 1, 14, 0, 0);

export class FrameWriter {
  readonly #frames: Frame[] = [];

  /** Adds a message. `atMs` is whole milliseconds since the session's time zero; equal times keep their order. */
  write(atMs: number, topic: string, payload: unknown): void {
    this.#frames.push({ utcMs: SESSION_START_UTC_MS + atMs, topic, json: JSON.stringify(payload) });
  }

  /** All frames, the earliest first. */
  frames(): Frame[] {
    return this.#frames.sort((a, b) => a.utcMs - b.utcMs);
  }
}

/** A time as the upstream writes it in most messages: without a zone or a fraction. */
export function upstreamSecond(atMs: number): string {
  return new Date(SESSION_START_UTC_MS + atMs).toISOString().slice(0, 19);
}

/** `1:15.204`, or `25.204` below a minute. */
export function lapTimeText(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const fraction = String(ms % 1000).padStart(3, '0');
  const minutes = Math.floor(seconds / 60);
  if (minutes === 0) return `${seconds}.${fraction}`;
  return `${minutes}:${String(seconds % 60).padStart(2, '0')}.${fraction}`;
}

/** A sector time: in seconds, even beyond a minute. */
export function sectorTimeText(ms: number): string {
  return `${Math.floor(ms / 1000)}.${String(ms % 1000).padStart(3, '0')}`;
}
