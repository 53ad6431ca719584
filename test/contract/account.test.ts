// "Account, credentials and token" among the resources of the interface, and "Account and token" among its endpoints.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { contractService } from '#test/support/contract-service.ts';
import { PASSWORD, signUpBody, someEmail } from '#test/support/people.ts';
import { BEHIND_PROXY, cookieOf, grantOf, mailedToken, member, signUp, visit } from './visitor.ts';

const service = await contractService({ after }, BEHIND_PROXY);
const { call, mails, sql } = service;
const post = (path: string, body?: unknown, headers?: Record<string, string>) =>
  visit(service, 'POST', path, body, headers);
const login = (email: string, password = PASSWORD) => post('/auth/login', { email, password });
const isValid = async (token: string): Promise<boolean> =>
  (await call('GET', `/auth/verify-email?token=${token}`)).body.data.valid;

test('Signup body: email, password and the three acceptances are required, and every missing one is named', async () => {
  const { status, body } = await post('/auth/signup', {});
  assert.deepEqual([status, body.code], [400, 'invalid_body']);
  for (const field of ['email', 'password', 'tosAccepted', 'privacyAccepted', 'aupAccepted']) {
    assert.match(body.error, new RegExp(`\\b${field} is required`));
    const { [field]: _, ...others } = signUpBody(someEmail());
    const refused = await post('/auth/signup', others);
    assert.deepEqual([refused.status, refused.body.error], [400, `${field} is required`]);
  }
});

test('Signup body: each acceptance must be true, and the error names the field once', async () => {
  for (const field of ['tosAccepted', 'privacyAccepted', 'aupAccepted']) {
    for (const value of [false, 'true', 1, null]) {
      const { status, body } = await post('/auth/signup', signUpBody(someEmail(), { [field]: value }));
      assert.deepEqual([status, body.error], [400, `${field} must be true`], JSON.stringify(value));
    }
  }
});

test('Signup body: name is an optional display name, and an unknown key is named', async () => {
  const email = someEmail();
  assert.equal((await post('/auth/signup', signUpBody(email, { name: 'Ada Lovelace' }))).status, 201);
  const [row] = await sql`select name from account where email = ${email}`;
  assert.equal(row!.name, 'Ada Lovelace');
  const unknown = await post('/auth/signup', signUpBody(someEmail(), { nickname: 'Ada' }));
  assert.deepEqual(
    [unknown.status, unknown.body.error],
    [400, '"nickname" is not a known key (known: email, password, tosAccepted, privacyAccepted, aupAccepted, name)'],
  );
});

test('POST /auth/signup: an account is created and a verification email is sent', async () => {
  const email = someEmail();
  const { status, body, headers } = await post('/auth/signup', signUpBody(email));
  assert.deepEqual([status, body.data.email], [201, email]);
  assert.deepEqual(headers.getSetCookie(), [], 'a sign-up does not sign in');
  assert.equal(mails.filter(({ to }) => to === email).length, 1, 'the mail server has the mail before the response');
  const [account] = await sql`select plan, verified_at from account where email = ${email}`;
  assert.deepEqual({ ...account }, { plan: 'free', verified_at: null });
});

test('GET /auth/verify-email: a read-only check that does not verify the account, however often it is made', async () => {
  const email = await signUp(service);
  const token = await mailedToken(service, email);
  for (const method of ['GET', 'GET', 'HEAD', 'GET']) {
    const { status, body, headers } = await call(method, `/auth/verify-email?token=${token}`);
    assert.deepEqual([status, headers.getSetCookie()], [200, []]);
    if (method === 'GET') assert.deepEqual(body, { data: { valid: true } });
  }
  assert.equal((await login(email)).status, 403, 'still not verified');
  assert.equal(await isValid(`${token}x`), false);
  const missing = await call('GET', '/auth/verify-email');
  assert.deepEqual([missing.status, missing.body.error], [400, 'token is required']);
});

test('POST /auth/verify-email: consumes the token, activates the account and sets a session cookie', async () => {
  const email = await signUp(service);
  const token = await mailedToken(service, email);
  const confirmed = await post('/auth/verify-email', { token });
  assert.deepEqual([confirmed.status, confirmed.body.data.email], [200, email]);
  await grantOf(service, cookieOf(confirmed));
  assert.equal((await login(email)).status, 200);
  assert.equal(await isValid(token), false);
  const again = await post('/auth/verify-email', { token });
  assert.deepEqual([again.status, again.body.code], [400, 'invalid_token']);
  assert.match(again.body.error, /resend-verification/);
});

test('POST /auth/resend-verification: sends a fresh link and invalidates older links', async () => {
  const email = await signUp(service);
  const first = await mailedToken(service, email);
  assert.equal((await post('/auth/resend-verification', { email })).status, 200);
  const second = await mailedToken(service, email, 2);
  assert.deepEqual([await isValid(first), await isValid(second)], [false, true]);
  assert.equal((await post('/auth/verify-email', { token: first })).body.code, 'invalid_token');
  assert.equal((await post('/auth/verify-email', { token: second })).status, 200);
});

