// The steps of a stop, in reverse order of the start. Each has a limit, so that no part, whatever it waits for, keeps
// the others from closing, or the process from ending in its documented time.

import type { TimerClock } from '#engine/base/clock.ts';
import type { Log } from '#engine/base/log.ts';

interface Step {
  /** What it closes, for the log. */
  readonly what: string;
  readonly limitMs: number;
  readonly close: () => unknown;
}

/** Ends a start that was told to stop. Its last step is among those that are taken. */
export class StopBegun extends Error {}

export class StopSteps {
  readonly #clock: Pick<TimerClock, 'schedule'>;
  readonly #log: Pick<Log, 'error'>;
  readonly #steps: Step[] = [];
  #begun = false;

  constructor(clock: Pick<TimerClock, 'schedule'>, log: Pick<Log, 'error'>) {
    this.#clock = clock;
    this.#log = log;
  }

  get begun(): boolean {
    return this.#begun;
  }

  /** The start goes no further than to the step that it adds next. */
  begin(): void {
    this.#begun = true;
  }

  /** Adds a step that comes before all that are there. Throws StopBegun after `begin`, with the step added. */
  add(what: string, limitMs: number, close: () => unknown): void {
    this.#steps.push({ what, limitMs, close });
    if (this.#begun) throw new StopBegun(`${what} was the last part that started`);
  }

  /** Takes the steps, one after the other. Those that fail or take too long are logged. */
  async take(): Promise<void> {
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) await this.#takeOne(step);
  }

  async #takeOne({ what, limitMs, close }: Step): Promise<void> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const cancel = this.#clock.schedule(limitMs, () => reject(new Error(`not within ${limitMs / 1_000} s`)));
    try {
      await Promise.race([(async () => close())(), late]);
    } catch (error) {
      this.#log.error({ err: error }, `${what} did not close cleanly`);
    } finally {
      cancel();
    }
  }
}
