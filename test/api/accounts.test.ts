import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { PasswordHasher } from '#api/accounts/password-hasher.ts';
import { SIGN_IN_LIFETIME_MS } from '#api/accounts/sign-ins.ts';
import { VERIFICATION_LIFETIME_MS } from '#api/accounts/verification-store.ts';
import { MailError, type Mailer } from '#api/mail/mailer.ts';
import { systemClock } from '#engine/base/clock.ts';
import { SIGN_INS_MAX, VERIFICATIONS_MAX } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import { type Harness, until, withApi } from '#test/support/api-harness.ts';
import {
  BEHIND_PROXY,
  cookieOf,
  mailedToken,
  member,
  PASSWORD,
  post,
  signUpBody,
  someEmail,
} from '#test/support/people.ts';

let wallMs = Date.UTC(2026, 4, 1);
const clock = { ...systemClock, nowMs: () => wallMs, wallMs: () => wallMs };
/** The calls to the hasher since the last reset. */
let hashed: string[] = [];
/** A cheap hasher that records its calls: a clock cannot reliably show that two paths do the same work. */
const hasher: PasswordHasher = {
  async hash(password, asker) {
    assert.ok(asker.isAwaited());
    hashed.push('hash');
    return `hash of ${password}`;
  },
  async verify(hashes, password, asker) {
    assert.ok(asker.isAwaited());
    for (const _ of hashes) hashed.push('verify');
    return hashes.map((hash) => hash === `hash of ${password}`);
  },
};
const api = await withApi({ after }, { clock, passwordHasher: hasher, front: BEHIND_PROXY });
const isValid = async (token: string): Promise<boolean> =>
  (await api.call('GET', `/v1/auth/verify-email?token=${token}`)).body.data.valid;
const login = (email: string, password = PASSWORD) => post(api, '/auth/login', { email, password });
const show = (headers: Record<string, string>) => post(api, '/oauth/credentials', undefined, headers);

test('a new customer signs up, confirms the mail, gets credentials and exchanges them for a bearer token', async () => {
  const email = someEmail();
  const signedUp = await post(api, '/auth/signup', signUpBody(`  ${email} `, { name: 'Ada' }));
  assert.deepEqual([signedUp.status, signedUp.body], [201, { data: { email, verificationRequired: true } }]);
  assert.deepEqual(signedUp.headers.getSetCookie(), []);
  const token = await mailedToken(api, email);
  const confirmed = await post(api, '/auth/verify-email', { token });
  assert.equal(confirmed.status, 200);
  const { accountId } = confirmed.body.data;
  assert.deepEqual(confirmed.body, { data: { accountId, email, plan: 'free' } });
  assert.match(
    confirmed.headers.getSetCookie()[0]!,
    /^session=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax$/,
  );
  assert.equal(confirmed.headers.get('cache-control'), 'no-store');
  const shown = await show(cookieOf(confirmed));
  assert.deepEqual([shown.status, Object.keys(shown.body)], [200, ['clientId', 'clientSecret']]);
  assert.equal(shown.headers.get('cache-control'), 'no-store');
  const { clientId, clientSecret } = shown.body;
  const grant = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  const { access_token } = (await post(api, '/oauth', grant)).body;
  const feeds = await api.call('GET', '/v1/feeds', undefined, { authorization: `Bearer ${access_token}` });
  assert.equal(feeds.status, 200);
  const [row] = await api.sql`select name, plan from account where account_id = ${accountId}`;
  assert.deepEqual({ ...row }, { name: 'Ada', plan: 'free' });
});

