// Where secrets appear while the service runs at its most verbose: not in its output, its database or its command line,
// and only in files that its user alone can read.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { systemClock } from '#engine/base/clock.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import { openDatabase } from '#engine/storage/database.ts';
import { withMailServer } from '#test/mail/mail-server.ts';
import { silentLog, temporaryDataDir } from '#test/support/database.ts';
import { ISSUED_FILE } from '#test/support/output-folder.ts';
import { runAdminCommand, startService } from '#test/support/service-process.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { scanOutput } from './output-scan.ts';

const GIVEN = {
  SECRET_KEY: 'a key that only this test has',
  ADMIN_TOKEN: 'the-operators-of-this-test',
  LIVE_TIMING_TOKEN: 'opens-topics-for-this-test',
  STRIPE_SECRET_KEY: 'sk_test_of_this_very_test',
  STRIPE_WEBHOOK_SECRET: 'whsec_of_this_very_test',
};
const SETTINGS = {
  ...GIVEN,
  STRIPE_PRICE_ID: 'price_of_this_test',
  // No server is there, which the log reports again and again.
  LIVE_TIMING_URL: 'http://127.0.0.1:9/signalrcore',
  ADMIN_PORT: '0',
};
const PASSWORD = 'the password of this test';
const WRONG_PASSWORD = 'a guess that is this wrong';
const MAIL_PASSWORD = 'mail-password-of-this-test';

const dataDir = temporaryDataDir('service');
const mail = await withMailServer(
  { after },
  {
    disabledCommands: ['STARTTLS'],
    authOptional: true,
    onAuth: (_auth, _session, done) => done(null, { user: 'service' }),
  },
);
const service = await startService(dataDir, {
  ...SETTINGS,
  SMTP_URL: mail.url.replace('//', `//service:${MAIL_PASSWORD}@`),
  SHARDS: '1',
  LOG_LEVEL: 'debug',
});
after(() => service.end('SIGTERM'));

/** Every secret that was set, chosen or issued. */
const secrets = new Set<string>([...Object.values(GIVEN), PASSWORD, WRONG_PASSWORD, MAIL_PASSWORD]);
const kept = (secret: string): string => {
  assert.ok(secret.length >= 16);
  secrets.add(secret);
  return secret;
};

interface Sent {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: the test reads fields that it knows to exist
  readonly body: any;
}

