import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { loadSecretKey, SealBroken, SecretBox } from '#engine/sign/secret-box.ts';

const box = new SecretBox('correct horse battery staple');

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-test-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

function logOf() {
  const warnings: string[] = [];
  return { warnings, log: { info() {}, error() {}, warn: (_: object, message: string) => warnings.push(message) } };
}

test('any text comes back as it was sealed', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
      assert.equal(box.open(box.seal(text)), text);
    }),
    { seed: 1, numRuns: 50 },
  );
});

test('a box of the same key opens what another one sealed', () => {
  assert.equal(new SecretBox('correct horse battery staple').open(box.seal('whsec_a')), 'whsec_a');
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
  const other = new SecretBox('another key, long enough');
  assert.throws(() => other.open(box.seal('whsec_a')), /sealed under another SECRET_KEY/);
});

test('a key that is too short is refused', () => {
  assert.throws(() => new SecretBox('fifteen chars..'), /at least 16 characters/);
});

test('a view into a larger buffer is opened as what it shows', () => {
  const sealed = box.seal('whsec_a');
  const larger = new Uint8Array(sealed.length + 20);
  larger.set(sealed, 7);
  assert.equal(box.open(larger.subarray(7, 7 + sealed.length)), 'whsec_a');
});

test('a configured key is taken as it is and nothing is written', async (t) => {
  const dataDir = folderOf(t);
  const { log, warnings } = logOf();
  assert.equal(await loadSecretKey(dataDir, 'a configured key 123', log), 'a configured key 123');
  assert.deepEqual(readdirSync(dataDir), []);
  assert.deepEqual(warnings, []);
});

test('without one a key is made, with a warning, for the owner only, and found again', async (t) => {
  const dataDir = join(folderOf(t), 'new');
  const { log, warnings } = logOf();
  const key = await loadSecretKey(dataDir, null, log);
  assert.equal(Buffer.from(key, 'base64').length, 32);
  assert.deepEqual(readdirSync(dataDir), ['secret.key']);
  assert.equal(statSync(join(dataDir, 'secret.key')).mode & 0o777, 0o600);
  assert.equal(warnings.length, 1);
  assert.doesNotMatch(warnings.join(), new RegExp(key.slice(0, 8).replaceAll('+', '\\+')));
  assert.equal(await loadSecretKey(dataDir, null, log), key);
  assert.equal(warnings.length, 1);
});

test('processes that start together get one and the same key', async (t) => {
  const dataDir = folderOf(t);
  const keys = await Promise.all(Array.from({ length: 8 }, () => loadSecretKey(dataDir, null, logOf().log)));
  assert.equal(new Set(keys).size, 1);
  assert.deepEqual(readdirSync(dataDir), ['secret.key']);
});

test('a key file that others can read is warned of, and a damaged one is never replaced', async (t) => {
  const dataDir = folderOf(t);
  const path = join(dataDir, 'secret.key');
  const { log, warnings } = logOf();
  writeFileSync(path, 'a key that is long enough\n');
  chmodSync(path, 0o644);
  assert.equal(await loadSecretKey(dataDir, null, log), 'a key that is long enough');
  assert.match(warnings.join(), /can be read by other users/);
  writeFileSync(path, '');
  await assert.rejects(loadSecretKey(dataDir, null, log), /holds no key.*Restore it from a backup/);
  assert.equal(readFileSync(path, 'utf8'), '');
});