test('POST /auth/resend-verification: always gives 200 and the same body, whether or not an account exists', async () => {
  const { email: verified } = await member(service);
  const waiting = await signUp(service);
  const stranger = someEmail();
  const answers = [];
  for (const email of [verified, waiting, stranger]) answers.push(await post('/auth/resend-verification', { email }));
  for (const { status, body } of answers) assert.deepEqual([status, body], [200, answers[0]!.body]);
  await mailedToken(service, waiting, 2);
  assert.equal(mails.filter(({ to }) => to === stranger).length, 0);
  assert.equal(mails.filter(({ to }) => to === verified).length, 1, 'only the mail of the sign-up');
});

test('POST /auth/login: sets a session cookie and returns no Bearer token', async () => {
  const { email } = await member(service);
  const { status, body, headers } = await login(email);
  assert.deepEqual([status, Object.keys(body.data).sort()], [200, ['accountId', 'email', 'plan']]);
  const cookie = headers.getSetCookie()[0]!.split(/[=;]/)[1]!;
  assert.ok(!JSON.stringify(body).includes(cookie));
  const asBearer = await call('GET', '/feeds', undefined, { token: cookie });
  assert.equal(asBearer.status, 401, 'the cookie is not a bearer token');
});

test('POST /auth/logout: clears the session', async () => {
  const { cookie } = await member(service);
  const out = await call('POST', '/auth/logout', undefined, { cookie });
  assert.equal(out.status, 200);
  assert.match(out.headers.getSetCookie()[0]!, /^session=;.* Max-Age=0;/);
  for (const path of ['/auth/logout', '/oauth/credentials']) {
    const { status, body } = await call('POST', path, undefined, { cookie });
    assert.deepEqual([status, body.code], [401, 'not_signed_in'], 'the old cookie is not accepted');
  }
});

test('POST /oauth/credentials: returns { clientId, clientSecret }, not wrapped, the same every time', async () => {
  const { cookie } = await member(service);
  const { status, body } = await call('POST', '/oauth/credentials', undefined, { cookie });
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body), ['clientId', 'clientSecret']);
  for (const value of Object.values(body)) assert.equal(typeof value, 'string');
  assert.deepEqual((await call('POST', '/oauth/credentials', undefined, { cookie })).body, body);
});

test('Token request: client_id, client_secret and grant_type, which must be client_credentials', async () => {
  const grant = await grantOf(service, (await member(service)).cookie);
  for (const field of ['client_id', 'client_secret', 'grant_type'] as const) {
    const { [field]: _, ...others } = grant;
    const { status, body } = await call('POST', '/oauth', others);
    assert.deepEqual([status, body.code, body.error], [400, 'invalid_body', `${field} is required`]);
  }
  const other = await call('POST', '/oauth', { ...grant, grant_type: 'password' });
  assert.deepEqual([other.status, other.body.code], [400, 'unsupported_grant_type']);
  for (const wrong of [{ client_secret: 'wrong' }, { client_id: 'nobody' }]) {
    const { status, body } = await call('POST', '/oauth', { ...grant, ...wrong });
    assert.deepEqual([status, body.code], [401, 'invalid_client']);
  }
});

test('POST /oauth: accepts JSON, a form, and JSON with the content type of a form', async () => {
  const grant = await grantOf(service, (await member(service)).cookie);
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const answers = [
    await call('POST', '/oauth', grant),
    await call('POST', '/oauth', new URLSearchParams({ ...grant }).toString(), { headers: form }),
    // What `curl -d '{...}'` sends by default.
    await call('POST', '/oauth', JSON.stringify(grant), { headers: form }),
  ];
  for (const { status, body } of answers) assert.equal(status, 200, JSON.stringify(body));
});

test('Token response: an opaque access_token, token_type Bearer and expires_in 43200, not wrapped', async () => {
  const grant = await grantOf(service, (await member(service)).cookie);
  const { status, body } = await call('POST', '/oauth', grant);
  const { access_token } = body;
  assert.deepEqual([status, body], [200, { access_token, token_type: 'Bearer', expires_in: 43_200 }]);
  assert.match(access_token, /^[\w-]{32,}$/, 'not a JWT, which has dots');
  assert.notEqual((await call('POST', '/oauth', grant)).body.access_token, access_token);
});

test('POST /console/regenerate-secret: replaces the client secret and invalidates live Bearer tokens', async () => {
  const { cookie } = await member(service);
  const old = await grantOf(service, cookie);
  const { access_token: token } = (await call('POST', '/oauth', old)).body;
  assert.equal((await call('GET', '/feeds', undefined, { token })).status, 200);
  const { status, body } = await call('POST', '/console/regenerate-secret', undefined, { cookie });
  assert.deepEqual([status, body.data.clientId], [200, old.client_id]);
  assert.equal((await call('GET', '/feeds', undefined, { token })).status, 401);
  assert.equal((await call('POST', '/oauth', old)).body.code, 'invalid_client');
  const fresh = await grantOf(service, cookie);
  assert.equal(fresh.client_secret, body.data.clientSecret);
  assert.equal((await call('POST', '/oauth', fresh)).status, 200);
});

test('Session endpoints accept only the session cookie', async () => {
  const { token } = await service.client('free');
  for (const path of ['/oauth/credentials', '/auth/logout', '/console/regenerate-secret']) {
    for (const options of [{}, { token }, { cookie: 'session=' }, { cookie: 'session=nonsense' }]) {
      const { status, body } = await call('POST', path, undefined, options);
      assert.deepEqual([status, body.code], [401, 'not_signed_in'], path);
      assert.match(body.error, /POST \/v1\/auth\/login/);
    }
  }
});
