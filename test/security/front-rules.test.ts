// The headers of responses for browsers and caches, and which requests the session routes accept.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { SIGN_IN_LIFETIME_MS } from '#api/accounts/sign-ins.ts';
import { systemClock } from '#engine/base/clock.ts';
import { LOGIN_FAILURES_MAX, LOGIN_NETWORK_FAILURES_MAX, MAILS_TO_ADDRESS_MAX } from '#engine/base/limits.ts';
import { type Answer, until, withApi } from '#test/support/api-harness.ts';
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

const PUBLIC = 'https://api.example.com';
const APP = 'https://app.example.com';
let nowMs = 0;
let hashes = 0;
const api = await withApi(
  { after },
  {
    front: { ...BEHIND_PROXY, https: true, corsOrigins: new Set([APP]), publicOrigin: PUBLIC },
    clock: { ...systemClock, nowMs: () => performance.now() + nowMs, wallMs: () => Date.now() + nowMs },
    // The hasher's own tests check its cost. Here only the number of calls counts.
    passwordHasher: {
      hash: async (password) => `hash of ${password}`,
      verify: async (all, password) => {
        hashes += all.length;
        return all.map((hash) => hash === `hash of ${password}`);
      },
    },
  },
);
const plain = await withApi({ after }, { sql: api.sql, front: BEHIND_PROXY });
const client = await api.client('custom');
const webhookId = await client.webhook();

test('every response forbids sniffing and asks for https; responses for one account and refusals are never cached', async () => {
  const { headers: cookie } = await member(api);
  const private_: readonly (readonly [string, string])[] = [
    ['GET', '/v1/feeds'],
    ['GET', '/v1/webhooks'],
    ['GET', `/v1/webhooks/${webhookId}/secret`],
    ['POST', `/v1/webhooks/${webhookId}/rotate-secret`],
    ['GET', `/v1/webhooks/${webhookId}/logs`],
    ['GET', '/v1/usage'],
    ['GET', '/v1/simulate/quota'],
  ];
  const answers: Record<string, Answer> = {
    shown: await post(api, '/oauth/credentials', undefined, cookie),
    unknown: await api.call('GET', '/v1/nothing'),
    unauthorized: await api.call('GET', '/v1/feeds'),
    wrong: await api.call('PUT', '/v1/webhooks'),
    link: await api.call('GET', '/v1/auth/verify-email?token=x'),
    token: await post(api, '/oauth', {
      grant_type: 'client_credentials',
      client_id: client.clientId,
      client_secret: client.clientSecret,
    }),
  };
  for (const [method, path] of private_) answers[`${method} ${path}`] = await client.call(method, path);
  for (const [name, { headers }] of Object.entries(answers)) {
    assert.equal(headers.get('cache-control'), 'no-store', name);
    assert.equal(headers.get('x-content-type-options'), 'nosniff', name);
    assert.equal(headers.get('strict-transport-security'), 'max-age=31536000', name);
    assert.equal(headers.get('vary'), 'Origin', name);
    assert.equal(headers.get('server'), null, name);
  }
  const unsafe = await plain.call('GET', '/healthz');
  assert.equal(unsafe.headers.get('strict-transport-security'), null);
  assert.equal(unsafe.headers.get('x-content-type-options'), 'nosniff');
});

test('pages run only code of this host, cannot be framed and send no referrer', async () => {
  for (const path of ['/docs', '/docs/swagger-ui.css', '/verify-email?token=abc', '/verify-email.js', '/billing']) {
    const { status, headers } = await api.call('GET', path);
    assert.equal(status, 200, path);
    const policy = headers.get('content-security-policy')!;
    assert.match(policy, /default-src 'self'/, path);
    assert.match(policy, /frame-ancestors 'none'/, path);
    assert.doesNotMatch(policy, /script-src|unsafe-eval/, path);
    assert.equal(headers.get('referrer-policy'), 'no-referrer', path);
    assert.equal(headers.get('x-content-type-options'), 'nosniff', path);
  }
});

test('the session cookie is for this host only, hidden from scripts, https only, same-site, and lasts 7 days', async () => {
  const email = someEmail();
  await post(api, '/auth/signup', signUpBody(email));
  const confirmed = await post(api, '/auth/verify-email', { token: await mailedToken(api, email) });
  const login = await post(api, '/auth/login', { email, password: PASSWORD });
  for (const { headers } of [confirmed, login]) {
    const cookies = headers.getSetCookie();
    assert.equal(cookies.length, 1);
    const [pair, ...attributes] = cookies[0]!.split('; ');
    assert.match(pair!, /^__Host-session=[\w-]{43}$/);
    const wanted = ['HttpOnly', `Max-Age=${SIGN_IN_LIFETIME_MS / 1_000}`, 'Path=/', 'SameSite=Lax', 'Secure'];
    assert.deepEqual(attributes.sort(), wanted);
  }
});

