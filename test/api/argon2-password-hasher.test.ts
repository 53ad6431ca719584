import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseOptions } from '@node-rs/argon2';
import { Argon2PasswordHasher } from '#api/accounts/argon2-password-hasher.ts';

const hasher = new Argon2PasswordHasher();

test('a password is hashed with Argon2id, 19 MiB, two passes, one lane and a new salt each time', async () => {
  const [one, other] = await Promise.all([hasher.hash('a password'), hasher.hash('a password')]);
  assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.notEqual(one, other);
  assert.ok(parseOptions(one).saltLen >= 16);
  assert.deepEqual(await hasher.verify([one], 'a password'), [true]);
  assert.deepEqual(await hasher.verify([one], 'a passwore'), [false]);
});

test('all 72 characters of a password matter, whatever their size in bytes', async () => {
  const long = '😀'.repeat(72);
  const hash = await hasher.hash(long);
  assert.deepEqual(await hasher.verify([hash], long), [true]);
  assert.deepEqual(await hasher.verify([hash], `${'😀'.repeat(71)}😁`), [false]);
});

test('composed and decomposed forms of the same letter match', async () => {
  assert.deepEqual(await hasher.verify([await hasher.hash('caf\u00e9 au lait')], 'cafe\u0301 au lait'), [true]);
});

test('without a hash no password matches', async () => {
  assert.deepEqual(await hasher.verify([null], 'a password'), [false]);
});
