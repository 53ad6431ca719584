// Samples of cars: what CarData.z and Position.z carry. A message is a text in base64 of raw deflate, and holds the samples
// of about a second, each with all cars.
//
// Told is the newest sample of a message, if it is of a later second than the one told before, so at most one a second. The
// samples' own time decides, so the same messages always tell the same ones; when it falls by a minute, it was wrong before,
// and the samples go on from there. Of a sample only cars are told whose values differ from those told before: a car that
// stands in its garage is silent.

import { inflateRawSync } from 'node:zlib';
import { type Json, type JsonObject, objectOf } from '#engine/base/json-value.ts';
import { FRAME_BYTES_MAX } from '#engine/base/limits.ts';
import { racingNumbers, type SessionState } from '#engine/racing/session/session-state.ts';
import { upstreamUtcMs } from '#engine/racing/upstream-time.ts';
import type { Driver } from '#schemas/webhook/driver.ts';
import { isoUtc } from './iso-utc.ts';
import { type Content, NOTHING } from './normaliser.ts';

/** Of the samples of a topic, one in each such interval is told at most. */
const SAMPLE_INTERVAL_MS = 1_000;
/** A sample this much older than the one told before is no late one: the clock of the samples was put right. */
const SAMPLE_CLOCK_BACK_MS = 60_000;

/** Whether the topic's messages are compressed. Those are samples: no part of the session's state. */
export function isCompressed(topic: string): boolean {
  return topic.endsWith('.z');
}

/** What a compressed message says. Throws an Error that says what is wrong with it. */
export function inflated(message: Json): JsonObject {
  if (typeof message !== 'string') throw new Error('the message is not a text');
  // Node forgives wrong base64 and ends where it stops making sense, which then is no whole deflate stream.
  const bytes = inflateRawSync(Buffer.from(message, 'base64'), { maxOutputLength: FRAME_BYTES_MAX });
  const text = bytes.toString();
  return objectOf(JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text));
}

export interface Sample {
  readonly utc: unknown;
  readonly cars: JsonObject;
}

/** Chooses what is told of one topic's samples. `read` takes a driver's values out of what the upstream says of a car. */
export class Sampling<Values extends object> {
  readonly #read: (car: JsonObject) => Values;
  readonly #told = new Map<string, Values>();
  #toldInterval = 0;

  constructor(read: (car: JsonObject) => Values) {
    this.#read = read;
  }

  /** The content that the newest sample of a message makes. */
  tell(newest: Sample, state: SessionState): readonly Content[] {
    const utcMs = upstreamUtcMs(newest.utc);
    if (utcMs === null) return NOTHING;
    const interval = Math.floor(utcMs / SAMPLE_INTERVAL_MS);
    // One sample with a time of the future must not silence all that come after it.
    const isLate = (this.#toldInterval - interval) * SAMPLE_INTERVAL_MS <= SAMPLE_CLOCK_BACK_MS;
    if (interval <= this.#toldInterval && isLate) return NOTHING;
    this.#toldInterval = interval;
    const drivers: (Driver & Values)[] = [];
    for (const number of racingNumbers(newest.cars)) {
      const values = this.#read(objectOf(newest.cars[number]));
      const told = this.#told.get(number);
      if (told !== undefined && isSame(told, values)) continue;
      this.#told.set(number, values);
      drivers.push(Object.assign(state.driver(number), values));
    }
    return drivers.length === 0 ? NOTHING : [{ sampleUtc: isoUtc(utcMs)!, drivers }];
  }
}

function isSame<Values extends object>(a: Values, b: Values): boolean {
  for (const name in a) if (a[name] !== b[name]) return false;
  return true;
}
