// Paces the refusals of one address, if it gets very many. Nobody who is refused needs a thousand refusals a second, and
// a client that sends its next request after the answer to the last one then costs the others little: their requests wait
// for the same thread and the same cores.
//
// An address gets one at a time. If so many wait that the last one would wait too long, it gets a few at a time: as few as
// are enough, so that thousands that were caused at one moment are not sent at one moment.
//
// A refusal that waits holds its connection and no share of anything. The garbage collector copies all that wait, in the
// middle of the burst that caused them: so each is what was refused, without a closure of its own.

import type { TimerClock } from '#engine/base/clock.ts';
import {
  ADDRESS_REFUSALS_AT_ONCE_MAX,
  ADDRESSES_COUNTED_MAX,
  REFUSAL_EVERY_MS,
  REFUSAL_WAIT_MS_MAX,
  REFUSALS_WAITING_MAX,
} from '#engine/base/limits.ts';
import { growingCache } from './growing-cache.ts';
import { Line } from './line.ts';

interface Held<Refused> {
  readonly refused: Refused;
  readonly latestMs: number;
}

/** The refusals of an address that wait. */
interface Queue<Refused> {
  readonly line: Line<Held<Refused>>;
  cancel: () => void;
}

export class RefusalPace<Refused> {
  readonly #send: (refused: Refused) => void;
  readonly #clock: Pick<TimerClock, 'nowMs' | 'schedule'>;
  /** When the latest refusal of an address was due. */
  readonly #due = growingCache<{ ms: number }>(ADDRESSES_COUNTED_MAX);
  /** By address. */
  readonly #queues = new Map<string, Queue<Refused>>();
  #waiting = 0;
  #hurries = false;

  /** `send` refuses one of them. */
  constructor(send: (refused: Refused) => void, clock: Pick<TimerClock, 'nowMs' | 'schedule'>) {
    this.#send = send;
    this.#clock = clock;
  }

  /** Sends a refusal, or waits until it is due. Beyond the bound of those that wait it is sent at once. */
  answer(address: string, refused: Refused): void {
    if (this.#hurries || this.#waiting >= REFUSALS_WAITING_MAX) {
      this.#send(refused);
      return;
    }
    const nowMs = this.#clock.nowMs();
    let queue = this.#queues.get(address);
    if (queue === undefined) {
      const waitMs = this.#waitMs(address, nowMs);
      if (waitMs <= 0) {
        this.#send(refused);
        return;
      }
      queue = { line: new Line(), cancel: this.#clock.schedule(waitMs, () => this.#sendSome(address)) };
      this.#queues.set(address, queue);
    }
    queue.line.push({ refused, latestMs: nowMs + REFUSAL_WAIT_MS_MAX });
    this.#waiting++;
  }

  /** Sends all that wait, and lets none wait from now on. */
  hurry(): void {
    this.#hurries = true;
    for (const { line, cancel } of this.#queues.values()) {
      cancel();
      while (line.length > 0) this.#send(line.take().refused);
    }
    this.#queues.clear();
    this.#waiting = 0;
  }

  #sendSome(address: string): void {
    const queue = this.#queues.get(address)!;
    const { line } = queue;
    const nowMs = this.#clock.nowMs();
    const times = 1 + Math.max(0, Math.floor((line.first().latestMs - nowMs) / REFUSAL_EVERY_MS));
    const count = Math.ceil(line.length / times);
    this.#waiting -= count;
    this.#dueOf(address).ms = nowMs;
    if (line.length > count) queue.cancel = this.#clock.schedule(REFUSAL_EVERY_MS, () => this.#sendSome(address));
    else this.#queues.delete(address);
    for (let sent = 0; sent < count; sent++) this.#send(line.take().refused);
  }

  /** For a refusal of an address of which none waits. */
  #waitMs(address: string, nowMs: number): number {
    const due = this.#dueOf(address);
    due.ms = Math.max(due.ms, nowMs - ADDRESS_REFUSALS_AT_ONCE_MAX * REFUSAL_EVERY_MS) + REFUSAL_EVERY_MS;
    return due.ms - nowMs;
  }

  #dueOf(address: string): { ms: number } {
    let due = this.#due.get(address);
    if (due === undefined) {
      due = { ms: Number.NEGATIVE_INFINITY };
      this.#due.set(address, due);
    }
    return due;
  }
}
