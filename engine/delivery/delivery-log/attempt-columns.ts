// The attempts of one endpoint as bytes, column by column: values of one kind stand together, as differences where they
// rise, so that an attempt takes some ten bytes and compresses well. Texts are written once; attempts refer to them.
//
//   attempts, runs (each with its mode), texts; then for each attempt, column by column:
//   number, run, feed, sequence, kind, status or failure, text, latency, lag, time
//
// Numbers count from a base that is stored beside the bytes. Latency and lag are hundredths of a millisecond.

import { ByteReader } from '#engine/base/byte-reader.ts';
import type { ByteWriter } from '#engine/base/byte-writer.ts';
import type { AttemptResult, FailureCode } from '#engine/delivery/attempt-result.ts';
import type { DeliveryMode } from '#engine/delivery/run-order.ts';
import type { AttemptList } from './attempt-list.ts';
import type { AttemptRecord } from './record-store.ts';

/** Attempts of one endpoint, and the number of each above the base, rising. */
export interface NumberedAttempts {
  readonly attempts: readonly AttemptRecord[];
  readonly offsets: readonly number[];
}

/** Stored by their place: append only. */
export const MODES = ['live', 'replay', 'test'] as const satisfies readonly DeliveryMode[];

const FAILED = 1;
const NO_LAG = 2;
const ATTEMPT_SHIFT = 2;
const NUL = /\0/g;
/** Attempts of one endpoint for which there is memory from the start. */
const FIRST_ATTEMPTS = 64;
/** So many values are searched one by one. */
const SEARCHED_MAX = 8;

/** Writes the attempts of endpoints, one endpoint after the other. What it needs for that it keeps, so that one takes no memory. */
export class AttemptsWriter {
  readonly #writer: ByteWriter;
  /** Run and mode of an attempt as one number. */
  readonly #runs = new Places<number>();
  readonly #texts = new Places<string>();
  #runOf = new Uint32Array(FIRST_ATTEMPTS);
  #codeOf = new Uint32Array(FIRST_ATTEMPTS);
  #textOf = new Uint32Array(FIRST_ATTEMPTS);

  constructor(writer: ByteWriter) {
    this.#writer = writer;
  }

