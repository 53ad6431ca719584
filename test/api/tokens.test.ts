import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { AccountRefused, createAccount } from '#api/accounts/account-creation.ts';
import { systemClock } from '#engine/base/clock.ts';
import { TOKENS_PER_ACCOUNT_MAX } from '#engine/base/limits.ts';
import { until, withApi } from '#test/support/api-harness.ts';

const api = await withApi({ after });
const { clientId, clientSecret, accountId } = await api.client('developer');
const grant = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
const form = { 'content-type': 'application/x-www-form-urlencoded' };

test('client credentials are exchanged for an opaque bearer token that lives 12 hours', async () => {
  const { status, body, headers } = await api.call('POST', '/v1/oauth', grant);
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body).sort(), ['access_token', 'expires_in', 'token_type']);
  assert.equal(body.token_type, 'Bearer');
  assert.equal(body.expires_in, 43_200);
  assert.match(body.access_token, /^[\w-]{43}$/);
  assert.equal(headers.get('cache-control'), 'no-store');
});

test('the token request may be a form, and the credentials may come as HTTP Basic', async () => {
  const asForm = await api.call('POST', '/v1/oauth', new URLSearchParams(grant).toString(), form);
  assert.equal(asForm.status, 200);
  const basic = { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` };
  const asBasic = await api.call('POST', '/v1/oauth', 'grant_type=client_credentials', { ...form, ...basic });
  assert.equal(asBasic.status, 200);
  const both = await api.call('POST', '/v1/oauth', grant, basic);
  assert.equal(both.status, 400);
});

test('wrong client credentials are 401 invalid_client, whether or not the client exists', async () => {
  const wrong = [
    { ...grant, client_secret: 'wrong' },
    { ...grant, client_id: 'cli_00000000000000000000000000' },
    { ...grant, client_id: 'nobody\u0000' },
  ];
  const answers = await Promise.all(wrong.map((body) => api.call('POST', '/v1/oauth', body)));
  for (const { status, body, headers } of answers) {
    assert.deepEqual([status, body.code, body.statusCode], [401, 'invalid_client', 401]);
    assert.equal(body.error, answers[0]!.body.error);
    assert.ok(headers.has('www-authenticate'));
  }
});

test('another grant type is unsupported_grant_type and missing fields are invalid_body', async () => {
  const other = await api.call('POST', '/v1/oauth', { ...grant, grant_type: 'password' });
  assert.deepEqual([other.status, other.body.code], [400, 'unsupported_grant_type']);
  const missing = await api.call('POST', '/v1/oauth', { grant_type: 'client_credentials' });
  assert.deepEqual([missing.status, missing.body.code], [400, 'invalid_body']);
  assert.equal(missing.body.error, 'client_id is required; client_secret is required');
  const twice = await api.call(
    'POST',
    '/v1/oauth',
    'grant_type=client_credentials&grant_type=client_credentials',
    form,
  );
  assert.equal(twice.body.code, 'invalid_body');
});

test('a missing or invalid bearer token gives 401 with a challenge', async () => {
  for (const authorization of ['', 'Bearer', 'Bearer wrong', 'Basic abc', `Bearer ${'x'.repeat(300)}`, 'Bearer a b']) {
    const { status, body, headers } = await api.call('GET', '/v1/feeds', undefined, { authorization });
    assert.deepEqual([status, body.code], [401, 'unauthorized'], authorization);
    assert.match(headers.get('www-authenticate')!, /^Bearer/);
  }
});

test('only the SHA-256 of a token is stored, and the token is invalid after its expiry', async (t) => {
  let wallMs = Date.now();
  const clock = { ...systemClock, nowMs: () => 1 + wallMs, wallMs: () => wallMs };
  const other = await withApi(t, { clock, sql: api.sql });
  const { token, accountId: owner } = await other.client('free');
  const get = () => other.call('GET', '/v1/feeds', undefined, { authorization: `Bearer ${token}` });
  assert.equal((await get()).status, 200);
  const rows =
    await other.sql`select encode(token_hash, 'escape') as hash from access_token where account_id = ${owner}`;
  assert.equal(rows.length, 1);
  assert.ok(!rows[0]!.hash.includes(token));
  wallMs += 43_199_000;
  assert.equal((await get()).status, 200);
  wallMs += 2_000;
  assert.equal((await get()).status, 401);
});

test('a revocation by another process takes effect at once, not when the cache entry expires', async () => {
  const client = await api.client('free');
  assert.equal((await client.call('GET', '/v1/feeds')).status, 200);
  await api.sql`delete from access_token where account_id = ${client.accountId}`;
  await until(async () => (await client.call('GET', '/v1/feeds')).status === 401);
});

test('when an account has the maximum number of tokens, a new one ends the oldest', async () => {
  const client = await api.client('free');
  await api.sql`
    insert into access_token (token_hash, account_id, expires_at)
    select sha256(number::text::bytea), ${client.accountId}, now() + interval '13 hours'
    from generate_series(1, ${TOKENS_PER_ACCOUNT_MAX - 1}) as number`;
  assert.equal((await client.call('GET', '/v1/feeds')).status, 200);
  const grant = { grant_type: 'client_credentials', client_id: client.clientId, client_secret: client.clientSecret };
  const { body } = await api.call('POST', '/v1/oauth', grant);
  const answer = await api.call('GET', '/v1/feeds', undefined, { authorization: `Bearer ${body.access_token}` });
  assert.equal(answer.status, 200);
  // The first token expires before all the others.
  await until(async () => (await client.call('GET', '/v1/feeds')).status === 401);
  const [row] = await api.sql`select count(*)::int as count from access_token where account_id = ${client.accountId}`;
  assert.equal(row!.count, TOKENS_PER_ACCOUNT_MAX);
});

test('client secrets are sealed in the database', async () => {
  const [account] = await api.sql`select client_secret_sealed as sealed from account where account_id = ${accountId}`;
  assert.ok(!Buffer.from(account!.sealed).includes(clientSecret));
  assert.equal(api.secretBox.open(account!.sealed), clientSecret);
});

test('an unverified account gets no token', async () => {
  const client = await api.client('free');
  await api.sql`update account set verified_at = null where account_id = ${client.accountId}`;
  const answer = await api.call('POST', '/v1/oauth', {
    ...grant,
    client_id: client.clientId,
    client_secret: client.clientSecret,
  });
  assert.equal(answer.status, 401);
});

test('account creation refuses an invalid email address, and one that is taken, in upper or lower case', async () => {
  const parts = { sql: api.sql, secretBox: api.secretBox, clock: systemClock };
  await createAccount({ email: 'Owner@Example.com', plan: 'free' }, parts);
  await assert.rejects(createAccount({ email: 'owner@example.COM', plan: 'free' }, parts), AccountRefused);
  for (const email of [
    '',
    'nobody',
    'a@b',
    'a b@example.com',
    `${'x'.repeat(250)}@example.com`,
    'a\u0000@example.com',
  ]) {
    await assert.rejects(createAccount({ email, plan: 'free' }, parts), AccountRefused, email);
  }
});