async function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Sent> {
  const response = await fetch(`${service.address}/v1${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) };
}

const cookieOf = ({ headers }: Sent): { cookie: string } => {
  const cookie = headers.getSetCookie()[0]!.split(';')[0]!;
  kept(cookie.split('=')[1]!);
  return { cookie };
};

/** Uses everything that involves a secret, correctly and incorrectly. */
async function useEverything(): Promise<void> {
  const email = 'ada@example.com';
  const consents = { tosAccepted: true, privacyAccepted: true, aupAccepted: true };
  const expect = async (status: number, sent: Promise<Sent>): Promise<Sent> => {
    const answer = await sent;
    assert.equal(answer.status, status, JSON.stringify(answer.body));
    return answer;
  };
  await expect(201, send('POST', '/auth/signup', { email, password: PASSWORD, ...consents }));
  const link = kept(
    /token=([\w-]+)/.exec(
      mail.received.at(-1)!.message.replaceAll(/=\r\n|=3D/g, (part) => (part === '=3D' ? '=' : '')),
    )![1]!,
  );
  await expect(403, send('POST', '/auth/login', { email, password: PASSWORD }));
  await expect(200, send('GET', `/auth/verify-email?token=${link}`));
  const first = cookieOf(await expect(200, send('POST', '/auth/verify-email', { token: link })));
  await expect(400, send('POST', '/auth/verify-email', { token: link }));
  await expect(401, send('POST', '/auth/login', { email, password: WRONG_PASSWORD }));
  const cookie = cookieOf(await expect(200, send('POST', '/auth/login', { email, password: PASSWORD })));
  await expect(200, send('POST', '/auth/logout', undefined, first));
  await expect(401, send('POST', '/oauth/credentials', undefined, first));
  const shown = (await expect(200, send('POST', '/oauth/credentials', undefined, cookie))).body;
  const old = kept(shown.clientSecret);
  const { clientId } = shown;
  const basic = `Basic ${Buffer.from(`${clientId}:${old}`).toString('base64')}`;
  const grant = { grant_type: 'client_credentials', client_id: clientId };
  const early = (await expect(200, send('POST', '/oauth', grant, { authorization: basic }))).body.access_token;
  kept(early);
  const regenerated = (await expect(200, send('POST', '/console/regenerate-secret', undefined, cookie))).body.data;
  const secret = kept(regenerated.clientSecret);
  await expect(401, send('POST', '/oauth', { ...grant, client_secret: old }));
  const token = kept(
    (await expect(200, send('POST', '/oauth', { ...grant, client_secret: secret }))).body.access_token,
  );
  const bearer = { authorization: `Bearer ${token}` };
  await expect(401, send('GET', '/feeds', undefined, { authorization: `Bearer ${early}` }));
  await expect(400, send('POST', '/webhooks', `{"token":"${token}"`, bearer));
  await expect(400, send('GET', `/webhooks?limit=${token}`, undefined, bearer));
  const hook = { webhookUrl: 'http://localhost:9/hook', feedId: 'session.status' };
  const created = (await expect(201, send('POST', '/webhooks', hook, bearer))).body.data;
  kept(created.webhookSecret);
  const place = `/webhooks/${created.webhookId}`;
  kept((await expect(200, send('POST', `${place}/rotate-secret`, undefined, bearer))).body.data.webhookSecret);
  await expect(200, send('GET', `${place}/secret`, undefined, bearer));
  await send('POST', `${place}/test`, undefined, bearer);
  await expect(400, send('POST', '/billing/stripe-events', '{}', { 'stripe-signature': `t=1,v1=${secret}` }));
  const ingest = `${service.operators}/v1/ingest/of-this-test`;
  for (const given of [GIVEN.ADMIN_TOKEN, secret]) {
    const { status } = await fetch(ingest, {
      method: 'POST',
      headers: { authorization: `Bearer ${given}`, 'content-type': 'application/x-ndjson' },
      body: `{"topic":"Heartbeat","utc":"2026-05-03T14:00:00Z","data":{}}\n`,
    });
    assert.equal(status === 401, given === secret);
  }
  const made = await runAdminCommand(
    dataDir,
    ['account', 'create', '--email', 'b@example.com', '--plan', 'custom'],
    SETTINGS,
  );
  kept(made.clientSecret!);
}

before(useEverything);

/** Secrets found in texts, by their form and by the values of this test's secrets. */
function findings(t: Parameters<typeof temporaryFolder>[0], texts: Readonly<Record<string, string>>): string[] {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, ISSUED_FILE), [...secrets].join('\n'));
  return scanOutput(folder, texts).map(({ file, line, kind }) => `${kind} in ${file}, line ${line}`);
}

test('the output at debug holds no secret, after correct and incorrect requests', (t) => {
  const output = service.output();
  assert.ok(secrets.size >= 18);
  for (const entry of ['/v1/auth/login', '/v1/auth/verify-email', '/rotate-secret', '"level":20']) {
    assert.ok(output.includes(entry), `${entry} is in the log`);
  }
  assert.deepEqual(findings(t, { output }), []);
});

test('the database holds secrets only sealed or hashed, and passwords as Argon2id', async (t) => {
  const database = await openDatabase({
    databaseUrl: null,
    dataDir,
    role: 'command',
    log: silentLog,
    clock: systemClock,
    randomBytes: systemRandomBytes,
  });
  t.after(() => database.close());
  const sql = database.connect(1);
  const tables = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`;
  const texts: Record<string, string> = {};
  for (const { name } of tables) {
    const rows = await sql`select row::text as text from ${sql(name)} as row`;
    texts[name] = rows.map(({ text }) => text.replaceAll('\n', ' ')).join('\n');
  }
  for (const filled of ['account', 'access_token', 'sign_in', 'webhook']) assert.notEqual(texts[filled], '', filled);
  const HASH = /\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}/g;
  assert.match(texts.account!, HASH);
  const withoutHashes = Object.entries(texts).map(([name, text]) => [name, text.replaceAll(HASH, '')]);
  assert.deepEqual(findings(t, Object.fromEntries(withoutHashes)), []);
});

test('no secret is on the command line of the service or of its child processes', (t) => {
  const mine = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const lines = mine.map((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    } catch {
      return '';
    }
  });
  assert.ok(lines.some((line) => line.includes(dataDir)));
  const own = lines.filter((line) => line.includes(dataDir) || line.includes('main.ts'));
  assert.deepEqual(
    findings(t, { own: own.join('\n') }).filter((finding) => finding.includes('issued')),
    [],
  );
});

test("only the service's user can read files with secrets", () => {
  const modes = ['postgres/data', 'postgres/socket', 'postgres.log'].map((name) => statSync(join(dataDir, name)).mode);
  assert.deepEqual(
    modes.map((mode) => mode & 0o777),
    [0o700, 0o700, 0o600],
  );
});