  /** Writes those at these places of the list. `offsets`: the number of each above the base, rising. */
  write(list: AttemptList, places: readonly number[], offsets: readonly number[]): void {
    const writer = this.#writer;
    const count = places.length;
    this.#place(list, places);
    writer.number(count);
    writer.number(this.#runs.size);
    for (let i = 0; i < this.#runs.size; i++) {
      const run = this.#runs.at(i);
      writer.number(Math.floor(run / MODES.length));
      writer.number(run % MODES.length);
    }
    writer.number(this.#texts.size);
    for (let i = 0; i < this.#texts.size; i++) writer.text(this.#texts.at(i));
    for (let i = 0, before = 0; i < count; before = offsets[i++]!) writer.number(offsets[i]! - before);
    if (this.#runs.size > 1) for (let i = 0; i < count; i++) writer.number(this.#runOf[i]!);
    for (let i = 0; i < count; i++) writer.number(list.feed(places[i]!));
    for (let i = 0, before = 0; i < count; before = list.sequence(places[i++]!))
      writer.signed(list.sequence(places[i]!) - before);
    for (let i = 0; i < count; i++) {
      const place = places[i]!;
      const flags = (list.lagMs(place) === null ? NO_LAG : 0) | (list.code(place) === null ? 0 : FAILED);
      writer.number((list.attempt(place) << ATTEMPT_SHIFT) | flags);
    }
    for (let i = 0; i < count; i++) {
      const place = places[i]!;
      writer.number(list.code(place) === null ? list.statusCode(place) : this.#codeOf[i]!);
    }
    for (let i = 0; i < count; i++) writer.number(this.#textOf[i]!);
    for (let i = 0; i < count; i++) writer.number(Math.round(list.latencyMs(places[i]!) * 100));
    for (let i = 0; i < count; i++) {
      const lagMs = list.lagMs(places[i]!);
      if (lagMs !== null) writer.signed(Math.round(lagMs * 100));
    }
    for (let i = 0, before = 0; i < count; i++) {
      const ms = Math.floor(list.createdAtMs(places[i]!));
      writer.signed(ms - before);
      before = ms;
    }
  }

  /** Finds the runs and texts of the attempts: codes of failures first, in the order in which they are read back. */
  #place(list: AttemptList, places: readonly number[]): void {
    const count = places.length;
    if (count > this.#runOf.length) {
      this.#runOf = new Uint32Array(2 * count);
      this.#codeOf = new Uint32Array(2 * count);
      this.#textOf = new Uint32Array(2 * count);
    }
    this.#runs.clear();
    this.#texts.clear();
    for (let i = 0; i < count; i++) {
      const place = places[i]!;
      const runNo = list.runNo(place);
      const code = list.code(place);
      this.#runOf[i] = this.#runs.of((runNo === null ? 0 : runNo + 1) * MODES.length + MODES.indexOf(list.mode(place)));
      if (code !== null) this.#codeOf[i] = this.#texts.of(code);
    }
    for (let i = 0; i < count; i++) this.#textOf[i] = this.#texts.of(storable(list.text(places[i]!)));
  }
}

/** Throws an AssertionError if these are not the bytes of attempts. */
export function readAttempts(bytes: Uint8Array, webhookNo: number): NumberedAttempts {
  const reader = new ByteReader(bytes);
  const count = reader.number();
  const runs = Array.from({ length: reader.number() }, () => {
    const run = reader.number();
    return { runNo: run === 0 ? null : run - 1, mode: MODES[reader.number()]! };
  });
  const texts = Array.from({ length: reader.number() }, () => reader.text());
  const column = (next: () => number): number[] => {
    const values = new Array<number>(count);
    for (let i = 0; i < count; i++) values[i] = next();
    return values;
  };
  const sums = (next: () => number): number[] => {
    let sum = 0;
    return column(() => (sum += next()));
  };
  const number = (): number => reader.number();
  const signed = (): number => reader.signed();
  const offsets = sums(number);
  const runOf = runs.length > 1 ? column(number) : null;
  const feeds = column(number);
  const sequences = sums(signed);
  const kinds = column(number);
  const codes = column(number);
  const textOf = column(number);
  const latencies = column(number);
  const lags = new Array<number | null>(count);
  for (let i = 0; i < count; i++) lags[i] = (kinds[i]! & NO_LAG) === 0 ? signed() / 100 : null;
  const times = sums(signed);
  const attempts = new Array<AttemptRecord>(count);
  for (let i = 0; i < count; i++) {
    const { runNo, mode } = runs[runOf === null ? 0 : runOf[i]!]!;
    const text = texts[textOf[i]!]!;
    const result: AttemptResult =
      (kinds[i]! & FAILED) === 0
        ? { kind: 'answered', statusCode: codes[i]!, body: text }
        : { kind: 'failed', code: texts[codes[i]!] as FailureCode, detail: text };
    attempts[i] = {
      webhookNo,
      runNo,
      mode,
      feed: feeds[i]!,
      sequence: sequences[i]!,
      attempt: kinds[i]! >> ATTEMPT_SHIFT,
      result,
      latencyMs: latencies[i]! / 100,
      lagMs: lags[i]!,
      createdAtMs: times[i]!,
    };
  }
  return { attempts, offsets };
}

/** Different values, each with its place in the order of first use. Few of them take no memory of their own. */
class Places<Value extends number | string> {
  #values: Value[] = [];
  #size = 0;
  /** Once there are more than are quickly searched. */
  readonly #places = new Map<Value, number>();

  get size(): number {
    return this.#size;
  }

  at(place: number): Value {
    return this.#values[place]!;
  }

  of(value: Value): number {
    if (this.#size <= SEARCHED_MAX) {
      for (let place = this.#size - 1; place >= 0; place--) if (this.#values[place] === value) return place;
    } else {
      const place = this.#places.get(value);
      if (place !== undefined) return place;
    }
    this.#values[this.#size] = value;
    this.#size++;
    if (this.#size === SEARCHED_MAX + 1)
      for (let place = 0; place < this.#size; place++) this.#places.set(this.#values[place]!, place);
    else if (this.#size > SEARCHED_MAX) this.#places.set(value, this.#size - 1);
    return this.#size - 1;
  }

  clear(): void {
    if (this.#size > SEARCHED_MAX) {
      this.#values = [];
      this.#places.clear();
    }
    this.#size = 0;
  }
}

/** G4: entries read the same whether they stand in a row of text or here. */
function storable(text: string): string {
  return text.includes('\0') ? text.replace(NUL, '\uFFFD') : text;
}
