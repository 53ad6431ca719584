import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Json, JsonObject } from '#engine/base/json-value.ts';
import { MERGE_DEPTH_MAX } from '#engine/base/limits.ts';
import { type Change, MergeError, merge } from '#engine/racing/session/merge.ts';
import { F1_SESSIONS } from '#test/racing/golden/golden-sessions.ts';
import { recorded, WHOLE_SESSIONS } from '#test/racing/real-sessions.ts';

/** Merges messages one after the other. Each is a copy, as if received over a network. */
function merged(...messages: Json[]): { state: Json | undefined; change: Change; changed: boolean } {
  let last: { state: Json | undefined; change: Change; changed: boolean } = {
    state: undefined,
    change: undefined,
    changed: false,
  };
  for (const message of messages) last = merge(last.state, structuredClone(message));
  return last;
}

test('an object patches key by key, and the change has only the differences', () => {
  const { state, change } = merged({ a: 1, b: { c: 'x', d: true } }, { a: 1, b: { c: 'y' } });
  assert.deepEqual(state, { a: 1, b: { c: 'y', d: true } });
  assert.deepEqual(change, { b: { c: 'y' } });
});

test('a message that repeats the state changes nothing', () => {
  const message = { a: [1, { b: null }], c: {} };
  assert.equal(merged(message, message).changed, false);
});

test('an object with numeric keys patches the places of a list and appends to it', () => {
  const { state, change } = merged({ s: [{ v: 1 }, { v: 2 }] }, { s: { 1: { v: 3 }, 2: { v: 4 } } });
  assert.deepEqual(state, { s: [{ v: 1 }, { v: 3 }, { v: 4 }] });
  assert.deepEqual(change, { s: { 1: { v: 3 }, 2: { v: 4 } } });
});

test('an empty list is filled by numeric keys', () => {
  assert.deepEqual(merged({ s: [] }, { s: { 0: { v: 1 } } }).state, { s: [{ v: 1 }] });
});

test('a list that is patched beyond its end or at a name becomes an object, without holes', () => {
  const { state, change } = merged({ s: ['a'] }, { s: { 999999999: 'z' } });
  assert.deepEqual(state, { s: { 0: 'a', 999999999: 'z' } });
  assert.deepEqual(change, { s: { 999999999: 'z' } });
  assert.deepEqual(merged({ s: ['a'] }, { s: { length: 5 } }).state, { s: { 0: 'a', length: 5 } });
});

test('a list replaces a list, an object and a string', () => {
  for (const before of [['a', 'b', 'c'], { 0: 'a', 7: 'b' }, 'text', null]) {
    assert.deepEqual(merged({ s: before }, { s: ['a', 'd'] }).state, { s: ['a', 'd'] });
  }
  assert.deepEqual(merged({ s: ['a', 'b', 'c'] }, { s: ['a', 'd'] }).change, { s: { 1: 'd', 2: undefined } });
});

test('a list that replaces an object with the same content changes nothing', () => {
  const { state, changed } = merged({ s: { 0: 'a', 1: 'b' } }, { s: ['a', 'b'] });
  assert.equal(changed, false);
  assert.deepEqual(state, { s: ['a', 'b'] });
});

test('_deleted removes keys and is not kept; keys that the message also sets stay', () => {
  const { state, change } = merged(
    { b: { Value: '1:2', Lap: 3 } },
    { b: { Value: '', _deleted: ['Lap', 'Value', 'No'] } },
  );
  assert.deepEqual(state, { b: { Value: '' } });
  assert.deepEqual(change, { b: { Value: '', Lap: undefined } });
  assert.deepEqual(merged({ _deleted: ['a'], a: 1 }).state, { a: 1 });
});

test('_deleted takes a place out of a list', () => {
  assert.deepEqual(merged({ s: ['a', 'b'] }, { s: { _deleted: ['0'] } }).state, { s: { 1: 'b' } });
});

test('_kf marks a snapshot, which replaces the object, and is not kept', () => {
  const { state, change } = merged({ a: 1, b: 2, c: { d: 1 } }, { b: 3, c: { d: 1 }, _kf: true });
  assert.deepEqual(state, { b: 3, c: { d: 1 } });
  assert.deepEqual(change, { a: undefined, b: 3 });
  assert.deepEqual(merged({ a: { _kf: true, x: [{ _kf: true, y: 1 }] } }).state, { a: { x: [{ y: 1 }] } });
});

test('_kf replaces only the object that it marks', () => {
  assert.deepEqual(merged({ a: { x: 1, y: 2 }, b: 1 }, { a: { y: 3, _kf: true } }).state, { a: { y: 3 }, b: 1 });
});

test('a string replaces an object, and an object replaces a string', () => {
  assert.deepEqual(merged({ a: { b: 1 } }, { a: 'x' }).change, { a: 'x' });
  assert.deepEqual(merged({ a: 'x' }, { a: { b: 1 } }).change, { a: { b: 1 } });
});

