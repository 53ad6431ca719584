// A clock that stands still until the test moves it, with callbacks at their times, in order.

import type { ShardClock } from '#engine/clock.ts';

interface Appointment {
  readonly atMs: number;
  readonly order: number;
  readonly callback: () => void;
}

const EPOCH_MS = Date.UTC(2026, 5, 1);

export class SimulatedTime implements ShardClock {
  #nowMs = 0;
  #orders = 0;
  #appointments: Appointment[] = [];

  nowMs(): number {
    return this.#nowMs;
  }

  wallMs(): number {
    return EPOCH_MS + this.#nowMs;
  }

  exactWallMs(): number {
    return this.wallMs();
  }

  /** Work takes its time: the clock moves on, and nothing else happens meanwhile. */
  spend(ms: number): void {
    this.#nowMs += ms;
  }

  /** Calls back `delayMs` from now; the returned function cancels. */
  schedule(delayMs: number, callback: () => void): () => void {
    const appointment = { atMs: this.#nowMs + Math.max(0, delayMs), order: this.#orders++, callback };
    this.#appointments.push(appointment);
    return () => {
      this.#appointments = this.#appointments.filter((other) => other !== appointment);
    };
  }

  /** Moves on by `ms`, step by step, letting promises settle in between. */
  async pass(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    for (;;) {
      await settle();
      this.#appointments.sort((a, b) => a.atMs - b.atMs || a.order - b.order);
      const next = this.#appointments[0];
      if (next === undefined || next.atMs > untilMs) break;
      this.#appointments.shift();
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.callback();
    }
    this.#nowMs = untilMs;
  }
}

/** Lets every promise that is ready run its course. */
async function settle(): Promise<void> {
  for (let i = 0; i < 8; i++) await Promise.resolve();
}
