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
