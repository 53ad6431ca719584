import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairTurns } from '#engine/base/fair-turns.ts';

function recorded() {
  const turns = new FairTurns(1);
  const order: string[] = [];
  const ask = (name: string) =>
    turns.run(name[0]!, async () => {
      order.push(name);
    });
  return { order, ask };
}

test('holders take turns, however much one of them asked for before', async () => {
  const { order, ask } = recorded();
  await Promise.all(['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map((name) => ask(name).result));
  assert.deepEqual(order, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
});

test('work that another holder wants, too, runs once, when it is the turn of either', async () => {
  const { order, ask } = recorded();
  const all = ['a1', 'a2', 'a3', 'a4', 'a5'].map(ask);
  for (let again = 0; again < 3; again++) all[4]!.alsoFor('b');
  all[0]!.alsoFor('b');
  const own = ask('b1');
  await Promise.all([...all, own].map(({ result }) => result));
  assert.deepEqual(order, ['a1', 'a2', 'a5', 'a3', 'b1', 'a4']);
});

test('so much work runs at a time, and work that fails passes its turn on', async () => {
  const turns = new FairTurns(2);
  let [running, most] = [0, 0];
  const work = async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    throw new Error('the test wants it');
  };
  const all = Array.from({ length: 7 }, (_, index) => turns.run(`holder ${index}`, work).result);
  assert.ok((await Promise.allSettled(all)).every(({ status }) => status === 'rejected'));
  assert.deepEqual([running, most], [0, 2]);
});
