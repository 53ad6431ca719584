// How a stranger gets an account on a service as `npm start` runs it, without and with a mail server.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { withMailServer } from '#test/mail/mail-server.ts';
import { temporaryDataDir } from '#test/support/database.ts';
import { type ServiceProcess, startService } from '#test/support/service-process.ts';

const ACCOUNT = { email: 'ada@example.com', password: 'correct horse battery' };
const SIGN_UP = { ...ACCOUNT, tosAccepted: true, privacyAccepted: true, aupAccepted: true };

function post({ address }: ServiceProcess, path: string, body?: unknown, headers: Record<string, string> = {}) {
  return fetch(`${address}/v1${path}`, {
    method: 'POST',
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

test('without a mail server the link is in the outbox, leads to this service and opens the account', async () => {
  const dataDir = temporaryDataDir('service');
  const service = await startService(dataDir);
  assert.equal((await post(service, '/auth/signup', SIGN_UP)).status, 201);
  const [name] = readdirSync(join(dataDir, 'outbox'));
  const link = /^http.*$/m.exec(readFileSync(join(dataDir, 'outbox', name!), 'utf8'))![0];
  assert.ok(link.startsWith(`${service.address}/verify-email?token=`), link);
  assert.match(await (await fetch(link)).text(), /Confirm your email address/);
  const token = new URL(link).searchParams.get('token')!;
  const confirmed = await post(service, '/auth/verify-email', { token });
  assert.equal(confirmed.status, 200);
  const cookie = confirmed.headers.getSetCookie()[0]!.split(';')[0]!;
  const credentials = (await (await post(service, '/oauth/credentials', undefined, { cookie })).json()) as {
    clientId: string;
    clientSecret: string;
  };
  const grant = {
    grant_type: 'client_credentials',
    client_id: credentials.clientId,
    client_secret: credentials.clientSecret,
  };
  assert.equal((await post(service, '/oauth', grant)).status, 200);
  assert.equal(await service.end('SIGTERM'), 0);
  assert.ok(service.output().includes(name!));
  for (const secret of [token, ACCOUNT.password, cookie, credentials.clientSecret]) {
    assert.ok(!service.output().includes(secret), 'the log holds no secret');
  }
});

test('with a mail server the link arrives at the address, from the configured sender', async (t) => {
  const server = await withMailServer(t);
  const service = await startService(temporaryDataDir('service'), {
    SMTP_URL: server.url,
    MAIL_FROM: 'Races <races@example.org>',
    SITE_URL: 'https://races.example.org/app/',
    PUBLIC_URL: 'https://api.races.example.org',
    CORS_ORIGINS: 'https://races.example.org',
  });
  assert.equal((await post(service, '/auth/signup', SIGN_UP)).status, 201);
  const { from, message } = server.received[0]!;
  assert.equal(from, 'races@example.org');
  const token = /^https:\/\/races\.example\.org\/app\/verify-email\?token=([\w-]+)\r$/m.exec(message)![1];
  const confirmed = await post(service, '/auth/verify-email', { token }, { origin: 'https://races.example.org' });
  assert.match(confirmed.headers.getSetCookie()[0]!, /; Secure$/);
  assert.equal(confirmed.headers.get('access-control-allow-origin'), 'https://races.example.org');
  assert.ok(confirmed.headers.has('strict-transport-security'));
  assert.equal(await service.end('SIGTERM'), 0);
});
