// Attempts in the order in which they ended, as numbers in one array. From their end to their commit thousands of objects
// would outlive several collections of garbage, each of which would copy them while deliveries wait.

import type { FailureCode } from '#engine/delivery/attempt-result.ts';
import type { DeliveryMode } from '#engine/delivery/run-order.ts';
import type { AttemptRecord, Attempts } from './record-store.ts';

/** Attempts for which there is memory from the start. */
const FIRST_ATTEMPTS = 64;
/** Numbers of an attempt. */
const WIDTH = 9;
/** Where each stands among them. */
const WEBHOOK_NO = 0;
const RUN_NO = 1;
const FEED = 2;
const SEQUENCE = 3;
const ATTEMPT = 4;
const STATUS_CODE = 5;
const LATENCY_MS = 6;
const LAG_MS = 7;
const CREATED_AT_MS = 8;

export class AttemptList implements Attempts {
  #length = 0;
  /** NaN stands for null, and for the status of an attempt that failed. */
  #numbers: Float64Array;
  readonly #modes: DeliveryMode[] = [];
  /** Null for one that was answered. */
  readonly #codes: (FailureCode | null)[] = [];
  /** The body of the answer, or the detail of the failure. */
  readonly #texts: string[] = [];

  /** `room`: for so many attempts it need not grow. */
  constructor(room = FIRST_ATTEMPTS) {
    this.#numbers = new Float64Array(Math.max(room, FIRST_ATTEMPTS) * WIDTH);
  }

  /** Returns the attempts themselves if they are such a list. */
  static from(attempts: Attempts): AttemptList {
    if (attempts instanceof AttemptList) return attempts;
    const list = new AttemptList(attempts.length);
    for (const attempt of attempts) list.push(attempt);
    return list;
  }

  get length(): number {
    return this.#length;
  }

  /** Copies it. */
  push(record: AttemptRecord): void {
    const { result } = record;
    const place = this.#length;
    if ((place + 1) * WIDTH > this.#numbers.length) this.#grow();
    const numbers = this.#numbers;
    const at = place * WIDTH;
    const isFailed = result.kind === 'failed';
    numbers[at + WEBHOOK_NO] = record.webhookNo;
    numbers[at + RUN_NO] = record.runNo ?? Number.NaN;
    numbers[at + FEED] = record.feed;
    numbers[at + SEQUENCE] = record.sequence;
    numbers[at + ATTEMPT] = record.attempt;
    numbers[at + STATUS_CODE] = isFailed ? Number.NaN : result.statusCode;
    numbers[at + LATENCY_MS] = record.latencyMs;
    numbers[at + LAG_MS] = record.lagMs ?? Number.NaN;
    numbers[at + CREATED_AT_MS] = record.createdAtMs;
    this.#modes[place] = record.mode;
    this.#codes[place] = isFailed ? result.code : null;
    this.#texts[place] = isFailed ? result.detail : result.body;
    this.#length = place + 1;
  }

  /** Keeps its memory. */
  clear(): void {
    this.#length = 0;
  }

  webhookNo(place: number): number {
    return this.#numbers[place * WIDTH + WEBHOOK_NO]!;
  }

  runNo(place: number): number | null {
    return nullable(this.#numbers[place * WIDTH + RUN_NO]!);
  }

  mode(place: number): DeliveryMode {
    return this.#modes[place]!;
  }

  feed(place: number): number {
    return this.#numbers[place * WIDTH + FEED]!;
  }

  sequence(place: number): number {
    return this.#numbers[place * WIDTH + SEQUENCE]!;
  }

  attempt(place: number): number {
    return this.#numbers[place * WIDTH + ATTEMPT]!;
  }

  /** Why it failed; null if it was answered. */
  code(place: number): FailureCode | null {
    return this.#codes[place]!;
  }

  /** NaN if it failed. */
  statusCode(place: number): number {
    return this.#numbers[place * WIDTH + STATUS_CODE]!;
  }

  /** The body of the answer, or the detail of the failure. */
  text(place: number): string {
    return this.#texts[place]!;
  }

  latencyMs(place: number): number {
    return this.#numbers[place * WIDTH + LATENCY_MS]!;
  }

  lagMs(place: number): number | null {
    return nullable(this.#numbers[place * WIDTH + LAG_MS]!);
  }

  createdAtMs(place: number): number {
    return this.#numbers[place * WIDTH + CREATED_AT_MS]!;
  }

  /** A record of its own for each. */
  *[Symbol.iterator](): Generator<AttemptRecord> {
    for (let place = 0; place < this.#length; place++) yield this.#record(place);
  }

  #record(place: number): AttemptRecord {
    const code = this.code(place);
    const text = this.text(place);
    return {
      webhookNo: this.webhookNo(place),
      runNo: this.runNo(place),
      mode: this.mode(place),
      feed: this.feed(place),
      sequence: this.sequence(place),
      attempt: this.attempt(place),
      result:
        code === null
          ? { kind: 'answered', statusCode: this.statusCode(place), body: text }
          : { kind: 'failed', code, detail: text },
      latencyMs: this.latencyMs(place),
      lagMs: this.lagMs(place),
      createdAtMs: this.createdAtMs(place),
    };
  }

  #grow(): void {
    const numbers = new Float64Array(2 * this.#numbers.length);
    numbers.set(this.#numbers);
    this.#numbers = numbers;
  }
}

function nullable(number: number): number | null {
  return Number.isNaN(number) ? null : number;
}
