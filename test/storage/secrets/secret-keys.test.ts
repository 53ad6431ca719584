// Where the keys for secrets at rest come from, and how they are kept.

import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemRandomBytes } from '#engine/base/random.ts';
import { keyFileOf, loadSecretKey, newKeyText, replaceKeys } from '#engine/storage/secrets/secret-keys.ts';

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-test-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

function logOf() {
  const warnings: string[] = [];
  return { warnings, log: { info() {}, error() {}, warn: (_: object, message: string) => warnings.push(message) } };
}

test('a configured key is taken as it is and nothing is written', async (t) => {
  const dataDir = folderOf(t);
  const { log, warnings } = logOf();
  const texts = ['a configured key 123', 'and the one before it'] as const;
  assert.deepEqual((await loadSecretKey(dataDir, texts, systemRandomBytes, log)).texts(), texts);
  assert.deepEqual(readdirSync(dataDir), []);
  assert.deepEqual(warnings, []);
});

test('without one a key is made, with a warning, for the owner only, and found again', async (t) => {
  const dataDir = join(folderOf(t), 'new');
  const { log, warnings } = logOf();
  const [key, ...others] = (await loadSecretKey(dataDir, null, systemRandomBytes, log)).texts();
  assert.deepEqual(others, []);
  assert.equal(Buffer.from(key, 'base64').length, 32);
  assert.deepEqual(readdirSync(dataDir), ['secret.key']);
  assert.equal(statSync(join(dataDir, 'secret.key')).mode & 0o777, 0o600);
  assert.equal(warnings.length, 1);
  assert.doesNotMatch(warnings.join(), new RegExp(key.slice(0, 8).replaceAll('+', '\\+')));
  assert.deepEqual((await loadSecretKey(dataDir, null, systemRandomBytes, log)).texts(), [key]);
  assert.equal(warnings.length, 1);
});

test('a key is made of 32 bytes of the source of chance', () => {
  assert.equal(
    newKeyText((count) => Buffer.alloc(count, 7)),
    Buffer.alloc(32, 7).toString('base64'),
  );
});

test('processes that start together get one and the same key', async (t) => {
  const dataDir = folderOf(t);
  const keys = await Promise.all(
    Array.from({ length: 8 }, () => loadSecretKey(dataDir, null, systemRandomBytes, logOf().log)),
  );
  assert.equal(new Set(keys.map((each) => each.texts()[0])).size, 1);
  assert.deepEqual(readdirSync(dataDir), ['secret.key']);
});

test('a key file that others can read is warned of, and a damaged one is never replaced', async (t) => {
  const dataDir = folderOf(t);
  const path = join(dataDir, 'secret.key');
  const { log, warnings } = logOf();
  writeFileSync(path, 'a key that is long enough\n');
  chmodSync(path, 0o644);
  assert.deepEqual((await loadSecretKey(dataDir, null, systemRandomBytes, log)).texts(), ['a key that is long enough']);
  assert.match(warnings.join(), /other users can read the secret key/);
  writeFileSync(path, '');
  await assert.rejects(loadSecretKey(dataDir, null, systemRandomBytes, log), /holds no key.*Restore it from a backup/);
  assert.equal(readFileSync(path, 'utf8'), '');
});

test('whoever has the keys of the file follows it when it is replaced, and keeps them when it is damaged or gone', async (t) => {
  const dataDir = folderOf(t);
  const path = keyFileOf(dataDir);
  const keys = await loadSecretKey(dataDir, null, systemRandomBytes, logOf().log);
  const first = keys.texts();
  assert.equal(keys.texts(), first, 'the same list while nothing changes');
  const texts = [newKeyText(systemRandomBytes), first[0]] as const;
  await replaceKeys(path, texts, systemRandomBytes);
  assert.deepEqual(keys.texts(), texts);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(dataDir), ['secret.key']);
  writeFileSync(path, 'short\n');
  assert.deepEqual(keys.texts(), texts);
  rmSync(path);
  assert.deepEqual(keys.texts(), texts);
});
