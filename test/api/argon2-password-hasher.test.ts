import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseOptions } from '@node-rs/argon2';
import { Argon2PasswordHasher } from '#api/accounts/argon2-password-hasher.ts';
import { ApiError } from '#api/http/api-error.ts';

const hasher = new Argon2PasswordHasher();

test('a password is hashed with Argon2id, 19 MiB, two passes, one lane and a new salt each time', async () => {
  const [one, other] = await Promise.all([hasher.hash('a password'), hasher.hash('a password')]);
  assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.notEqual(one, other);
  assert.ok(parseOptions(one).saltLen >= 16);
  assert.equal(await hasher.verify(one, 'a password'), true);
  assert.equal(await hasher.verify(one, 'a passwore'), false);
});

test('all 72 characters of a password matter, whatever their size in bytes', async () => {
  const long = '😀'.repeat(72);
  const hash = await hasher.hash(long);
  assert.equal(await hasher.verify(hash, long), true);
  assert.equal(await hasher.verify(hash, `${'😀'.repeat(71)}😁`), false);
});

test('composed and decomposed forms of the same letter match', async () => {
  assert.equal(await hasher.verify(await hasher.hash('caf\u00e9 au lait'), 'cafe\u0301 au lait'), true);
});

test('without a hash no password matches, and the check costs the same computation', async () => {
  assert.equal(await hasher.verify(null, 'a password'), false);
  const busy = new Argon2PasswordHasher({ atOnceMax: 1, waitingMax: 0 });
  const computing = busy.verify(null, 'a password');
  await assert.rejects(busy.hash('a password'), ApiError);
  assert.equal(await computing, false);
});

test('few hashes are computed at once; more wait in a queue, and a full queue is 503 unavailable', async () => {
  const bounded = new Argon2PasswordHasher({ atOnceMax: 1, waitingMax: 4 });
  const ended: number[] = [];
  const all = Array.from({ length: 5 }, (_, i) => bounded.verify(null, 'a password').then(() => ended.push(i)));
  await assert.rejects(
    bounded.hash('a password'),
    (error) => error instanceof ApiError && error.code === 'unavailable' && error.headers['retry-after'] === '1',
  );
  await Promise.all(all);
  assert.deepEqual(ended, [0, 1, 2, 3, 4], 'first come, first served');
  assert.equal(await bounded.verify(null, 'a password'), false, 'the queue has room again');
});
