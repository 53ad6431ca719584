// Which places of a list changed. The upstream sends either the complete list, or an object with indexes as keys.

import { type JsonObject, objectOf } from '#engine/base/json-value.ts';

const INDEX = /^\d{1,4}$/;

/** Returns the changed indexes from 0, ascending, each with its change. For a removed place, the change is empty. */
export function places(value: unknown): [index: number, change: JsonObject][] {
  const list = objectOf(value);
  const found: [number, JsonObject][] = [];
  for (const key of Object.keys(list)) {
    if (INDEX.test(key)) found.push([Number(key), objectOf(list[key])]);
  }
  return found;
}