test('an invalid sign-up is refused with every missing field named, and stores nothing', async () => {
  const bare = await post(api, '/auth/signup', {});
  assert.deepEqual([bare.status, bare.body.code], [400, 'invalid_body']);
  for (const field of ['email', 'password', 'tosAccepted', 'privacyAccepted', 'aupAccepted']) {
    assert.match(bare.body.error, new RegExp(`${field} is required`));
  }
  const email = someEmail();
  for (const [changes, pattern] of [
    [{ tosAccepted: false }, /tosAccepted must be true/],
    [{ aupAccepted: 'yes' }, /aupAccepted must be true/],
    [{ password: 'seven77' }, /password must have at least 8 characters/],
    [{ password: '😀'.repeat(7) }, /password must have at least 8 characters/],
    [{ password: 'x'.repeat(73) }, /password must have at most 72 characters/],
    [{ name: 'x'.repeat(201) }, /name must have at most 200 characters/],
    [{ name: 'a\u0000b' }, /name must not contain control characters/],
    [{ role: 'admin' }, /"role" is not a known key/],
    [{ email: 'nobody' }, /email must be an email address/],
    [{ email: `a@example.com\r\nBcc: ${email}` }, /email must be an email address/],
    [{ email: 'a\u0001@example.com' }, /email must be an email address/],
    [{ email: `${email},b@example.com` }, /email must be an email address/],
  ] as const) {
    const { status, body } = await post(api, '/auth/signup', signUpBody(email, changes));
    assert.deepEqual([status, body.code], [400, 'invalid_body'], JSON.stringify(changes));
    assert.match(body.error, pattern);
  }
  assert.equal((await api.sql`select 1 from account where email = ${email}`).length, 0);
});

test('a password has 8 to 72 characters, and an emoji counts as one', async () => {
  for (const password of ['😀'.repeat(8), '😀'.repeat(72)]) {
    const email = someEmail();
    assert.equal((await post(api, '/auth/signup', signUpBody(email, { password }))).status, 201);
  }
});

test('signing up with a known address gets the same response, hashes as often and mails its owner', async () => {
  const { email } = await member(api);
  const waiting = someEmail();
  await post(api, '/auth/signup', signUpBody(waiting));
  const signUpAgain = async (address: string) => {
    hashed = [];
    const { status, body } = await post(api, '/auth/signup', signUpBody(address, { password: 'another password' }));
    assert.deepEqual([status, body], [201, { data: { email: address, verificationRequired: true } }]);
    assert.deepEqual(hashed, ['hash']);
    return api.mailer.sent.at(-1)!;
  };
  const known = await signUpAgain(email.toUpperCase());
  assert.deepEqual([known.to, known.kind], [email, 'account-exists']);
  assert.doesNotMatch(known.text, /token=/);
  const unverified = await signUpAgain(waiting);
  assert.deepEqual([unverified.to, unverified.kind], [waiting, 'verification']);
  assert.equal((await signUpAgain(someEmail())).kind, 'verification');
  assert.equal((await login(email)).status, 200, 'the password of a verified account stays');
  // As for an address that had no account before.
  for (const address of [email, waiting]) {
    const refused = await login(address, 'another password');
    assert.deepEqual([refused.status, refused.body.code], [403, 'email_not_verified'], address);
  }
});

test("after several sign-ups no new link is sent, because it could open the account with a stranger's password", async () => {
  const email = someEmail();
  await post(api, '/auth/signup', signUpBody(email));
  const owners = await mailedToken(api, email);
  await post(api, '/auth/signup', signUpBody(email, { password: 'of a stranger' }));
  await post(api, '/auth/resend-verification', { email });
  await until(() => api.mailer.sent.some(({ to, kind }) => to === email && kind === 'sign-up-again'));
  assert.doesNotMatch(api.mailer.sent.at(-1)!.text, /token=/);
  assert.equal(await isValid(owners), false, 'older links are invalid');
  await post(api, '/auth/signup', signUpBody(email, { password: 'once more, by the owner' }));
  assert.equal((await post(api, '/auth/verify-email', { token: await mailedToken(api, email, 4) })).status, 200);
  assert.equal((await login(email, 'once more, by the owner')).status, 200);
  assert.notEqual((await login(email, 'of a stranger')).status, 200);
});

