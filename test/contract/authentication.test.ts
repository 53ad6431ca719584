// "Authentication" of the interface, rule by rule.

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, test } from 'node:test';
import { contractService } from '#test/support/contract-service.ts';
import { eventually } from '#test/support/patience.ts';
import { PASSWORD, signUpBody, someAddress, someEmail } from '#test/support/people.ts';
import { startWebhookReceiver } from '#test/support/webhook-receiver.ts';
import { IN_SEASON, importShortSession, prepare, replay } from './short-session.ts';
import { BEHIND_PROXY, cookieOf, grantOf, mailedLink, mailedToken, member, signUp, visit } from './visitor.ts';

const SITE_URL = 'https://races.example.com/app';

const service = await contractService({ after }, { ...BEHIND_PROXY, ...IN_SEASON, SITE_URL }, importShortSession);
const { call, sql } = service;
const post = (path: string, body?: unknown) => visit(service, 'POST', path, body);
const login = (email: string, password = PASSWORD) => post('/auth/login', { email, password });
const feedsWith = (token: string) => call('GET', '/feeds', undefined, { token });

/** The method and path of every documented operation that needs a bearer token. */
function bearerOperations(): [method: string, path: string][] {
  const paths = service.document.paths as Record<string, Record<string, { security: Record<string, unknown>[] }>>;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { security }]) => security.some((scheme) => 'bearer' in scheme))
      .map(([method]): [string, string] => [method.toUpperCase(), path.replaceAll(/\{\w+\}/g, 'x')]),
  );
}

test('Authentication rule 1: client credentials are exchanged for an opaque token, as JSON or a form', async () => {
  const grant = await grantOf(service, (await member(service)).cookie);
  const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' } };
  for (const answer of [
    await call('POST', '/oauth', grant),
    await call('POST', '/oauth', new URLSearchParams({ ...grant }).toString(), form),
  ]) {
    const { access_token: token } = answer.body;
    assert.match(token, /^[\w-]{43}$/, 'the token is opaque: a JWT would have dots');
    assert.equal((await feedsWith(token)).status, 200);
  }
});

test('Authentication rule 2: a token is valid for 12 hours and gives 401 from then on', async () => {
  // The test cannot move the clock of the service, so it moves the expiry of the token, which is unused and not yet cached.
  const aged = async (age: string) => {
    const { token, accountId } = await service.client('free');
    await sql`update access_token set expires_at = expires_at - ${age}::interval where account_id = ${accountId}`;
    return feedsWith(token);
  };
  assert.equal((await aged('11 hours 59 minutes')).status, 200);
  const { status, body, headers } = await aged('12 hours');
  assert.deepEqual([status, body.code], [401, 'unauthorized']);
  assert.match(headers.get('www-authenticate')!, /^Bearer .*error="invalid_token"/);
});

test('Authentication rule 3: a user signs up, verifies the email, obtains credentials and exchanges them', async () => {
  const email = someEmail();
  assert.equal((await post('/auth/signup', signUpBody(email))).status, 201);
  const confirmed = await post('/auth/verify-email', { token: await mailedToken(service, email) });
  const { body: credentials } = await call('POST', '/oauth/credentials', undefined, { cookie: cookieOf(confirmed) });
  const { body } = await call('POST', '/oauth', {
    grant_type: 'client_credentials',
    client_id: credentials.clientId,
    client_secret: credentials.clientSecret,
  });
  assert.equal((await feedsWith(body.access_token)).status, 200);
});

test('Authentication rule 4: the link is {site_url}/verify-email?token=<token>; only the POST activates', async () => {
  const email = await signUp(service);
  const link = await mailedLink(service, email);
  assert.equal(link.href, `${SITE_URL}/verify-email?token=${link.searchParams.get('token')}`);
  const token = link.searchParams.get('token')!;
  const page = await fetch(`${service.process.address}/verify-email?token=${token}`);
  assert.deepEqual([page.status, page.headers.getSetCookie()], [200, []]);
  const checked = await call('GET', `/auth/verify-email?token=${token}`);
  assert.deepEqual([checked.body, checked.headers.getSetCookie()], [{ data: { valid: true } }, []]);
  assert.equal((await login(email)).status, 403, 'opening the link does not activate the account');
  assert.equal((await call('POST', `/auth/verify-email?token=${token}`)).status, 400, 'the token goes in the body');
  const confirmed = await post('/auth/verify-email', { token });
  assert.equal(confirmed.status, 200);
  assert.equal((await login(email)).status, 200);
});

test('Authentication rule 5: a mail that cannot be sent gives 502, and the account can be verified with another link', async () => {
  const email = someEmail();
  service.refuseMails('mailbox full');
  const { status, body } = await post('/auth/signup', signUpBody(email));
  service.refuseMails(null);
  assert.deepEqual([status, body.code], [502, 'email_delivery_failed']);
  assert.match(body.error, /account exists.*resend-verification/);
  assert.equal((await post('/auth/resend-verification', { email })).status, 200);
  assert.equal((await post('/auth/verify-email', { token: await mailedToken(service, email) })).status, 200);
  assert.equal((await login(email)).status, 200, 'the password of that sign-up is valid');
});

