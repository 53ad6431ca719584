// Keeps a trouble that comes again and again from filling the log: of each kind of line a number is written within a minute, the
// others are counted, and the count is told when the minute is over.

import type { Clock } from '#engine/base/clock.ts';
import { LOG_KINDS_MAX, LOG_LINES_PER_MINUTE_MAX, LOG_PROBLEMS_PER_MINUTE_MAX } from '#engine/base/limits.ts';

const MINUTE_MS = 60_000;
const WARN = 40;
/** Ids, numbers, times: what differs between lines of one kind. */
const PARTICULARS = /\S*[\d_]\S*/g;

interface Minute {
  readonly beganMs: number;
  lines: number;
  more: number;
  /** Writes a line like those that were kept back. */
  tell: (text: string) => void;
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

  /** Whether this line may be written. `level` is pino's number; `tell` writes another one with this level. */
  admits(level: number, message: string, tell: (text: string) => void): boolean {
    const named = `${level} ${message.replaceAll(PARTICULARS, '…')}`;
    const kind = this.#minutes.has(named) || this.#minutes.size < LOG_KINDS_MAX ? named : `${level} other`;
    let minute = this.#minutes.get(kind);
    if (minute === undefined) {
      minute = { beganMs: this.#clock.nowMs(), lines: 0, more: 0, tell };
      this.#minutes.set(kind, minute);
      this.#schedule(MINUTE_MS, () => this.#end(kind));
    }
    if (minute.lines < (level < WARN ? LOG_LINES_PER_MINUTE_MAX : LOG_PROBLEMS_PER_MINUTE_MAX)) {
      minute.lines++;
      return true;
    }
    minute.more++;
    minute.tell = (text) => tell(`${message}: ${text}`);
    return false;
  }

  /** Tells what was counted so far; at the end of the process. */
  end(): void {
    for (const kind of [...this.#minutes.keys()]) this.#end(kind);
  }

  #end(kind: string): void {
    const minute = this.#minutes.get(kind);
    this.#minutes.delete(kind);
    if (minute === undefined || minute.more === 0) return;
    const seconds = Math.round((this.#clock.nowMs() - minute.beganMs) / 1_000);
    minute.tell(`and ${minute.more} more like it within ${seconds} s`);
  }
}
