import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { makeReceiverCertificate } from '#workers/demo/pkijs-certificate.ts';
import { writeTrustedCertificates } from '#workers/demo/trusted-certificates.ts';

const fixture = (name: string): string => fileURLToPath(new URL(`../../fixtures/tls/${name}.pem`, import.meta.url));
const CERTIFICATE = await makeReceiverCertificate(Date.now());
const USERS_AUTHORITY = fixture('authority');

/** Starts an https server with this certificate and returns its address. */
async function serverWith(t: TestContext, certificate: { readonly key: string; readonly cert: string }) {
  const server = createServer(certificate, (_, response) => response.end('ok')).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** What a new process with this NODE_EXTRA_CA_CERTS gets from each address: `ok`, or the code of the error. */
async function fetched(extra: string, addresses: readonly string[]): Promise<unknown> {
  const program = `
    const answers = ${JSON.stringify(addresses)}.map((address) =>
      fetch(address, { headers: { connection: 'close' } }).then((response) => response.text(), ({ cause }) => cause.code));
    console.log(JSON.stringify(await Promise.all(answers)));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    env: { NODE_EXTRA_CA_CERTS: extra },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let out = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  await once(child, 'close');
  return JSON.parse(out);
}

test('a process trusts the receivers, and the authority that the user named before', async (t) => {
  const users = { key: readFileSync(fixture('key'), 'utf8'), cert: readFileSync(fixture('localhost'), 'utf8') };
  const addresses = [await serverWith(t, CERTIFICATE), await serverWith(t, users)];
  const both = writeTrustedCertificates(temporaryFolder(t), CERTIFICATE.cert, USERS_AUTHORITY);
  assert.equal(both.warning, null);
  assert.deepEqual(await fetched(both.path, addresses), ['ok', 'ok']);
  const alone = writeTrustedCertificates(temporaryFolder(t), CERTIFICATE.cert, undefined);
  assert.equal(alone.warning, null);
  assert.deepEqual(await fetched(alone.path, addresses), ['ok', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE']);
});

test('a broken file of the user costs the receivers no trust, nor does a missing one, which is reported', async (t) => {
  const folder = temporaryFolder(t);
  const broken = join(folder, 'broken.pem');
  writeFileSync(broken, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
  const addresses = [await serverWith(t, CERTIFICATE)];
  const cases = [
    [join(folder, 'missing.pem'), /NODE_EXTRA_CA_CERTS names is left out: ENOENT.*missing\.pem/],
    [broken, /^null$/],
  ] as const;
  for (const [file, warning] of cases) {
    const trusted = writeTrustedCertificates(folder, CERTIFICATE.cert, file);
    assert.match(String(trusted.warning), warning);
    assert.deepEqual(await fetched(trusted.path, addresses), ['ok'], file);
  }
});
