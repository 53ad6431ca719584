// Car samples, from CarData.z and Position.z. A message is raw deflate in base64. It holds the samples of about one
// second, each with all cars.
//
// At most one sample a second is emitted: the newest of a message, if it belongs to a later second than the last one
// emitted. The samples' own clock decides, so the same messages always give the same samples. If that clock falls by
// more than a minute, it was wrong before, and the samples continue from the new time. An emitted sample has only the
// cars whose values changed since they were last emitted: a car that stands in its garage is left out.

import { inflateRawSync } from 'node:zlib';
import { type Json, type JsonObject, objectOf } from '#engine/base/json-value.ts';
import { FRAME_BYTES_MAX } from '#engine/base/limits.ts';
import { racingNumbers, type SessionState } from '#engine/racing/session/session-state.ts';
import { upstreamUtcMs } from '#engine/racing/upstream-time.ts';
import type { Driver } from '#schemas/webhook/driver.ts';
import { isoUtc } from './iso-utc.ts';
import { type Content, NOTHING } from './normaliser.ts';

/** At most one sample of a topic is emitted in each interval of this length. */
const SAMPLE_INTERVAL_MS = 1_000;
/** A sample that is older than the last emitted one by more than this is not late: the clock was corrected. */
const SAMPLE_CLOCK_BACK_MS = 60_000;

/** Whether the topic's messages are compressed. Those are samples, which are not part of the session state. */
export function isCompressed(topic: string): boolean {
  return topic.endsWith('.z');
}

/** Decompresses and parses a message. Throws an Error that says what is wrong with it. */
export function inflated(message: Json): JsonObject {
  if (typeof message !== 'string') throw new Error('the message is not a string');
  // Node accepts wrong base64 and stops decoding where it becomes invalid. Inflating the truncated bytes then fails.
  const bytes = inflateRawSync(Buffer.from(message, 'base64'), { maxOutputLength: FRAME_BYTES_MAX });
  const text = bytes.toString();
  return objectOf(JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text));
}

export interface Sample {
  readonly utc: unknown;
  readonly cars: JsonObject;
}

/**
 * Chooses which samples of one topic to emit. `read` turns the upstream's entry for a car into the payload's values.
 */
export class Sampling<Values extends object> {
  readonly #read: (car: JsonObject) => Values;
  readonly #emitted = new Map<string, Values>();
  #emittedInterval = 0;

  constructor(read: (car: JsonObject) => Values) {
    this.#read = read;
  }

  /** Takes the newest sample of a message. Returns its content, or nothing if it is not to be emitted. */
  emit(newest: Sample, state: SessionState): readonly Content[] {
    const utcMs = upstreamUtcMs(newest.utc);
    if (utcMs === null) return NOTHING;
    const interval = Math.floor(utcMs / SAMPLE_INTERVAL_MS);
    // One sample with a time in the future must not suppress all later ones.
    const isLate = (this.#emittedInterval - interval) * SAMPLE_INTERVAL_MS <= SAMPLE_CLOCK_BACK_MS;
    if (interval <= this.#emittedInterval && isLate) return NOTHING;
    this.#emittedInterval = interval;
    const drivers: (Driver & Values)[] = [];
    for (const number of racingNumbers(newest.cars)) {
      const values = this.#read(objectOf(newest.cars[number]));
      const emitted = this.#emitted.get(number);
      if (emitted !== undefined && isSame(emitted, values)) continue;
      this.#emitted.set(number, values);
      drivers.push(Object.assign(state.driver(number), values));
    }
    return drivers.length === 0 ? NOTHING : [{ sampleUtc: isoUtc(utcMs)!, drivers }];
  }
}

function isSame<Values extends object>(a: Values, b: Values): boolean {
  for (const name in a) if (a[name] !== b[name]) return false;
  return true;
}
