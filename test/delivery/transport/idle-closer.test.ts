// Connections that were idle for too long: thousands at one moment do not hold the thread up.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CLOSED_AT_ONCE_MAX } from '#engine/base/limits.ts';
import { IdleCloser } from '#engine/delivery/transport/idle-closer.ts';

/** A closer whose polls the test makes, and how often each of so many connections was closed. */
function closerOf(count: number) {
  let waiting: (() => void)[] = [];
  const closer = new IdleCloser({ afterPoll: (callback) => void waiting.push(callback) });
  const closed = new Array<number>(count).fill(0);
  const connections = closed.map((_, index) => ({ closeIfIdle: () => void closed[index]!++ }));
  const poll = (): void => {
    const due = waiting;
    waiting = [];
    for (const callback of due) callback();
  };
  return { closer, connections, closed, poll, isDone: () => waiting.length === 0 };
}

test('as many connections as end at one moment are closed in parts, the first after a poll, each once', () => {
  const count = 3 * CLOSED_AT_ONCE_MAX + 1;
  const { closer, connections, closed, poll, isDone } = closerOf(count);
  for (const connection of connections) closer.add(connection);
  const soFar = (): number => closed.filter((times) => times === 1).length;
  for (const expected of [0, 1, 2, 3].map((parts) => parts * CLOSED_AT_ONCE_MAX)) {
    assert.equal(soFar(), expected);
    poll();
  }
  assert.deepEqual([soFar(), isDone()], [count, true]);
});

test('what is added while others are closed is closed after them, and after that there may be more', () => {
  const { closer, connections, closed, poll, isDone } = closerOf(CLOSED_AT_ONCE_MAX + 3);
  const [late, later, ...first] = connections;
  for (const connection of first) closer.add(connection);
  poll();
  closer.add(late!);
  poll();
  assert.deepEqual([closed.slice(0, 2), isDone()], [[1, 0], true]);
  closer.add(later!);
  poll();
  assert.deepEqual(closed, new Array(closed.length).fill(1));
});
