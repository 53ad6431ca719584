// The places of a list that changed. The upstream sends a list whole or as an object with its indexes as keys.

import { type JsonObject, objectOf } from '#engine/base/json-value.ts';

const INDEX = /^\d{1,4}$/;

/** Indexes from 0 with what changed there, ascending. A place that was removed comes with nothing. */
export function places(value: unknown): [index: number, change: JsonObject][] {
  const list = objectOf(value);
  const found: [number, JsonObject][] = [];
  for (const key of Object.keys(list)) {
    if (INDEX.test(key)) found.push([Number(key), objectOf(list[key])]);
  }
  return found;
}