test('confirming a mail sets the password chosen in that sign-up, even if a stranger signed up later', async () => {
  const email = someEmail();
  await post(api, '/auth/signup', signUpBody(email, { name: 'Owner' }));
  const owners = await mailedToken(api, email);
  await post(api, '/auth/signup', signUpBody(email, { password: 'of a stranger', name: 'Stranger' }));
  const strangers = await mailedToken(api, email, 2);
  assert.equal((await post(api, '/auth/verify-email', { token: owners })).status, 200);
  assert.equal((await login(email)).status, 200);
  assert.equal((await login(email, 'of a stranger')).status, 401);
  const [row] = await api.sql`select name from account where email = ${email}`;
  assert.equal(row!.name, 'Owner');
  assert.equal(await isValid(strangers), false, 'the other links of the account are invalid');
  assert.equal((await post(api, '/auth/verify-email', { token: strangers })).body.code, 'invalid_token');
});

test('checking a link changes nothing, even repeatedly; a wrong token is not valid, a missing one is invalid_query', async () => {
  const email = someEmail();
  await post(api, '/auth/signup', signUpBody(email));
  const token = await mailedToken(api, email);
  for (let i = 0; i < 3; i++) {
    const { status, body, headers } = await api.call('GET', `/v1/auth/verify-email?token=${token}`);
    assert.deepEqual([status, body, headers.getSetCookie()], [200, { data: { valid: true } }, []]);
  }
  assert.equal((await api.call('HEAD', `/v1/auth/verify-email?token=${token}`)).status, 200);
  assert.equal((await login(email)).body.code, 'email_not_verified');
  assert.equal(await isValid('nonsense'), false);
  assert.equal(await isValid(`${token}x`), false);
  assert.equal((await api.call('GET', '/v1/auth/verify-email')).body.code, 'invalid_query');
  assert.equal((await post(api, '/auth/verify-email', { token: 'nonsense' })).body.code, 'invalid_token');
});

