// Supervises a thread: starts it, restarts it when it dies, and ends it.
//
//   starting --ready--> ready --THREAD_HEALTHY_MS--> healthy
//   starting, ready, healthy --death--> backing-off --pause--> starting
//   starting, ready, healthy --end--> ending --finished, death or deadline--> ended
//   backing-off --end--> ended
//
// T1 One thread at a time: the next one starts only after the one before has died.
// T2 Only messages of the current thread count. Those of a replaced or ended thread are ignored.
// T3 The backoff before restarts grows with each death in a row. It starts over once a thread has been ready for a
//    while.
// T4 After `end` no thread starts. A thread that does not finish within the deadline is terminated.

import { assert } from './assert.ts';
import { Backoff } from './backoff.ts';
import type { TimerClock } from './clock.ts';
import { THREAD_HEALTHY_MS, THREAD_RESTART_MS, THREAD_RESTART_MS_MAX } from './limits.ts';

export interface SupervisedThread<ToThread> {
  post(message: ToThread): void;
  /** Terminates the thread at once. */
  end(): Promise<void>;
}

/** Callbacks of a thread. It must not call them before `start` has returned. */
export interface ThreadEvents<FromThread> {
  readonly heard: (message: FromThread) => void;
  readonly died: (error: Error) => void;
}

export interface SupervisorParts<ToThread, FromThread> {
  readonly start: (events: ThreadEvents<FromThread>) => SupervisedThread<ToThread>;
  readonly heard: (message: FromThread) => void;
  /** The thread died and will be restarted in `delayMs`. */
  readonly died: (error: Error, delayMs: number) => void;
  /** A new thread has replaced the dead one. It is not ready yet. */
  readonly restarted: () => void;
  readonly schedule: TimerClock['schedule'];
  /** How long the thread may take to finish. */
  readonly endMs: number;
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

  /** Whether there is a thread to post messages to. */
  get isUp(): boolean {
    return 'thread' in this.#state;
  }

  /** Whether a thread has died and the next one is not ready yet. The first start does not count. */
  get isRestarting(): boolean {
    const { kind } = this.#state;
    return kind === 'backing-off' || (kind === 'starting' && this.#state.failures > 0);
  }

  /**
   * Posts a message. Between two threads it is dropped: the next thread gets the state in answer to `restarted`, or
   * asks for it.
   */
  post(message: ToThread): void {
    if ('thread' in this.#state) this.#state.thread.post(message);
  }

  /** To be called when the thread reports that it can work. Ignored while the thread is being ended. */
  ready(): void {
    const state = this.#state;
    if (state.kind === 'ending') return;
    assert(state.kind === 'starting', `a thread becomes ready once, not when it is ${state.kind}`);
    const { thread, failures } = state;
    // Not healthy at once: a thread that its first work kills was ready before that (T3).
    const cancelHealthy = this.#parts.schedule(THREAD_HEALTHY_MS, () => this.#becomeHealthy());
    this.#state = { kind: 'ready', thread, failures, cancelHealthy };
  }

  /** To be called when the thread reports that it has finished. Its death or the deadline may have come first. */
  finished(): void {
    const { kind } = this.#state;
    assert(
      kind === 'ending' || kind === 'ended',
      `a thread finishes after it was asked to end, not when it is ${kind}`,
    );
    if (this.#state.kind === 'ending') this.#endThread(this.#state, null);
  }

  /**
   * Ends the thread: posts `farewell`, waits for `finished`, then terminates it. Resolves to null, or to the reason why
   * the thread did not finish. A second call returns the same promise.
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
    const cancelDeadline = this.#parts.schedule(this.#parts.endMs, () => this.#expire());
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
    assert(this.#state.kind === 'ready', `a thread that is ${this.#state.kind} does not become healthy`);
    this.#state = { kind: 'healthy', thread: this.#state.thread, failures: 0 };
  }

  #died(error: Error): void {
    const state = this.#state;
    assert(state.kind !== 'backing-off' && state.kind !== 'ended', `no thread can die while ${state.kind}`);
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
    assert(this.#state.kind === 'backing-off', `a supervisor that is ${this.#state.kind} does not restart its thread`);
    this.#state = this.#started(this.#state.failures);
    this.#parts.restarted();
  }

  #expire(): void {
    assert(this.#state.kind === 'ending', `a supervisor that is ${this.#state.kind} has no deadline`);
    this.#endThread(this.#state, new Error(`it did not finish within ${this.#parts.endMs / 1_000} s`));
  }

  #endThread(state: State<ToThread> & { kind: 'ending' }, problem: Error | null): void {
    state.cancelDeadline();
    this.#state = { kind: 'ended', outcome: state.outcome };
    state.resolve(state.thread.end().then(() => problem));
  }
}
