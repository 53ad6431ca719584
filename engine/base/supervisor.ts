// Keeps a thread going: starts it, starts it again when it dies, and ends it.
//
//   starting --ready--> ready --THREAD_HEALTHY_MS--> sound
//   starting, ready, sound --death--> backing-off --pause--> starting
//   starting, ready, sound --end--> ending --finished, death or DRAIN_DEADLINE_MS--> ended
//   backing-off --end--> ended
//
// T1 One thread at a time: the next one starts only after the one before has died.
// T2 Only the thread of the moment is heard. What comes of one that was replaced or ended changes nothing.
// T3 Pauses before restarts grow with each death in a row. Once a thread has been ready for a while, the row begins anew.
// T4 After `end` no thread starts. A thread that does not finish within the deadline is ended all the same.

import { assert } from './assert.ts';
import { Backoff } from './backoff.ts';
import type { TimerClock } from './clock.ts';
import { DRAIN_DEADLINE_MS, THREAD_HEALTHY_MS, THREAD_RESTART_MS, THREAD_RESTART_MS_MAX } from './limits.ts';

export interface SupervisedThread<ToThread> {
  post(message: ToThread): void;
  /** Ends it at once. */
  end(): Promise<void>;
}

/** What a thread calls, never before it has been handed over. */
export interface ThreadEvents<FromThread> {
  readonly heard: (message: FromThread) => void;
  readonly died: (error: Error) => void;
}

export interface SupervisorParts<ToThread, FromThread> {
  readonly start: (events: ThreadEvents<FromThread>) => SupervisedThread<ToThread>;
  readonly heard: (message: FromThread) => void;
  /** It died and is started again in `delayMs`. */
  readonly died: (error: Error, delayMs: number) => void;
  /** Another thread has taken its place; it is not ready yet. */
  readonly restarted: () => void;
  readonly schedule: TimerClock['schedule'];
}

type Cancel = () => void;

const BACKOFF = new Backoff(THREAD_RESTART_MS, THREAD_RESTART_MS_MAX);

/** `failures`: deaths in a row before this thread. */
type State<ToThread> =
  | { readonly kind: 'starting'; readonly thread: SupervisedThread<ToThread>; readonly failures: number }
  | {
      readonly kind: 'ready';
      readonly thread: SupervisedThread<ToThread>;
      readonly failures: number;
      readonly cancelHealthy: Cancel;
    }
  | { readonly kind: 'healthy'; readonly thread: SupervisedThread<ToThread>; readonly failures: 0 }
  | { readonly kind: 'backing-off'; readonly failures: number; readonly cancelRestart: Cancel }
  | {
      readonly kind: 'ending';
      readonly thread: SupervisedThread<ToThread>;
      readonly cancelDeadline: Cancel;
      readonly resolve: (problem: Error | null | Promise<Error | null>) => void;
      readonly outcome: Promise<Error | null>;
    }
  | { readonly kind: 'ended'; readonly outcome: Promise<Error | null> };

export class Supervisor<ToThread, FromThread> {
  readonly #parts: SupervisorParts<ToThread, FromThread>;
  #state: State<ToThread>;

  /** Starts the first thread. */
  constructor(parts: SupervisorParts<ToThread, FromThread>) {
    this.#parts = parts;
    this.#state = this.#started(0);
  }

  /** Whether there is a thread that takes messages. */
  get isUp(): boolean {
    return 'thread' in this.#state;
  }

