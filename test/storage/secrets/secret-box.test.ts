import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { systemRandomBytes } from '#engine/base/random.ts';
import { SealBroken, SecretBox } from '#engine/storage/secrets/secret-box.ts';
import type { KeyTexts } from '#engine/storage/secrets/secret-keys.ts';

const box = new SecretBox('correct horse battery staple', systemRandomBytes);

test('any text comes back as it was sealed', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
      assert.equal(box.open(box.seal(text)), text);
    }),
    { seed: 1, numRuns: 50 },
  );
});

test('a box of the same key opens what another one sealed', () => {
  assert.equal(new SecretBox('correct horse battery staple', systemRandomBytes).open(box.seal('whsec_a')), 'whsec_a');
});

test('the same text is sealed differently each time and shows nothing of itself', () => {
  const first = box.seal('whsec_secret');
  assert.notDeepEqual(first, box.seal('whsec_secret'));
  assert.equal(first.includes('secret'), false);
});

test('a change of any byte, or the loss of some, is noticed', () => {
  const sealed = box.seal('whsec_secret');
  for (let i = 0; i < sealed.length; i++) {
    const altered = Buffer.from(sealed);
    altered[i]! ^= 1;
    assert.throws(() => box.open(altered), SealBroken, `byte ${i}`);
    assert.throws(() => box.open(sealed.subarray(0, i)), SealBroken, `${i} bytes`);
  }
});

test('a secret of another key is refused in words that name SECRET_KEY', () => {
  const other = new SecretBox('another key, long enough', systemRandomBytes);
  assert.throws(() => other.open(box.seal('whsec_a')), /sealed under another SECRET_KEY/);
});

test('a key that is too short is refused', () => {
  assert.throws(() => new SecretBox('fifteen chars..', systemRandomBytes), /at least 16 characters/);
});

test('a view into a larger buffer is opened as what it shows', () => {
  const sealed = box.seal('whsec_a');
  const larger = new Uint8Array(sealed.length + 20);
  larger.set(sealed, 7);
  assert.equal(box.open(larger.subarray(7, 7 + sealed.length)), 'whsec_a');
});

test('keys are followed as they change: the first seals, all open, and an unknown one is asked for', () => {
  let texts: KeyTexts = ['the first key of them'];
  const followed = new SecretBox({ texts: () => texts }, systemRandomBytes);
  const early = followed.seal('whsec_a');
  const rotated = new SecretBox('the second key of all', systemRandomBytes).seal('whsec_b');
  assert.throws(() => followed.open(rotated), SealBroken);
  texts = ['the second key of all', 'the first key of them'];
  assert.equal(followed.open(rotated), 'whsec_b');
  assert.equal(followed.open(early), 'whsec_a');
  assert.deepEqual(followed.seal('whsec_c').subarray(1, 5), rotated.subarray(1, 5));
  assert.deepEqual(followed.keyIds, [rotated.subarray(1, 5), early.subarray(1, 5)]);
});

test('the nonce of a seal is what the source of chance gives, asked anew for each', () => {
  let asked = 0;
  const counted = new SecretBox('correct horse battery staple', (count) => Buffer.alloc(count, ++asked));
  for (const byte of [1, 2, 3]) assert.deepEqual(counted.seal('whsec_a').subarray(5, 17), Buffer.alloc(12, byte));
});

test('no nonce comes twice', () => {
  const nonces = Array.from({ length: 20_000 }, () => box.seal('whsec_a').toString('hex', 5, 17));
  assert.equal(new Set(nonces).size, nonces.length);
});

test('a print of a key is told by who has the key, says nothing to others, and is another one for each subject', () => {
  const texts: KeyTexts = ['the second key of all', 'the first key of them'];
  const rotating = new SecretBox({ texts: () => texts }, systemRandomBytes);
  const print = (key: string, subject = 'node a') => new SecretBox(key, systemRandomBytes).print(subject);
  assert.equal(rotating.keyOfPrint('node a', print('the second key of all')), 'sealing');
  assert.equal(rotating.keyOfPrint('node a', print('the first key of them')), 'known');
  assert.equal(rotating.keyOfPrint('node a', print('a third key, of others')), 'other');
  assert.equal(rotating.keyOfPrint('node b', print('the second key of all')), 'other');
  assert.equal(rotating.keyOfPrint('node a', new Uint8Array()), 'other');
  const shown = [rotating.print('node a'), rotating.print('node b')].map((bytes) => bytes.toString('hex'));
  assert.equal(new Set(shown).size, 2);
  for (const [id, key] of rotating.peerKeys)
    for (const secret of [id, Buffer.from(key).toString('hex')])
      assert.ok(shown.every((text) => text.length === 64 && !text.includes(secret)));
});
