import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Turns } from '#api/http/turns.ts';

/** Work that ends when the test says so. */
function work(log: string[], name: string) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const run = () => {
    log.push(name);
    return promise;
  };
  return { run, end: () => resolve(name), fail: () => reject(new Error(name)) };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('each holder has so much work under way at a time; its further work waits in order, that of others does not', async () => {
  const log: string[] = [];
  const turns = new Turns(2, 10);
  const works = ['a1', 'a2', 'a3', 'a4', 'b1'].map((name) => work(log, name));
  const [a1, a2, a3, a4, b1] = works;
  const results = works.map(({ run }, index) => turns.run(index < 4 ? 'a' : 'b', run)!);
  assert.deepEqual(log, ['a1', 'a2', 'b1']);
  a2!.fail();
  await assert.rejects(results[1]!, /a2/);
  await settled();
  assert.deepEqual(log, ['a1', 'a2', 'b1', 'a3']);
  a1!.end();
  await settled();
  assert.deepEqual(log, ['a1', 'a2', 'b1', 'a3', 'a4']);
  for (const { end } of [a3!, a4!, b1!]) end();
  assert.deepEqual(await Promise.all([results[0], ...results.slice(2)]), ['a1', 'a3', 'a4', 'b1']);
  // Every turn was given back.
  const again = [work(log, 'a5'), work(log, 'a6')].map(({ run, end }) => ({ result: turns.run('a', run), end }));
  assert.deepEqual(log.slice(5), ['a5', 'a6']);
  for (const { end } of again) end();
});

test('beyond the bound on what may wait, work is refused and not run', async () => {
  const log: string[] = [];
  const turns = new Turns(1, 1);
  const works = ['first', 'second', 'third'].map((name) => work(log, name));
  const results = works.map(({ run }) => turns.run('a', run));
  assert.equal(results[2], null);
  works[0]!.end();
  works[1]!.end();
  await Promise.all(results.slice(0, 2));
  assert.deepEqual(log, ['first', 'second']);
});

test('work that throws at once gives its turn back, too', async () => {
  const turns = new Turns(1, 1);
  const broken = turns.run('a', () => {
    throw new Error('at once');
  });
  await assert.rejects(broken!, /at once/);
  assert.equal(await turns.run('a', async () => 1), 1);
});