test('Authentication rule 6: before verification, login gives 403 and says that email must be verified', async () => {
  const email = await signUp(service);
  const { status, body, headers } = await login(email);
  assert.deepEqual([status, body.code, headers.getSetCookie()], [403, 'email_not_verified', []]);
  assert.match(body.error, /email must be verified before signing in/i);
  assert.equal((await login(email, 'a wrong password')).status, 401, 'only a caller with the right password learns it');
});

test('Authentication rule 7: login sets a cookie, and credentials are retrievable while its session is valid', async () => {
  const { email, accountId } = await member(service);
  const wrong = await login(email, 'a wrong password');
  const nobody = await login(someEmail());
  assert.deepEqual(
    [wrong.status, wrong.body],
    [401, nobody.body],
    'an address without an account gets the same response',
  );
  const cookie = cookieOf(await login(email.toUpperCase()));
  const grant = await grantOf(service, cookie);
  assert.deepEqual(await grantOf(service, cookie), grant, 'the credentials can be read again');
  // The test cannot wait seven days or move the clock of the service, so it moves the expiry of the session.
  await sql`update sign_in set expires_at = now() - interval '1 second' where account_id = ${accountId}`;
  const { status, body } = await call('POST', '/oauth/credentials', undefined, { cookie });
  assert.deepEqual([status, body.code], [401, 'not_signed_in']);
  assert.equal((await call('POST', '/oauth', grant)).status, 200, 'the credentials outlive the session');
});

test('Authentication rule 8: a new client secret ends every live token at once, also tokens in use', async () => {
  const { cookie } = await member(service);
  const grant = await grantOf(service, cookie);
  const tokens: string[] = [];
  for (let i = 0; i < 3; i++) tokens.push((await call('POST', '/oauth', grant)).body.access_token);
  for (const token of tokens) assert.equal((await feedsWith(token)).status, 200);
  assert.equal((await call('POST', '/console/regenerate-secret', undefined, { cookie })).status, 200);
  for (const token of tokens) assert.equal((await feedsWith(token)).status, 401);
  assert.equal((await call('POST', '/oauth', grant)).status, 401);
});

test('Authentication rule 9: a missing or invalid Bearer token gives 401 on every protected operation', async () => {
  const operations = bearerOperations();
  assert.ok(operations.length > 20, `${operations.length} operations`);
  const { cookie } = await member(service);
  for (const [method, path] of operations) {
    for (const headers of [{}, { authorization: 'Bearer nonsense' }, { authorization: 'Basic YTpi' }, { cookie }]) {
      const { status, body, headers: answered } = await call(method, path, undefined, { headers });
      assert.deepEqual([status, body.code], [401, 'unauthorized'], `${method} ${path}`);
      assert.match(body.error, /POST \/v1\/oauth/);
      assert.match(answered.get('www-authenticate')!, /^Bearer realm=/);
    }
  }
});

for (const [path, allowed, minutes] of [
  ['/auth/signup', 5, 10],
  ['/auth/login', 10, 5],
  ['/auth/resend-verification', 3, 10],
] as const) {
  test(`Authentication rule 10: ${path} allows ${allowed} requests from one IP in ${minutes} minutes`, async () => {
    const body = path === '/auth/signup' ? signUpBody(someEmail()) : { email: someEmail(), password: PASSWORD };
    const { password: _, ...address } = body;
    const sent = path === '/auth/resend-verification' ? address : body;
    const from = { 'x-forwarded-for': someAddress() };
    for (let i = 0; i < allowed; i++) assert.notEqual((await visit(service, 'POST', path, sent, from)).status, 429);
    const { status, body: refusal, headers } = await visit(service, 'POST', path, sent, from);
    assert.deepEqual([status, refusal.code], [429, 'rate_limit_exceeded']);
    const retryAfterS = Number(headers.get('retry-after'));
    assert.ok(retryAfterS > minutes * 60 - 30 && retryAfterS <= minutes * 60, `${retryAfterS} seconds`);
    assert.match(refusal.error, new RegExp(`${allowed} .* ${minutes} minutes: try again in ${retryAfterS} seconds`));
    assert.notEqual((await visit(service, 'POST', path, sent)).status, 429, 'another IP is not affected');
  });
}

for (const plan of ['free', 'developer', 'custom'] as const) {
  test(`Authentication rule 11: deliveries of the plan ${plan} are signed`, async (t) => {
    const receiver = await startWebhookReceiver();
    t.after(() => receiver.close());
    const client = await service.client(plan);
    const { body } = await client.call('POST', '/webhooks', { webhookUrl: receiver.url, feedId: 'session.info' });
    await prepare(client);
    const runId = await replay(client);
    const { headers, body: received } = await eventually('a delivery', () => receiver.received[0]);
    const digest = createHmac('sha256', body.data.webhookSecret).update(received).digest('hex');
    assert.equal(headers['x-service-signature'], `sha256=${digest}`);
    await client.call('DELETE', `/simulate/stream?runId=${runId}`);
  });
}

test('Authentication rule 12: the cookie is called session, lives 7 days, and is HttpOnly, SameSite=Lax, Path=/', async () => {
  const { email } = await member(service);
  const [cookie] = (await login(email)).headers.getSetCookie();
  assert.match(cookie!, /^session=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax$/);
});