test('signing in makes a new session instead of adopting a planted one, and signing out ends it', async () => {
  const { email, headers: owner } = await member(api);
  const planted = { cookie: `__Host-session=${'A'.repeat(43)}` };
  const login = await post(api, '/auth/login', { email, password: PASSWORD }, planted);
  assert.notEqual(cookieOf(login).cookie, planted.cookie);
  assert.equal((await post(api, '/oauth/credentials', undefined, planted)).status, 401);
  assert.notEqual(cookieOf(login).cookie, owner.cookie);
  assert.equal((await post(api, '/auth/logout', undefined, cookieOf(login))).status, 200);
  for (const path of ['/oauth/credentials', '/console/regenerate-secret', '/auth/logout']) {
    assert.equal((await post(api, path, undefined, cookieOf(login))).status, 401, path);
  }
  assert.equal((await post(api, '/oauth/credentials', undefined, owner)).status, 200);
});

test('CSRF: pages of other hosts can neither use a session nor sign a visitor in', async () => {
  const { email, headers: cookie } = await member(api);
  const host = `127.0.0.1:${api.port}`;
  const form = { 'content-type': 'text/plain' };
  const strangers: readonly Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
    { 'sec-fetch-site': 'cross-site', origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site', origin: 'https://blog.example.com' },
    { origin: 'https://evil.example' },
    { origin: 'https://blog.example.com' },
    { origin: 'null' },
    { origin: `http://${host}.evil.example` },
    { origin: 'https://api.example.com:8443' },
    { origin: 'http://api.example.com' },
    { origin: APP.replace('https', 'http') },
    { 'sec-fetch-site': 'nonsense', origin: PUBLIC },
  ];
  const known: readonly Record<string, string>[] = [
    {},
    { 'sec-fetch-site': 'same-origin', origin: PUBLIC },
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'cross-site', origin: APP },
    { 'sec-fetch-site': 'same-site', origin: APP },
    { origin: APP },
    { origin: PUBLIC },
    { origin: `http://${host}` },
  ];
  const asks: readonly (readonly [path: string, body: unknown, headers: Record<string, string>, code: number])[] = [
    ['/oauth/credentials', undefined, cookie, 200],
    ['/console/regenerate-secret', undefined, cookie, 200],
    ['/console/billing/checkout', undefined, cookie, 503],
    ['/auth/login', { email, password: PASSWORD }, {}, 200],
    ['/auth/verify-email', { token: 'x' }, {}, 400],
  ];
  for (const [path, body, headers, code] of asks) {
    for (const from of known) {
      const { status } = await post(api, path, body, { ...headers, ...from });
      assert.equal(status, code, `${path} from ${JSON.stringify(from)}`);
    }
    for (const from of strangers) {
      const answer = await post(api, path, body, { ...headers, ...from, ...form });
      assert.deepEqual([answer.status, answer.body.code], [403, 'cross_site'], `${path} from ${JSON.stringify(from)}`);
      assert.deepEqual(answer.headers.getSetCookie(), []);
    }
  }
  const logout = await post(api, '/auth/logout', undefined, { ...cookie, origin: 'https://evil.example' });
  assert.equal(logout.status, 403);
  assert.equal((await post(api, '/oauth/credentials', undefined, cookie)).status, 200);
});

test('CORS: credentials are allowed only for the exact origins of the settings', async () => {
  const { headers } = await client.call('GET', '/v1/feeds', undefined, { origin: APP });
  assert.equal(headers.get('access-control-allow-origin'), APP);
  assert.equal(headers.get('access-control-allow-credentials'), 'true');
  for (const origin of ['null', `${APP}.evil.example`, 'https://evilapp.example.com', `${APP}/`, APP.toUpperCase()]) {
    const other = await client.call('GET', '/v1/feeds', undefined, { origin });
    assert.equal(other.headers.get('access-control-allow-origin'), null, origin);
    assert.equal(other.headers.get('access-control-allow-credentials'), null, origin);
  }
});

/** Signs in from this address, with the right password unless another one is given. */
function signIn(email: string, address: string, password = PASSWORD): Promise<Answer> {
  return post(api, '/auth/login', { email, password }, { 'x-forwarded-for': address });
}

