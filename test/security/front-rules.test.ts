// The headers of responses for browsers and caches, and which requests the session routes accept.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { SIGN_IN_LIFETIME_MS } from '#api/accounts/sign-ins.ts';
import { systemClock } from '#engine/base/clock.ts';
import { LOGIN_ACCOUNT_RATE_MAX } from '#engine/base/limits.ts';
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
      verify: async (hash, password) => {
        hashes++;
        return hash === `hash of ${password}`;
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
    assert.match(pair!, /^session=[\w-]{43}$/);
    const wanted = ['HttpOnly', `Max-Age=${SIGN_IN_LIFETIME_MS / 1_000}`, 'Path=/', 'SameSite=Lax', 'Secure'];
    assert.deepEqual(attributes.sort(), wanted);
  }
});

test('signing in makes a new session instead of adopting a planted one, and signing out ends it', async () => {
  const { email, headers: owner } = await member(api);
  const planted = { cookie: `session=${'A'.repeat(43)}` };
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

test('failed sign-ins per account and hour are bounded across all addresses, whether or not the account exists', async () => {
  const { email } = await member(api);
  for (const target of [email, someEmail()]) {
    const guess = (spelled = target) => post(api, '/auth/login', { email: spelled, password: 'a wrong password' });
    const { requests } = LOGIN_ACCOUNT_RATE_MAX;
    const first = await Promise.all(Array.from({ length: requests }, () => guess()));
    assert.ok(first.every(({ status }) => status === 401));
    const more = await guess(target.toUpperCase());
    assert.deepEqual([more.status, more.body.code], [429, 'rate_limit_exceeded']);
    assert.ok(Number(more.headers.get('retry-after')) > 3_000);
  }
  assert.equal((await post(api, '/auth/login', { email, password: PASSWORD })).status, 429);
  nowMs += LOGIN_ACCOUNT_RATE_MAX.windowMs;
  assert.equal((await post(api, '/auth/login', { email, password: PASSWORD })).status, 200);
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