test('a message cannot reach any prototype', () => {
  const attack = JSON.parse(
    '{"__proto__":{"polluted":1},"a":{"__proto__":{"polluted":1},"b":1},"constructor":{"prototype":{"polluted":1}}}',
  );
  const { state } = merge(merge(undefined, { a: {} }).state, attack);
  const again = merge(state, attack).state as JsonObject;
  assert.equal(({} as { polluted?: number }).polluted, undefined);
  assert.equal((again.a as { polluted?: number }).polluted, undefined);
  assert.equal(Object.getPrototypeOf(again), Object.prototype);
  assert.deepEqual(again.constructor, { prototype: { polluted: 1 } });
});

test('_deleted cannot name the prototype', () => {
  const { state } = merged({ a: 1 }, { _deleted: ['__proto__', 'toString'] });
  assert.deepEqual(state, { a: 1 });
});

test('a message that nests too deep is refused, whether it patches or replaces', () => {
  const deep = (depth: number): Json => (depth === 0 ? 1 : { a: deep(depth - 1) });
  const list = (depth: number): Json => (depth === 0 ? 1 : [list(depth - 1)]);
  assert.doesNotThrow(() => merged(deep(MERGE_DEPTH_MAX), deep(MERGE_DEPTH_MAX)));
  assert.throws(() => merged(deep(MERGE_DEPTH_MAX + 1)), MergeError);
  assert.throws(() => merged({ a: list(MERGE_DEPTH_MAX + 1) }), MergeError);
  let state = merge(undefined, {}).state;
  assert.throws(() => {
    for (let depth = 1; depth < 100; depth++) state = merge(state, deep(depth)).state;
  }, MergeError);
});

const keys = fc.constantFrom('a', 'b', '0', '1', '2', '7', 'toString');
const json: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom<Json>(null, true, false, 0, 1, '', 'x'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(keys, tie('value'), { maxKeys: 4 }),
    fc.record({ _kf: fc.constant(true), a: tie('value') }, { requiredKeys: ['_kf'] }),
    fc.record({ _deleted: fc.array(keys, { maxLength: 3 }), b: tie('value') }, { requiredKeys: ['_deleted'] }),
  ),
})).value;
const messages = fc.array(fc.dictionary(keys, json, { maxKeys: 4 }), { minLength: 1, maxLength: 6 });

/** Returns the leaves of a state or a change, by path. An empty collection is no leaf. */
function leaves(value: unknown, path = ''): Map<string, unknown> {
  if (typeof value !== 'object' || value === null) return new Map([[path, value]]);
  return new Map(Object.entries(value).flatMap(([key, child]) => [...leaves(child, `${path}/${key}`)]));
}

/** Returns the leaves with a change applied to them. */
function appliedTo(before: ReadonlyMap<string, unknown>, change: unknown, path = ''): Map<string, unknown> {
  if (typeof change !== 'object' || change === null) {
    const kept = [...before].filter(([known]) => known !== path && !known.startsWith(`${path}/`));
    return new Map(change === undefined ? kept : [...kept, [path, change]]);
  }
  // The state may have a string where the change has a collection.
  let after = new Map([...before].filter(([known]) => known !== path));
  for (const [key, child] of Object.entries(change)) after = appliedTo(after, child, `${path}/${key}`);
  return after;
}

function sorted(map: ReadonlyMap<string, unknown>): [string, unknown][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}

test('the change is the exact difference: applied to the old leaves, it gives the new ones', () => {
  fc.assert(
    fc.property(messages, (sequence) => {
      let state: Json | undefined;
      let known: ReadonlyMap<string, unknown> = new Map();
      for (const message of sequence) {
        const { state: after, change, changed } = merge(state, message);
        state = after;
        if (changed) known = appliedTo(known, change);
        assert.deepEqual(sorted(leaves(state)), sorted(known));
      }
    }),
    { numRuns: 300 },
  );
});

test('merging the state into itself changes nothing', () => {
  fc.assert(
    fc.property(messages, (sequence) => {
      const { state } = merged(...sequence);
      assert.equal(merge(state, structuredClone(state!)).changed, false);
      assert.equal(merge(state, { ...(structuredClone(state) as JsonObject), _kf: true }).changed, false);
    }),
    { numRuns: 300 },
  );
});

test('the state shares no objects with a message', () => {
  const message = { a: { b: [1] } };
  const { state } = merge(undefined, message);
  (message.a.b as number[]).push(2);
  assert.deepEqual(state, { a: { b: [1] } });
});

test('a snapshot and the messages after it give the same state as all messages', () => {
  for (const { sessionId, frames } of [...F1_SESSIONS, ...recorded(...WHOLE_SESSIONS)]) {
    for (const topic of ['TimingData', 'TimingAppData', 'DriverList', 'RaceControlMessages']) {
      const all = frames.filter((frame) => frame.topic === topic);
      const cuts = [0, 1, 7, all.length >> 2, all.length >> 1, all.length - 2].filter(
        (cut) => cut >= 0 && cut < all.length,
      );
      let whole: Json | undefined;
      const joined: { state: Json }[] = [];
      for (const [index, { json }] of all.entries()) {
        whole = merge(whole, JSON.parse(json)).state;
        for (const one of joined) one.state = merge(one.state, JSON.parse(json)).state;
        if (cuts.includes(index)) {
          joined.push({ state: merge(undefined, { ...(structuredClone(whole) as JsonObject), _kf: true }).state });
        }
      }
      for (const { state } of joined) assert.deepEqual(state, whole, `${sessionId} ${topic}`);
    }
  }
});