test('LG2: wrong passwords from one network keep out that network only, whether or not the account exists', async () => {
  const { email } = await member(api);
  const { requests, windowMs } = LOGIN_NETWORK_FAILURES_MAX;
  for (const target of [email, someEmail()]) {
    const guesses = Array.from({ length: 3 * requests }, (_, i) =>
      signIn(target, `198.51.100.${i}`, 'a wrong password'),
    );
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 401).length, requests);
    assert.equal(statuses.filter((status) => status === 429).length, 2 * requests);
    const more = await signIn(target.toUpperCase(), '198.51.100.250', 'a wrong password');
    assert.deepEqual([more.status, more.body.code], [429, 'rate_limit_exceeded']);
    assert.ok(Number(more.headers.get('retry-after')) > 3_000);
  }
  assert.equal((await signIn(email, '203.0.113.9')).status, 200, 'the owner is elsewhere');
  assert.equal((await signIn(email, '198.51.100.251')).status, 429);
  nowMs += windowMs;
  assert.equal((await signIn(email, '198.51.100.251')).status, 200);
});

test('LG3: wrong passwords from many networks keep out networks that the owner never used, and no others', async () => {
  const { email } = await member(api);
  const home = '192.0.2.7';
  assert.equal((await signIn(email, home)).status, 200);
  const { requests, windowMs } = LOGIN_FAILURES_MAX;
  const guesses = await Promise.all(
    Array.from({ length: requests }, (_, i) => signIn(email, `10.7.${i}.1`, 'a wrong password')),
  );
  assert.ok(guesses.every(({ status }) => status === 401));
  assert.equal((await signIn(email, '10.7.250.1')).status, 429);
  assert.equal((await signIn(email, '192.0.2.99')).status, 200, 'the network of the owner, at another address');
  nowMs += windowMs;
  assert.equal((await signIn(email, '10.7.250.1')).status, 200);
});

test('LG1: sign-ins with the right password do not count, however many', async () => {
  const { email } = await member(api);
  for (let i = 0; i < 2 * LOGIN_NETWORK_FAILURES_MAX.requests; i++)
    assert.equal((await signIn(email, `192.0.2.${i}`)).status, 200);
});

test('an address gets a few emails an hour, however many sign-ups and from wherever, also at a tagged address', async () => {
  const email = someEmail();
  const { requests, windowMs } = MAILS_TO_ADDRESS_MAX;
  const statuses: number[] = [];
  for (let i = 0; i < 20; i++) {
    const spelled = i % 2 === 0 ? email.toUpperCase() : email.replace('@', `+${i}@`);
    const from = { 'x-forwarded-for': `2001:db8:${i}::1` };
    statuses.push((await post(api, '/auth/signup', signUpBody(spelled), from)).status);
  }
  assert.equal(statuses.filter((status) => status === 201).length, requests);
  const resent = await post(api, '/auth/resend-verification', { email });
  assert.deepEqual([resent.status, resent.body.code], [429, 'rate_limit_exceeded']);
  nowMs += windowMs;
  assert.equal((await post(api, '/auth/signup', signUpBody(email))).status, 201);
});

test('an email address reveals nothing about its account: the response and the work are the same', async () => {
  const { email } = await member(api);
  const shapeOf = ({ status, headers, body }: Answer, own: string) => ({
    status,
    names: [...headers.keys()].sort(),
    body: JSON.stringify(body).replaceAll(own, 'EMAIL'),
  });
  const asks = {
    login: (target: string) => post(api, '/auth/login', { email: target, password: 'a wrong password' }),
    signup: (target: string) => post(api, '/auth/signup', signUpBody(target)),
    resend: (target: string) => post(api, '/auth/resend-verification', { email: target }),
  };
  const unverified = someEmail();
  await post(api, '/auth/signup', signUpBody(unverified));
  for (const [name, ask] of Object.entries(asks)) {
    const work: number[] = [];
    const shapes = [];
    for (const target of [email, unverified, someEmail()]) {
      const before = hashes;
      shapes.push(shapeOf(await ask(target), target));
      work.push(hashes - before);
    }
    assert.deepEqual(shapes[1], shapes[0], name);
    assert.deepEqual(shapes[2], shapes[0], name);
    assert.equal(new Set(work).size, 1, `${name}: ${work} hashes`);
  }
  const unknown = { grant_type: 'client_credentials', client_id: `cli_${'0'.repeat(26)}`, client_secret: 'x' };
  const wrong = { ...unknown, client_id: client.clientId };
  const oauth = await Promise.all([unknown, wrong].map((grant) => post(api, '/oauth', grant)));
  assert.deepEqual(shapeOf(oauth[0]!, ''), shapeOf(oauth[1]!, ''));
});

test('links in mails use the address of the settings, whatever host the request names', async () => {
  const email = someEmail();
  const answer = await post(api, '/auth/signup', signUpBody(email), {
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'http',
    forwarded: 'host=evil.example',
  });
  assert.equal(answer.status, 201);
  await until(() => api.mailer.sent.some((mail) => mail.to === email));
  const { text } = api.mailer.sent.find((mail) => mail.to === email)!;
  assert.doesNotMatch(text, /evil/);
  assert.match(text, /https:\/\/site\.example\.com\/verify-email/);
});
