// Lets requests in, a few in each turn of the event loop; those that wait come in address by address. So thousands of
// requests that one address sends at one moment delay those of the others by a turn, not by all of their own number.
//
// An address of which many wait is a crowd, until all of them have come in. While other addresses send requests, too,
// crowds get half of the thread's time: after a turn with requests of a crowd none comes in for as long as that turn took.
// For a request needs several turns, and would otherwise find the thread busy with the crowd at each of them.
//
// What a request leaves behind while it waits is copied by the garbage collector, in the middle of such a burst: so it is
// the request itself, without a promise or a timer.
//
// Each request that waits holds its connection, so CONNECTIONS_MAX bounds them.

import type { TimerClock } from '#engine/base/clock.ts';
import { CROWD_REQUESTS_MIN, CROWD_REST_MS_MAX, OTHERS_ACTIVE_MS, REQUESTS_LET_IN_MAX } from '#engine/base/limits.ts';
import { Line } from './line.ts';

export class Arrivals<Request extends object | string> {
  readonly #comeIn: (request: Request) => void;
  readonly #clock: Pick<TimerClock, 'nowMs' | 'schedule'>;
  /** Those that wait, by address. The first address is the next in turn. */
  readonly #waiting = new Map<string, Line<Request>>();
  readonly #crowds = new Map<string, Line<Request>>();
  /** The two addresses without a crowd that sent last, and when: one of them may have become a crowd since. */
  #latest = { address: '', ms: Number.NEGATIVE_INFINITY };
  #before = { address: '', ms: Number.NEGATIVE_INFINITY };
  /** Let in since the last turn of the event loop. */
  #letIn = 0;
  #nextTurn = false;
  /** When the last turn began, if it let in requests of a crowd. */
  #crowdTurnMs: number | null = null;
  #crowdsRestUntilMs = Number.NEGATIVE_INFINITY;
  #wakes = false;

  /** `comeIn` begins to serve a request. */
  constructor(comeIn: (request: Request) => void, clock: Pick<TimerClock, 'nowMs' | 'schedule'>) {
    this.#comeIn = comeIn;
    this.#clock = clock;
  }

  /** How many requests of this address wait, if it is a crowd. */
  waiting(address: string): number {
    return this.#crowds.get(address)?.length ?? 0;
  }

  /** Lets a request in: at once, or when it is its turn. */
  arrive(address: string, request: Request): void {
    this.#takeTurn();
    const crowd = this.#crowds.get(address);
    if (crowd !== undefined) {
      crowd.push(request);
      return;
    }
    this.#noteSender(address);
    if (this.#letIn < REQUESTS_LET_IN_MAX && this.#waiting.size === 0) {
      this.#letIn++;
      this.#comeIn(request);
      return;
    }
    const own = this.#waiting.get(address) ?? new Line();
    own.push(request);
    const lines = own.length < CROWD_REQUESTS_MIN ? this.#waiting : this.#crowds;
    if (lines === this.#crowds) this.#waiting.delete(address);
    lines.set(address, own);
  }

  #takeTurn(): void {
    if (this.#nextTurn) return;
    this.#nextTurn = true;
    setImmediate(this.#turn);
  }

  readonly #turn = (): void => {
    const nowMs = this.#clock.nowMs();
    this.#nextTurn = false;
    this.#letIn = 0;
    if (this.#crowdTurnMs !== null && this.#othersAreActive(nowMs)) {
      this.#crowdsRestUntilMs = nowMs + Math.min(nowMs - this.#crowdTurnMs, CROWD_REST_MS_MAX);
    }
    this.#crowdTurnMs = null;
    const crowdsComeIn = this.#crowds.size > 0 && nowMs >= this.#crowdsRestUntilMs;
    // A place is kept for the crowds, or they would wait as long as there are others.
    this.#letInSome(this.#waiting, crowdsComeIn ? REQUESTS_LET_IN_MAX - 1 : REQUESTS_LET_IN_MAX);
    if (crowdsComeIn) {
      this.#letInSome(this.#crowds, REQUESTS_LET_IN_MAX);
      this.#crowdTurnMs = nowMs;
    }
    if (this.#letIn > 0) this.#takeTurn();
    else if (this.#crowds.size > 0) this.#wakeLater(this.#crowdsRestUntilMs - nowMs);
  };

  /** Until this turn has let in `max` requests. */
  #letInSome(lines: Map<string, Line<Request>>, max: number): void {
    for (const [address, line] of lines) {
      // Goes behind the other addresses.
      lines.delete(address);
      const request = line.take();
      if (line.length > 0) lines.set(address, line);
      this.#letIn++;
      this.#comeIn(request);
      if (this.#letIn === max) break;
    }
  }

  #wakeLater(delayMs: number): void {
    if (this.#wakes) return;
    this.#wakes = true;
    this.#clock.schedule(delayMs, () => {
      this.#wakes = false;
      this.#takeTurn();
    });
  }

  #noteSender(address: string): void {
    if (address !== this.#latest.address) {
      const free = this.#before;
      this.#before = this.#latest;
      this.#latest = free;
      free.address = address;
    }
    this.#latest.ms = this.#clock.nowMs();
  }

  #othersAreActive(nowMs: number): boolean {
    const sinceMs = nowMs - OTHERS_ACTIVE_MS;
    return [this.#latest, this.#before].some(({ address, ms }) => ms > sinceMs && !this.#crowds.has(address));
  }
}
