import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseOptions } from '@node-rs/argon2';
import { Argon2PasswordHasher } from '#api/accounts/argon2-password-hasher.ts';
import { ApiError } from '#api/http/api-error.ts';

const hasher = new Argon2PasswordHasher();

test('a password is kept as Argon2id with 19 MiB, two passes and one lane, and another salt each time', async () => {
  const [one, other] = await Promise.all([hasher.hash('a password'), hasher.hash('a password')]);
  assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.notEqual(one, other);
  assert.ok(parseOptions(one).saltLen >= 16);
  assert.equal(await hasher.verify(one, 'a password'), true);
  assert.equal(await hasher.verify(one, 'a passwore'), false);
});

test('passwords of 72 characters of any kind count to the last one', async () => {
  const long = '😀'.repeat(72);
  const hash = await hasher.hash(long);
  assert.equal(await hasher.verify(hash, long), true);
  assert.equal(await hasher.verify(hash, `${'😀'.repeat(71)}😁`), false);
});

test('a letter typed as two characters is the letter typed as one', async () => {
  assert.equal(await hasher.verify(await hasher.hash('caf\u00e9 au lait'), 'cafe\u0301 au lait'), true);
});

test('without a hash no password is right, after the same computation', async () => {
  assert.equal(await hasher.verify(null, 'a password'), false);
  const busy = new Argon2PasswordHasher({ atOnceMax: 1, waitingMax: 0 });
  const computing = busy.verify(null, 'a password');
  await assert.rejects(busy.hash('a password'), ApiError);
  assert.equal(await computing, false);
});

test('few are computed at once; the next wait in line, and a full line is 503 unavailable', async () => {
  const bounded = new Argon2PasswordHasher({ atOnceMax: 1, waitingMax: 4 });
  const ended: number[] = [];
  const all = Array.from({ length: 5 }, (_, i) => bounded.verify(null, 'a password').then(() => ended.push(i)));
  await assert.rejects(
    bounded.hash('a password'),
    (error) => error instanceof ApiError && error.code === 'unavailable' && error.headers['retry-after'] === '1',
  );
  await Promise.all(all);
  assert.deepEqual(ended, [0, 1, 2, 3, 4], 'first come, first served');
  assert.equal(await bounded.verify(null, 'a password'), false, 'there is room again');
});
