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

export function writeAttempts(writer: ByteWriter, { attempts, offsets }: NumberedAttempts): void {
  const runs = new Map<string, number>();
  // Most attempts are of the run of the one before.
  let last: AttemptRecord | null = null;
  let run = 0;
  const runOf = attempts.map((attempt) => {
    const { runNo, mode } = attempt;
    if (last === null || last.runNo !== runNo || last.mode !== mode) run = placeOf(runs, `${runNo ?? ''} ${mode}`);
    last = attempt;
    return run;
  });
  const texts = new Map<string, number>();
  const codeOf = attempts.map(({ result }) => (result.kind === 'failed' ? placeOf(texts, result.code) : 0));
  const textOf = attempts.map(({ result }) =>
    placeOf(texts, storable(result.kind === 'failed' ? result.detail : result.body)),
  );
  writer.number(attempts.length);
  writer.number(runs.size);
  for (const key of runs.keys()) {
    const [runNo, mode] = key.split(' ');
    writer.number(runNo === '' ? 0 : Number(runNo) + 1);
    writer.number(MODES.indexOf(mode as DeliveryMode));
  }
  writer.number(texts.size);
  for (const text of texts.keys()) writer.text(text);
  let before = 0;
  for (const offset of offsets) {
    writer.number(offset - before);
    before = offset;
  }
  if (runs.size > 1) for (const run of runOf) writer.number(run);
  for (const { feed } of attempts) writer.number(feed);
  before = 0;
  for (const { sequence } of attempts) {
    writer.signed(sequence - before);
    before = sequence;
  }
  for (const { attempt, lagMs, result } of attempts)
    writer.number((attempt << ATTEMPT_SHIFT) | (lagMs === null ? NO_LAG : 0) | (result.kind === 'failed' ? FAILED : 0));
  attempts.forEach(({ result }, i) => {
    writer.number(result.kind === 'failed' ? codeOf[i]! : result.statusCode);
  });
  for (const text of textOf) writer.number(text);
  for (const { latencyMs } of attempts) writer.number(Math.round(latencyMs * 100));
  for (const { lagMs } of attempts) if (lagMs !== null) writer.signed(Math.round(lagMs * 100));
  before = 0;
  for (const { createdAtMs } of attempts) {
    const ms = Math.floor(createdAtMs);
    writer.signed(ms - before);
    before = ms;
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

function placeOf(places: Map<string, number>, text: string): number {
  const known = places.get(text);
  if (known !== undefined) return known;
  places.set(text, places.size);
  return places.size - 1;
}

/** G4: entries read the same whether they stand in a row of text or here. */
function storable(text: string): string {
  return text.includes('\0') ? text.replace(NUL, '\uFFFD') : text;
}
