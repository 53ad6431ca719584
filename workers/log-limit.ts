// Keeps a recurring problem from flooding the log. Each kind of line has a quota per minute. Lines beyond it are
// counted, and the count is logged at the end of the minute.

import type { Clock } from '#engine/base/clock.ts';
import { LOG_KINDS_MAX, LOG_LINES_PER_MINUTE_MAX, LOG_PROBLEMS_PER_MINUTE_MAX } from '#engine/base/limits.ts';

const MINUTE_MS = 60_000;
const WARN = 40;
/** Ids, numbers and times: the parts that differ between lines of one kind. */
const PARTICULARS = /\S*[\d_]\S*/g;

interface Minute {
  readonly beganMs: number;
  lines: number;
  suppressed: number;
  /** Writes the count as a line of the same kind. */
  write: (text: string) => void;
}

export class LogLimit {
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #schedule: (delayMs: number, callback: () => void) => void;
  readonly #minutes = new Map<string, Minute>();

  /** `schedule` calls back after `delayMs`. */
  constructor(clock: Pick<Clock, 'nowMs'>, schedule: (delayMs: number, callback: () => void) => void) {
    this.#clock = clock;
    this.#schedule = schedule;
  }

  /** Whether this line may be written. `level` is pino's number; `write` logs another line at this level. */
  admits(level: number, message: string, write: (text: string) => void): boolean {
    const named = `${level} ${message.replaceAll(PARTICULARS, '…')}`;
    const kind = this.#minutes.has(named) || this.#minutes.size < LOG_KINDS_MAX ? named : `${level} other`;
    let minute = this.#minutes.get(kind);
    if (minute === undefined) {
      minute = { beganMs: this.#clock.nowMs(), lines: 0, suppressed: 0, write };
      this.#minutes.set(kind, minute);
      this.#schedule(MINUTE_MS, () => this.#end(kind));
    }
    if (minute.lines < (level < WARN ? LOG_LINES_PER_MINUTE_MAX : LOG_PROBLEMS_PER_MINUTE_MAX)) {
      minute.lines++;
      return true;
    }
    minute.suppressed++;
    minute.write = (text) => write(`${message}: ${text}`);
    return false;
  }

  /** Logs the counts so far. Called when the process ends. */
  end(): void {
    for (const kind of [...this.#minutes.keys()]) this.#end(kind);
  }

  #end(kind: string): void {
    const minute = this.#minutes.get(kind);
    this.#minutes.delete(kind);
    if (minute === undefined || minute.suppressed === 0) return;
    const seconds = Math.round((this.#clock.nowMs() - minute.beganMs) / 1_000);
    minute.write(`and ${minute.suppressed} more like it within ${seconds} s`);
  }
}
