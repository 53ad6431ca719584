// A replay run that this process plays: its sinks, and the order in which what happens to it is written down.

import type { Sinks } from './run-store.ts';
import type { SessionRecord } from './session-store.ts';
import type { VisualStream } from './visual-stream.ts';

/**
 * `playing` until asked to stop; `stopping` until the deliveries have settled; `ended` from the moment at which its end is
 * to be written. A run never goes back.
 */
export type Phase = 'playing' | 'stopping' | 'ended';

export interface PlayingRunHead {
  readonly runId: string;
  readonly accountId: string;
  readonly session: SessionRecord;
  readonly sinks: Sinks;
}

export class PlayingRun {
  readonly head: PlayingRunHead;
  phase: Phase;
  /** Whether the delivery engine knows the run. */
  delivering = false;
  /** Whether it holds the account's allowance. */
  holdsAllowance = false;
  visual: VisualStream | null = null;
  /** Whether every delivery is settled. */
  settled = false;
  /** Whether somebody watches, or is about to. */
  watched: boolean;
  /** Resolves when the end has been written down. */
  readonly ended: Promise<void>;
  #resolveEnded: () => void = () => {};
  #writes: Promise<void> = Promise.resolve();

  constructor(head: PlayingRunHead, phase: Phase = 'playing') {
    this.head = head;
    this.phase = phase;
    this.watched = head.sinks !== 'webhook';
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
  }

  /** Runs a write after all earlier ones of this run: a slot is taken before the run's end frees the account. */
  write(work: () => Promise<void>): void {
    this.#writes = this.#writes.then(work);
  }

  /** Resolves when all writes so far are through. */
  written(): Promise<void> {
    return this.#writes;
  }

  hasEnded(): void {
    this.#resolveEnded();
  }
}
