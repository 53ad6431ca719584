import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Turnstile } from '#engine/base/keyed-mutex.ts';

test('work of one key runs one after the other in the order of its coming, of different keys at once', async () => {
  const turnstile = new Turnstile();
  const seen: string[] = [];
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const first = turnstile.pass('a', async () => {
    seen.push('a1 begins');
    await gate;
    seen.push('a1 ends');
  });
  const second = turnstile.pass('a', async () => {
    seen.push('a2');
    return 2;
  });
  await turnstile.pass('b', async () => seen.push('b'));
  release();
  await first;
  assert.equal(await second, 2);
  assert.deepEqual(seen, ['a1 begins', 'b', 'a1 ends', 'a2']);
});

test('work that fails tells its caller and lets the next one through', async () => {
  const turnstile = new Turnstile();
  const failing = turnstile.pass('a', async () => {
    throw new Error('no');
  });
  const next = turnstile.pass('a', async () => 'yes');
  await assert.rejects(failing, /no/);
  assert.equal(await next, 'yes');
});
