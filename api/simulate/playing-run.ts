// A replay run that this process plays: its sinks, and the order in which what happens to it is written down.

import { assert } from '#engine/base/assert.ts';
import type { Sinks } from './run-store.ts';
import type { SessionRecord } from './session-store.ts';
import type { VisualStream } from './visual-stream.ts';

/**
 * `playing` until asked to stop; `stopping` until the deliveries have settled; `ended` from the moment at which its end is
 * to be written. A run never goes back.
 */
export type Phase =
  | { readonly kind: 'playing' }
  | { readonly kind: 'stopping' }
  | { readonly kind: 'ended'; readonly state: EndState };

export type EndState = 'stopped' | 'completed';

const NEXT: Readonly<Record<Phase['kind'], readonly Phase['kind'][]>> = {
  playing: ['stopping', 'ended'],
  stopping: ['ended'],
  ended: [],
};

export interface PlayingRunHead {
  readonly runId: string;
  readonly accountId: string;
  readonly session: SessionRecord;
  readonly sinks: Sinks;
}

export class PlayingRun {
  readonly head: PlayingRunHead;
  #phase: Phase = { kind: 'playing' };
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

  constructor(head: PlayingRunHead) {
    this.head = head;
    this.watched = head.sinks !== 'webhook';
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
  }

  get phase(): Phase {
    return this.#phase;
  }

  /** It is asked to stop. */
  stop(): void {
    this.#enter({ kind: 'stopping' });
  }

  /** It is over, and this is to be written down. */
  end(state: EndState): void {
    this.#enter({ kind: 'ended', state });
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
    assert(this.#phase.kind === 'ended', 'only the end of a run that is over is written down');
    this.#resolveEnded();
  }

  #enter(next: Phase): void {
    assert(NEXT[this.#phase.kind].includes(next.kind), `no run goes from ${this.#phase.kind} to ${next.kind}`);
    this.#phase = next;
  }
}
