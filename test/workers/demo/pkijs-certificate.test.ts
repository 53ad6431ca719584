import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { type ConnectionOptions, connect, createServer } from 'node:tls';
import { makeReceiverCertificate } from '#workers/demo/pkijs-certificate.ts';

const CERTIFICATE = await makeReceiverCertificate(Date.now());

/** Connects to a server that has the certificate. Resolves to null, or to the code of the error. */
async function attempt(t: TestContext, options: ConnectionOptions): Promise<string | null> {
  const server = createServer(CERTIFICATE, (socket) => socket.end()).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const socket = connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, ...options });
  t.after(() => socket.destroy());
  return once(socket, 'secureConnect').then(
    () => null,
    (error: NodeJS.ErrnoException) => error.code ?? String(error),
  );
}

test('a client that trusts the certificate connects, and one that does not refuses it', async (t) => {
  assert.equal(await attempt(t, { ca: CERTIFICATE.cert }), null);
  assert.equal(await attempt(t, {}), 'DEPTH_ZERO_SELF_SIGNED_CERT');
});

test('the certificate is valid for the address of the receivers and for no other name', async (t) => {
  const ca = CERTIFICATE.cert;
  assert.equal(new X509Certificate(ca).subjectAltName, 'IP Address:127.0.0.1');
  for (const servername of ['localhost', 'hooks.example.com']) {
    assert.equal(await attempt(t, { ca, servername }), 'ERR_TLS_CERT_ALTNAME_INVALID', servername);
  }
});

test('the certificate of another demo is not trusted', async (t) => {
  const { cert } = await makeReceiverCertificate(Date.now());
  assert.notEqual(await attempt(t, { ca: cert }), null);
});

test('the certificate is valid for a week, even if the clock is set back by a minute, and signs no other', async () => {
  const nowMs = Date.UTC(2026, 2, 1, 14, 0, 0, 500);
  const certificate = new X509Certificate((await makeReceiverCertificate(nowMs)).cert);
  assert.equal(new Date(certificate.validFrom).toISOString(), '2026-03-01T13:59:00.000Z');
  assert.equal(new Date(certificate.validTo).toISOString(), '2026-03-08T14:00:00.000Z');
  assert.equal(certificate.ca, false);
  assert.deepEqual(certificate.publicKey.asymmetricKeyDetails, { namedCurve: 'prime256v1' });
});
