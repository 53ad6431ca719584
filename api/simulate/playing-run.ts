// A replay run that this process plays: its sinks, its phase, and the order in which its changes are committed.

import type { OpenCaller } from '#api/tokens/open-callers.ts';
import { assert } from '#engine/base/assert.ts';
import type { OpenArtifact } from '#engine/intake/playback/playback-library.ts';
import type { Sinks } from './run-store.ts';
import type { SessionRecord } from './session-store.ts';
import type { VisualStream } from './visual-stream.ts';

/**
 * `playing` until asked to stop; `stopping` until the deliveries have settled; `ended` once its end is to be committed.
 * A run never returns to an earlier phase.
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

/** Shows what the run plays, beside its own stream. */
export interface RunFollower {
  /** It plays nothing for now. */
  held(): void;
  /** It plays on, at a new pace, or is still paused. `position`: it goes on there; null: where it is. */
  proceeds(position: number | null): void;
  ended(state: EndState): void;
}

export interface PlayingRunHead {
  readonly runId: string;
  readonly accountId: string;
  readonly session: SessionRecord;
  readonly sinks: Sinks;
  readonly speed: number;
  readonly ordered?: boolean | undefined;
}

export class PlayingRun {
  #head: PlayingRunHead;
  #phase: Phase = { kind: 'playing' };
  /** Whether the delivery engine knows the run. */
  delivering = false;
  /** Whether the engine plays it, is letting go of it, or holds nothing of it. */
  engine: 'plays' | 'parks' | 'parked' = 'plays';
  /** Whether its customer has paused it. */
  paused = false;
  /** Resolves when the engine holds nothing of it any more, or it has ended. */
  whenParked: Promise<void> = Promise.resolve();
  #onParked: () => void = () => {};
  /** Ends the time that it may stay paused. */
  cancelPauseBound: () => void = () => {};
  /** Whether the run holds the account's allowance. */
  holdsAllowance = false;
  visual: VisualStream | null = null;
  /** Whose the stream is. */
  viewer: OpenCaller | null = null;
  readonly followers = new Set<RunFollower>();
  /** Whether it ends because the client of its stream has left, or the service stops: the client may come back. */
  left = false;
  /** What it plays, until its end is committed. */
  artifact: OpenArtifact | null = null;
  /** When position 0 is due, on the monotonic clock. */
  pacedFromMs = 0;
  /** Whether every delivery is settled. */
  settled = false;
  /** Whether a client is watching, or is about to. */
  watched: boolean;
  /** Resolves when the end has been committed. */
  readonly ended: Promise<void>;
  #resolveEnded: () => void = () => {};
  #writes: Promise<void> = Promise.resolve();

  constructor(head: PlayingRunHead) {
    this.#head = head;
    this.watched = head.sinks !== 'webhook';
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
  }

  get head(): PlayingRunHead {
    return this.#head;
  }

  /** `pacedFromMs`: when position 0 is due at the new speed. Deliveries keep the speed that they began with. */
  changeSpeed(speed: number, pacedFromMs: number): void {
    assert(this.#head.sinks === 'visual', 'only a run that delivers nothing changes its speed');
    this.#head = { ...this.#head, speed };
    this.pacedFromMs = pacedFromMs;
    for (const follower of this.followers) follower.proceeds(null);
  }

  /** What shows the run plays nothing until `proceed`. */
  hold(): void {
    this.visual?.hold();
    for (const follower of this.followers) follower.held();
  }

  /** It plays again, `position`: from there. Nothing is played while it stays paused. */
  proceed(position: number | null): void {
    this.visual?.proceed(this.pacedFromMs, position, this.paused);
    for (const follower of this.followers) follower.proceeds(position);
  }

  get phase(): Phase {
    return this.#phase;
  }

  /** The engine is asked to let go of it. */
  park(): void {
    this.engine = 'parks';
    this.whenParked = new Promise((resolve) => {
      this.#onParked = resolve;
    });
  }

  /** The engine has let go of it. */
  hasParked(): void {
    this.engine = 'parked';
    this.#onParked();
  }

  /** Enters `stopping`. */
  stop(): void {
    this.#enter({ kind: 'stopping' });
  }

  /** Enters `ended`. The caller then commits the end. */
  end(state: EndState): void {
    this.#enter({ kind: 'ended', state });
  }

  /**
   * Runs a write after all earlier writes of this run. So a simulate slot is taken before the run's end frees the
   * account.
   */
  write(work: () => Promise<void>): void {
    this.#writes = this.#writes.then(work);
  }

  /** Resolves when all writes so far are done. */
  written(): Promise<void> {
    return this.#writes;
  }

  hasEnded(): void {
    assert(this.#phase.kind === 'ended', 'only the end of a run that is over is committed');
    this.artifact?.release();
    this.cancelPauseBound();
    this.#onParked();
    this.#resolveEnded();
  }

  #enter(next: Phase): void {
    assert(NEXT[this.#phase.kind].includes(next.kind), `no run goes from ${this.#phase.kind} to ${next.kind}`);
    this.#phase = next;
  }
}
