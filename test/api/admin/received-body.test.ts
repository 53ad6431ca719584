// A body that arrives in parts, from the point of view of its reader.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ReceivedBody } from '#api/admin/received-body.ts';
import { AssertionFailed } from '#engine/base/assert.ts';

function receive() {
  let taken = 0;
  const body = new ReceivedBody(() => {
    taken++;
  });
  const parts = body[Symbol.asyncIterator]();
  return { body, parts, taken: () => taken };
}

const ONE = Uint8Array.of(1);
const TWO = Uint8Array.of(2);

test('a part is taken once its reader asks for the next, and the end comes after the last part', async () => {
  const { body, parts, taken } = receive();
  const first = parts.next();
  body.put(ONE);
  assert.deepEqual(await first, { done: false, value: ONE });
  assert.equal(taken(), 0);
  const second = parts.next();
  await turn();
  assert.equal(taken(), 1);
  body.put(TWO);
  body.end();
  assert.deepEqual(await second, { done: false, value: TWO });
  assert.deepEqual(await parts.next(), { done: true, value: undefined });
  assert.deepEqual([taken(), body.isCut], [2, false]);
});

test('a cut body has no end: its reader gets an error, and unread parts are dropped', async () => {
  const { body, parts, taken } = receive();
  body.put(ONE);
  body.cut();
  await assert.rejects(parts.next(), /disconnected/);
  assert.deepEqual([taken(), body.isCut], [0, true]);
  const waiting = receive();
  const next = waiting.parts.next();
  waiting.body.cut();
  await assert.rejects(next, /disconnected/);
});

test('a part that arrives before the last one was read fails an assertion', () => {
  const { body } = receive();
  body.put(ONE);
  assert.throws(() => body.put(TWO), AssertionFailed);
});