  /** From a thread's death until the next one is ready. The first thread is not ready at once, either, but it is no restart. */
  get isRestarting(): boolean {
    const { kind } = this.#state;
    return kind === 'backing-off' || (kind === 'starting' && this.#state.failures > 0);
  }

  /** Between two threads there is nobody to tell: whoever comes next asks, or is told by `restarted`. */
  post(message: ToThread): void {
    if ('thread' in this.#state) this.#state.thread.post(message);
  }

  /** The thread says that it can work. One that is being ended may say so, too late. */
  ready(): void {
    const state = this.#state;
    if (state.kind === 'ending') return;
    assert(state.kind === 'starting', `a thread gets ready once, not when it is ${state.kind}`);
    const { thread, failures } = state;
    // Not sound at once: one that dies of the work it is handed was ready before (T3).
    const cancelHealthy = this.#parts.schedule(THREAD_HEALTHY_MS, () => this.#becomeHealthy());
    this.#state = { kind: 'ready', thread, failures, cancelHealthy };
  }

  /** The thread has done what it was told when it was to end. Its death or the deadline may have come first. */
  finished(): void {
    const { kind } = this.#state;
    assert(kind === 'ending' || kind === 'ended', `a thread finishes when it is to end, not when it is ${kind}`);
    if (this.#state.kind === 'ending') this.#endThread(this.#state, null);
  }

  /**
   * Ends the thread: posts `farewell`, waits for `finished`, and ends it. Answers null, or why the thread did not finish. Asked
   * again, it answers the same.
   */
  end(farewell: ToThread): Promise<Error | null> {
    const state = this.#state;
    switch (state.kind) {
      case 'ending':
      case 'ended':
        return state.outcome;
      case 'backing-off': {
        state.cancelRestart();
        const outcome = Promise.resolve(null);
        this.#state = { kind: 'ended', outcome };
        return outcome;
      }
      case 'ready':
        state.cancelHealthy();
    }
    const { thread } = state;
    const { promise: outcome, resolve } = Promise.withResolvers<Error | null>();
    const cancelDeadline = this.#parts.schedule(DRAIN_DEADLINE_MS, () => this.#late());
    this.#state = { kind: 'ending', thread, cancelDeadline, resolve, outcome };
    thread.post(farewell);
    return outcome;
  }

  #started(failures: number): State<ToThread> {
    const isHeard = (): boolean => 'thread' in this.#state && this.#state.thread === thread;
    const thread: SupervisedThread<ToThread> = this.#parts.start({
      heard: (message) => {
        if (isHeard()) this.#parts.heard(message);
      },
      died: (error) => {
        if (isHeard()) this.#died(error);
      },
    });
    return { kind: 'starting', thread, failures };
  }

  #becomeHealthy(): void {
    assert(this.#state.kind === 'ready', `a thread that is ${this.#state.kind} does not become sound`);
    this.#state = { kind: 'healthy', thread: this.#state.thread, failures: 0 };
  }

  #died(error: Error): void {
    const state = this.#state;
    assert(state.kind !== 'backing-off' && state.kind !== 'ended', `there is no thread that dies: ${state.kind}`);
    if (state.kind === 'ending') {
      state.cancelDeadline();
      this.#state = { kind: 'ended', outcome: state.outcome };
      state.resolve(error);
      return;
    }
    if (state.kind === 'ready') state.cancelHealthy();
    const { failures } = state;
    const delayMs = BACKOFF.pauseMs(failures);
    const cancelRestart = this.#parts.schedule(delayMs, () => this.#restart());
    this.#state = { kind: 'backing-off', failures: failures + 1, cancelRestart };
    this.#parts.died(error, delayMs);
  }

  #restart(): void {
    assert(this.#state.kind === 'backing-off', `a thread that is ${this.#state.kind} is not started again`);
    this.#state = this.#started(this.#state.failures);
    this.#parts.restarted();
  }

  #late(): void {
    assert(this.#state.kind === 'ending', `a thread that is ${this.#state.kind} has no deadline`);
    this.#endThread(this.#state, new Error(`it was not through after ${DRAIN_DEADLINE_MS / 1_000} s`));
  }

  #endThread(state: State<ToThread> & { kind: 'ending' }, problem: Error | null): void {
    state.cancelDeadline();
    this.#state = { kind: 'ended', outcome: state.outcome };
    state.resolve(state.thread.end().then(() => problem));
  }
}