test('a link works exactly once and signs in once, even if many requests use it at the same moment', async () => {
  const email = someEmail();
  await post(api, '/auth/signup', signUpBody(email));
  await post(api, '/auth/signup', signUpBody(email));
  const token = await mailedToken(api, email, 2);
  const waiting = async () => {
    const rows = await api.sql`
      select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    return rows.length;
  };
  // Every request has found the link and waits for the lock on the account's row, so they are sure to compete for it.
  const posts = await api.sql.begin(async (holder) => {
    await holder`select 1 from account where email = ${email} for update`;
    const begun = Array.from({ length: 8 }, () => post(api, '/auth/verify-email', { token }));
    await until(async () => (await waiting()) >= 4);
    return [begun];
  });
  const answers = await Promise.all(posts[0]!);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(7).fill(400)]);
  const rows = await api.sql`
    select (select count(*) from sign_in where account_id = account.account_id)::int as sign_ins,
      (select count(*) from email_verification where account_id = account.account_id)::int as links
    from account where email = ${email}`;
  assert.deepEqual({ ...rows[0] }, { sign_ins: 1, links: 0 });
});

test('a link expires after 24 hours', async () => {
  const email = someEmail();
  await post(api, '/auth/signup', signUpBody(email));
  const token = await mailedToken(api, email);
  wallMs += VERIFICATION_LIFETIME_MS - 1;
  assert.equal(await isValid(token), true);
  wallMs += 1;
  assert.equal(await isValid(token), false);
  assert.equal((await post(api, '/auth/verify-email', { token })).body.code, 'invalid_token');
});

test('an account has a bounded number of valid links; another one invalidates the oldest', async () => {
  const email = someEmail();
  const tokens: string[] = [];
  for (let count = 1; count <= VERIFICATIONS_MAX + 2; count++) {
    // An address gets a few mails an hour.
    wallMs += 1_000_000;
    await post(api, '/auth/signup', signUpBody(email));
    tokens.push(await mailedToken(api, email, count));
  }
  assert.deepEqual(await Promise.all(tokens.map(isValid)), [false, false, ...Array(VERIFICATIONS_MAX).fill(true)]);
});

test('requesting another link invalidates the older ones, and the response is the same for every address', async () => {
  const { email: known } = await member(api);
  const waiting = someEmail();
  await post(api, '/auth/signup', signUpBody(waiting));
  const first = await mailedToken(api, waiting);
  const sentBefore = api.mailer.sent.length;
  const answers = [];
  for (const email of [known, someEmail(), waiting.toUpperCase()]) {
    answers.push(await post(api, '/auth/resend-verification', { email }));
  }
  for (const { status, body } of answers) assert.deepEqual([status, body], [200, answers[0]!.body]);
  const second = await mailedToken(api, waiting, 2);
  assert.equal(api.mailer.sent.length, sentBefore + 1);
  assert.equal(await isValid(first), false);
  assert.equal((await post(api, '/auth/verify-email', { token: second })).status, 200);
  assert.equal((await login(waiting)).status, 200, 'with the password of the sign-up');
});

test('a request for another link does not wait for the mail; shutdown does, and a failure is logged without the address', async () => {
  const email = someEmail();
  await post(api, '/auth/signup', signUpBody(email));
  const { promise: sending, resolve: sendingBegins } = Promise.withResolvers<void>();
  const { promise: stuck, reject: fail } = Promise.withResolvers<void>();
  const mailer: Mailer = {
    send() {
      sendingBegins();
      return stuck;
    },
  };
  const warnings: unknown[] = [];
  const log: Log = { info() {}, warn: (details, message) => warnings.push({ ...details, message }), error() {} };
  const ends: (() => unknown)[] = [];
  const slow = await withApi(
    { after: (end) => ends.push(end) },
    { sql: api.sql, clock, passwordHasher: hasher, front: BEHIND_PROXY, mailer, log },
  );
  assert.equal((await post(slow, '/auth/resend-verification', { email })).status, 200);
  await sending;
  const closing = Promise.all(ends.map((end) => end()));
  assert.equal(await Promise.race([closing.then(() => 'closed'), pause(20, 'open')]), 'open');
  fail(new MailError('no answer'));
  await closing;
  assert.deepEqual(warnings, [{ reason: 'no answer', message: 'sending a new verification link failed' }]);
  await post(api, '/auth/resend-verification', { email });
  assert.equal(await isValid(await mailedToken(api, email, 2)), true);
});

test('a sign-up whose mail fails gets 502, reveals nothing about the address, and can be completed with another link', async () => {
  const { email: known } = await member(api);
  const email = someEmail();
  api.mailer.failing = true;
  const answers = [];
  for (const address of [email, known]) answers.push(await post(api, '/auth/signup', signUpBody(address)));
  api.mailer.failing = false;
  for (const { status, body } of answers) {
    assert.deepEqual([status, body.code, body.error], [502, 'email_delivery_failed', answers[0]!.body.error]);
  }
  await post(api, '/auth/resend-verification', { email });
  assert.equal((await post(api, '/auth/verify-email', { token: await mailedToken(api, email) })).status, 200);
  assert.equal((await login(email)).status, 200);
});

test('a login gets the same response for an unknown address, a wrong password and an account created by an operator', async () => {
  const { email } = await member(api);
  const waiting = someEmail();
  await post(api, '/auth/signup', signUpBody(waiting));
  const { accountId } = await api.client('free');
  const [operators] = await api.sql`select email from account where account_id = ${accountId}`;
  const answers = [];
  for (const [address, password] of [
    [email, 'a wrong password'],
    [waiting, 'a wrong password'],
    [someEmail(), PASSWORD],
    [operators!.email, PASSWORD],
  ] as const) {
    hashed = [];
    answers.push(await login(address, password));
    assert.deepEqual(hashed, ['verify', 'verify'], 'the same work');
  }
  for (const { status, body, headers } of answers) {
    assert.deepEqual([status, body], [401, { ...answers[0]!.body, code: 'invalid_credentials', statusCode: 401 }]);
    assert.deepEqual(headers.getSetCookie(), []);
  }
});

test('with the right password an unverified account gets 403 and a verified one is signed in', async () => {
  const email = someEmail();
  await post(api, '/auth/signup', signUpBody(email));
  const refused = await login(email);
  assert.deepEqual([refused.status, refused.body.code], [403, 'email_not_verified']);
  assert.match(refused.body.error, /^Email must be verified before signing in/);
  await post(api, '/auth/verify-email', { token: await mailedToken(api, email) });
  const signedIn = await login(email.toUpperCase());
  assert.deepEqual([signedIn.status, signedIn.body.data.email], [200, email]);
  assert.equal((await show(cookieOf(signedIn))).status, 200);
  assert.equal((await post(api, '/auth/login', { email: 'nobody', password: PASSWORD })).body.code, 'invalid_body');
});

test('logging out ends only this sign-in and clears the cookie', async () => {
  const { email, headers } = await member(api);
  const other = cookieOf(await login(email));
  const out = await post(api, '/auth/logout', undefined, headers);
  assert.deepEqual([out.status, out.body], [200, { data: { signedOut: true } }]);
  assert.equal(out.headers.getSetCookie()[0], 'session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax');
  const again = await post(api, '/auth/logout', undefined, headers);
  assert.deepEqual([again.status, again.body.code], [401, 'not_signed_in']);
  assert.equal((await show(headers)).status, 401);
  assert.equal((await show(other)).status, 200);
});

test('without a valid cookie every console route responds with 401', async () => {
  for (const path of ['/auth/logout', '/oauth/credentials', '/console/regenerate-secret']) {
    for (const cookie of ['', 'session=', 'session=nonsense', 'other=1']) {
      const { status, body } = await post(api, path, undefined, { cookie });
      assert.deepEqual([status, body.code], [401, 'not_signed_in'], `${path} ${cookie}`);
    }
  }
});

test('a sign-in expires after 7 days', async () => {
  const { headers } = await member(api);
  wallMs += SIGN_IN_LIFETIME_MS - 1;
  assert.equal((await show(headers)).status, 200);
  wallMs += 1;
  assert.equal((await show(headers)).status, 401);
});

test('an account has a bounded number of sign-ins; another one ends the oldest, and expired ones are deleted', async () => {
  const { email, accountId, headers: oldest } = await member(api);
  const cookies = [oldest];
  const signIn = async () => {
    wallMs += 1_000;
    cookies.push(cookieOf(await login(email)));
  };
  while (cookies.length < SIGN_INS_MAX + 2) await signIn();
  const good = await Promise.all(cookies.map(async (headers) => (await show(headers)).status === 200));
  assert.deepEqual(good, [false, false, ...Array(SIGN_INS_MAX).fill(true)]);
  wallMs += SIGN_IN_LIFETIME_MS;
  await signIn();
  assert.equal((await api.sql`select 1 from sign_in where account_id = ${accountId}`).length, 1);
});

test('the database holds only hashes of passwords, cookies and links', async () => {
  const { email, headers } = await member(api);
  await post(api, '/auth/signup', signUpBody(someEmail()));
  const cookie = headers.cookie.split('=')[1]!;
  const rows = await api.sql<{ kept: string }[]>`
    select encode(token_hash, 'escape') as kept from sign_in
    union all select encode(token_hash, 'escape') from email_verification`;
  assert.ok(rows.length > 1);
  for (const { kept } of rows) {
    assert.ok(!kept.includes(cookie));
    assert.ok(!api.mailer.sent.some(({ text }) => text.includes(kept)));
  }
  const [row] = await api.sql`select password_hash from account where email = ${email}`;
  assert.equal(row!.password_hash, `hash of ${PASSWORD}`, 'the output of the hasher');
});

async function tokenOf(harness: Harness, headers: Record<string, string>): Promise<string> {
  const { clientId, clientSecret } = (await post(harness, '/oauth/credentials', undefined, headers)).body;
  const grant = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  return (await post(harness, '/oauth', grant)).body.access_token;
}

test('a new client secret immediately invalidates the old one and every token', async () => {
  const { headers } = await member(api);
  const old = (await show(headers)).body;
  const token = await tokenOf(api, headers);
  const feeds = (bearer: string) => api.call('GET', '/v1/feeds', undefined, { authorization: `Bearer ${bearer}` });
  assert.equal((await feeds(token)).status, 200);
  const replaced = await post(api, '/console/regenerate-secret', undefined, headers);
  assert.equal(replaced.status, 200);
  assert.deepEqual(Object.keys(replaced.body.data), ['clientId', 'clientSecret']);
  assert.equal(replaced.body.data.clientId, old.clientId);
  assert.notEqual(replaced.body.data.clientSecret, old.clientSecret);
  assert.equal((await feeds(token)).status, 401);
  const grant = { grant_type: 'client_credentials', client_id: old.clientId, client_secret: old.clientSecret };
  assert.equal((await post(api, '/oauth', grant)).body.code, 'invalid_client');
  assert.deepEqual((await show(headers)).body, replaced.body.data);
  assert.equal((await feeds(await tokenOf(api, headers))).status, 200);
});

test('no token of an old secret outlives its replacement, even if both are requested at the same time', async () => {
  const { headers, accountId } = await member(api);
  const { clientId, clientSecret } = (await show(headers)).body;
  const grant = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  let done = false;
  const thief = async () => {
    while (!done) await post(api, '/oauth', grant);
  };
  const thieves = Array.from({ length: 6 }, thief);
  await until(async () => (await api.sql`select 1 from access_token where account_id = ${accountId}`).length > 20);
  assert.equal((await post(api, '/console/regenerate-secret', undefined, headers)).status, 200);
  done = true;
  await Promise.all(thieves);
  assert.equal((await api.sql`select 1 from access_token where account_id = ${accountId}`).length, 0);
});

test('behind https the cookie is marked Secure', async (t) => {
  const secure = await withApi(t, {
    sql: api.sql,
    clock,
    passwordHasher: hasher,
    front: { ...BEHIND_PROXY, https: true },
  });
  const { email } = await member(secure);
  const signedIn = await post(secure, '/auth/login', { email, password: PASSWORD });
  assert.match(signedIn.headers.getSetCookie()[0]!, /; HttpOnly; SameSite=Lax; Secure$/);
});

test('each client address may send 5 sign-ups and 3 link requests in 10 minutes, and 10 logins in 5', async () => {
  for (const [path, bodyOf, allowed, minutes] of [
    ['/auth/signup', signUpBody, 5, 10],
    ['/auth/resend-verification', (email: string) => ({ email }), 3, 10],
    ['/auth/login', (email: string) => ({ email, password: PASSWORD }), 10, 5],
  ] as const) {
    const send = (what: string) =>
      post(api, path, what === 'nonsense' ? {} : bodyOf(someEmail()), { 'x-forwarded-for': '192.0.2.1' });
    // The content does not matter: invalid requests count towards the limit too.
    for (let i = 0; i < allowed; i++) assert.notEqual((await send(i === 0 ? 'nonsense' : 'good')).status, 429, path);
    const { status, body: refusal, headers } = await send('good');
    assert.deepEqual([status, refusal.code], [429, 'rate_limit_exceeded'], path);
    assert.equal(headers.get('retry-after'), String(minutes * 60));
    assert.notEqual((await post(api, path, bodyOf(someEmail()))).status, 429, 'another address');
    wallMs += minutes * 60_000;
    assert.notEqual((await send('good')).status, 429, path);
  }
});
