import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeyedMutex } from '#engine/base/keyed-mutex.ts';

test('work of one key runs one at a time in order of arrival, work of different keys at the same time', async () => {
  const mutex = new KeyedMutex();
  const seen: string[] = [];
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const first = mutex.run('a', async () => {
    seen.push('a1 begins');
    await gate;
    seen.push('a1 ends');
  });
  const second = mutex.run('a', async () => {
    seen.push('a2');
    return 2;
  });
  await mutex.run('b', async () => seen.push('b'));
  release();
  await first;
  assert.equal(await second, 2);
  assert.deepEqual(seen, ['a1 begins', 'b', 'a1 ends', 'a2']);
});

test('failed work rejects for its caller and does not block the next work', async () => {
  const mutex = new KeyedMutex();
  const failing = mutex.run('a', async () => {
    throw new Error('no');
  });
  const next = mutex.run('a', async () => 'yes');
  await assert.rejects(failing, /no/);
  assert.equal(await next, 'yes');
});

/** Lets work go on that waits for promises only. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('with a rest, a key of which more waits rests after each piece for as long as that took, others do not wait', async () => {
  let nowMs = 0;
  const rests: { readonly ms: number; readonly end: () => void }[] = [];
  const schedule = (ms: number, end: () => void) => {
    rests.push({ ms, end });
    return () => {};
  };
  const mutex = new KeyedMutex({ clock: { nowMs: () => nowMs, schedule }, msMax: 20 });
  const seen: string[] = [];
  const piece = (name: string, takesMs: number) => async () => {
    seen.push(name);
    nowMs += takesMs;
    if (takesMs === 3) throw new Error(name);
  };
  const ended: string[] = [];
  const run = (key: string, name: string, takesMs: number) =>
    mutex.run(key, piece(name, takesMs)).then(
      () => ended.push(name),
      () => ended.push(`${name} failed`),
    );
  const all = [run('a', 'a1', 7), run('a', 'a2', 3), run('a', 'a3', 500), run('a', 'a4', 1)];
  await settled();
  assert.deepEqual([seen, ended], [['a1'], ['a1']], 'its result does not wait for the rest');
  await run('b', 'b1', 1);
  for (const name of ['a2', 'a3', 'a4']) {
    assert.ok(!seen.includes(name));
    rests.at(-1)!.end();
    await settled();
    assert.equal(seen.at(-1), name);
  }
  await Promise.all(all);
  assert.deepEqual(
    rests.map(({ ms }) => ms),
    [7, 3, 20],
    'nothing waits behind the last one',
  );
  assert.ok(ended.includes('a2 failed'));
  await run('a', 'a5', 1);
  assert.equal(rests.length, 3);
});
