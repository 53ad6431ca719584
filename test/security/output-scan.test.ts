// The search for secrets in the suite's output: what it must find and what it must ignore.

import assert from 'node:assert/strict';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { newAccountCredentials } from '#api/accounts/account-creation.ts';
import { newSecretToken } from '#api/tokens/secret-token.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import { newKeyText } from '#engine/storage/secrets/secret-keys.ts';
import { ISSUED_FILE } from '#test/support/output-folder.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { type Finding, scanOutput } from './output-scan.ts';

const kindsOf = (findings: readonly Finding[]): string[] => findings.map(({ kind }) => kind);

test('every kind of secret is found by its form, with file and line, and never printed', (t) => {
  const folder = temporaryFolder(t);
  for (let round = 0; round < 20; round++) {
    const { token } = newSecretToken();
    const { clientSecret } = newAccountCredentials(0);
    const password = 'hunter-of-2';
    for (const [kind, text] of [
      ['a signing secret', `{"secret":"whsec_${randomBytes(32).toString('base64')}"}`],
      ['a token, cookie, link or client secret', `{"clientSecret":"${clientSecret}"}`],
      ['a token, cookie, link or client secret', `token ${token}.`],
      ['a session cookie', `set-cookie: session=${token}; Path=/`],
      ['a link token', `GET /v1/auth/verify-email?token=${token}`],
      ['a bearer token', `authorization: Bearer ${token}`],
      ['Basic credentials', `Authorization: basic ${Buffer.from(`cli_1:${clientSecret}`).toString('base64')}`],
      ['a key', `read ${newKeyText(systemRandomBytes)} from the file`],
      ['a password in a URL', `cannot reach postgres://service:${password}@db/races`],
      ['a password in a URL', `cannot reach smtps://:${password}@mail:465`],
      ['a private key', '-----BEGIN EC PRIVATE KEY-----'],
      ['a key of the payment provider', 'sk_live_0123456789abcdef'],
      ['a password hash', '{"hash":"$argon2id$v=19$m=19456"}'],
    ] as const) {
      writeFileSync(join(folder, 'service.txt'), `fine\n${text}\nfine again\n`);
      const findings = scanOutput(folder);
      assert.ok(kindsOf(findings).includes(kind), `${kind}: ${text}`);
      for (const { file, line } of findings) assert.deepEqual([file, line], ['service.txt', 2]);
      assert.doesNotMatch(JSON.stringify(findings), new RegExp(`${token}|${clientSecret}|${password}`));
    }
  }
});

test('an issued secret is found by its value in any encoding', (t) => {
  const folder = temporaryFolder(t);
  const value = 'correct horse/battery+staple';
  writeFileSync(join(folder, ISSUED_FILE), `short\n${value}\n`);
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  for (const written of [
    value,
    encodeURIComponent(value),
    base64(value),
    ...['a', 'ab', 'abc', 'abcd'].map((before) => base64(`${before}${value}:after`)),
    Buffer.from(`id:${value}`).toString('base64url'),
    Buffer.from(value).toString('hex'),
  ]) {
    writeFileSync(join(folder, 'a.txt'), `one\ntwo ${written} three\n`);
    assert.deepEqual(scanOutput(folder), [{ file: 'a.txt', line: 2, kind: 'a secret that was issued' }], written);
  }
  writeFileSync(join(folder, 'a.txt'), 'correct horse battery staple, short\n');
  assert.deepEqual(scanOutput(folder), []);
  assert.equal(scanOutput(folder, { runner: `ok ${value}` })[0]!.file, 'runner');
});

test('ids, digests, help texts and test names are not taken for secrets', (t) => {
  const folder = temporaryFolder(t);
  const help = readFileSync(new URL('../../workers/help.ts', import.meta.url), 'utf8');
  const harmless = [
    help,
    `{"requestId":"${randomUUID()}","accountId":"${newAccountCredentials(Date.now()).accountId}"}`,
    createHash('sha256').update('x').digest('hex'),
    'Send ADMIN_TOKEN as Authorization: Bearer.',
    'GET /v1/simulate/stream?session=2018-azerbaijan-race',
    'test/api/previews-forecast-cache-of-a-season.test.ts',
    'https://livetiming.formula1.com/static/2025/2025-05-04_Miami_Grand_Prix/2025-05-04_Race/',
    'not a URL of the form smtp://USER:PASSWORD@HOST:587',
  ];
  writeFileSync(join(folder, 'a.txt'), harmless.join('\n'));
  assert.deepEqual(scanOutput(folder), []);
});
