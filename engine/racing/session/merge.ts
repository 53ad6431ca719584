// Merges the upstream's messages into the state of a topic, and reports what changed.
//
// The rules, as observed:
// - An object patches the state, key by key.
// - An object with numeric keys patches the places of a list. The index after the last one appends.
// - A string, number, boolean, null or list replaces the value.
// - `_deleted` names keys to remove.
// - `_kf: true` marks a snapshot: the object replaces the value.
// Neither mark becomes part of the state. A list that is patched beyond its end, or at a key that is no index, becomes
// an object with numeric keys. Readers treat both alike.
//
// Messages come from outside, so `__proto__` is never a key, and nesting is bounded. The size of the frame bounds
// numbers and strings.

import { isContainer, type Json, type JsonObject } from '#engine/base/json-value.ts';
import { MERGE_DEPTH_MAX } from '#engine/base/limits.ts';

/**
 * The changes that a message made, in the shape of the state. A list appears as an object with its indexes as keys.
 * `undefined` stands for a removed key.
 */
export interface ChangeTree {
  readonly [key: string]: Change;
}

export type Change = null | boolean | number | string | undefined | ChangeTree;

export interface Merged {
  readonly state: Json;
  /** The difference from before. Valid only if `changed`. */
  readonly change: Change;
  readonly changed: boolean;
}

export class MergeError extends Error {
  override readonly name = 'MergeError';
}

type Writable = { [key: string]: Json | undefined };
type WritableTree = { [key: string]: Change };

const SAME = Symbol('as before');

/** Merges `message` into `before`. Changes `before` in place where it can; the caller must not use it again. */
export function merge(before: Json | undefined, message: Json): Merged {
  const [state, change] = patch(before, message, 0);
  return change === SAME ? { state, change: undefined, changed: false } : { state, change, changed: true };
}

/** Recurses no deeper than the state, whose depth `clean` bounds. */
function patch(before: Json | undefined, message: Json, depth: number): [state: Json, change: Change | typeof SAME] {
  if (!isContainer(message)) return [message, before === message ? SAME : message];
  const replaces = Array.isArray(message) || (message as JsonObject)._kf === true || !isContainer(before);
  if (replaces) {
    const state = clean(message, depth);
    return [state, difference(before, state)];
  }
  return patchContainer(before, message as JsonObject, depth);
}

function patchContainer(before: Json, message: JsonObject, depth: number): [Json, Change | typeof SAME] {
  let state = before as Writable | Json[];
  const changes: WritableTree = {};
  let changed = false;
  const removed = removedKeys(message);
  for (const key of removed) {
    if (Object.hasOwn(message, key) || !Object.hasOwn(state, key)) continue;
    state = asObject(state);
    delete state[key];
    changes[key] = undefined;
    changed = true;
  }
  for (const key of Object.keys(message)) {
    if (isMark(key)) continue;
    if (Array.isArray(state) && !isPlaceIn(state, key)) state = asObject(state);
    const place = state as Writable;
    const [child, change] = patch(Object.hasOwn(place, key) ? place[key] : undefined, message[key]!, depth + 1);
    // Assign even when nothing changed: a list may have replaced an object with the same content.
    place[key] = child;
    if (change === SAME) continue;
    changes[key] = change;
    changed = true;
  }
  return [state as Json, changed ? changes : SAME];
}

function removedKeys(message: JsonObject): readonly string[] {
  const removed = message._deleted;
  return Array.isArray(removed) ? removed.filter((key) => typeof key === 'string' && !isMark(key)) : [];
}

function isMark(key: string): boolean {
  return key === '_kf' || key === '_deleted' || key === '__proto__';
}

/** Whether the key is an index of the list, or the index after its last. */
function isPlaceIn(list: readonly Json[], key: string): boolean {
  return /^(0|[1-9]\d{0,8})$/.test(key) && Number(key) <= list.length;
}

function asObject(state: Writable | Json[]): Writable {
  return Array.isArray(state) ? { ...(state as unknown as Writable) } : state;
}

/** Returns a copy without the marks. Throws a MergeError if the message nests too deep. */
function clean(message: Json, depth: number): Json {
  if (depth > MERGE_DEPTH_MAX) throw new MergeError(`the message nests more than ${MERGE_DEPTH_MAX} deep`);
  if (!isContainer(message)) return message;
  if (Array.isArray(message)) return message.map((value: Json) => clean(value, depth + 1));
  const copy: Writable = {};
  for (const key of Object.keys(message)) {
    if (!isMark(key)) copy[key] = clean((message as JsonObject)[key]!, depth + 1);
  }
  return copy;
}

/** Returns the difference between two states that share no objects. Both are clean, so their depth is bounded. */
function difference(before: Json | undefined, after: Json): Change | typeof SAME {
  if (!isContainer(after)) return before === after ? SAME : after;
  const old = isContainer(before) ? (before as JsonObject) : null;
  const current = after as JsonObject;
  const changes: WritableTree = {};
  let changed = old === null;
  for (const key of Object.keys(current)) {
    const change = difference(old !== null && Object.hasOwn(old, key) ? old[key] : undefined, current[key]!);
    if (change === SAME) continue;
    changes[key] = change;
    changed = true;
  }
  if (old !== null) {
    for (const key of Object.keys(old)) {
      if (Object.hasOwn(current, key)) continue;
      changes[key] = undefined;
      changed = true;
    }
  }
  return changed ? changes : SAME;
}
