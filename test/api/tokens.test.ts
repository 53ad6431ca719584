import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { AccountRefused, createAccount } from '#api/accounts/account-creation.ts';
import { postgresTokenStore } from '#api/tokens/postgres-token-store.ts';
import { systemClock } from '#engine/base/clock.ts';
import { TOKENS_ENDED_AT_ONCE_MAX, TOKENS_PER_ACCOUNT_MAX } from '#engine/base/limits.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
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

test('when an account has the maximum number of tokens, a new one ends the oldest hundred', async () => {
  const parts = { sql: api.sql, secretBox: api.secretBox, clock: systemClock };
  const made = await createAccount({ email: 'many-tokens@example.com', plan: 'free' }, parts);
  await api.sql`
    insert into access_token (token_hash, account_id, expires_at)
    select sha256(('token-' || number)::bytea), ${made.accountId}, now() + number * interval '1 minute'
    from generate_series(1, ${TOKENS_PER_ACCOUNT_MAX}) as number`;
  const statusWith = async (token: string) =>
    (await api.call('GET', '/v1/feeds', undefined, { authorization: `Bearer ${token}` })).status;
  assert.equal(await statusWith('token-1'), 200);
  const secret = { client_id: made.clientId, client_secret: made.clientSecret };
  const { body } = await api.call('POST', '/v1/oauth', { ...grant, ...secret });
  assert.equal(await statusWith(body.access_token), 200);
  await until(async () => (await statusWith('token-1')) === 401);
  assert.equal(await statusWith(`token-${TOKENS_ENDED_AT_ONCE_MAX}`), 401);
  assert.equal(await statusWith(`token-${TOKENS_ENDED_AT_ONCE_MAX + 1}`), 200);
});

test('room for a token ends expired tokens, and no valid one while there are fewer than the maximum', async () => {
  const { accountId: owner } = await api.client('free');
  await api.sql`
    insert into access_token (token_hash, account_id, expires_at)
    select sha256(('aged ' || number)::bytea), ${owner}, now() + (number - 500.5) * interval '1 second'
    from generate_series(1, ${TOKENS_PER_ACCOUNT_MAX}) as number`;
  assert.equal(await postgresTokenStore(api.sql).makeRoom(owner, new Date()), 501);
});

test('what a token costs the database does not depend on how many tokens its account has', async () => {
  const { accountId: owner, clientId: id } = await api.client('free');
  await api.sql`
    insert into access_token (token_hash, account_id, expires_at)
    select sha256(('many ' || number)::bytea), ${owner}, now() + interval '1 hour' from generate_series(1, 20000) as number`;
  await api.sql.begin(async (transaction) => {
    const store = postgresTokenStore(transaction as unknown as Sql);
    const client = (await store.findClient(id))!;
    // Rows of this transaction so far.
    const read = async () => {
      const [row] = await transaction`
        select seq_tup_read + idx_tup_fetch as rows from pg_stat_xact_user_tables where relname = 'access_token'`;
      return Number(row!.rows);
    };
    const before = await read();
    assert.equal(await store.insertToken(Buffer.from('a new token'), client, new Date(Date.now() + 60_000)), true);
    assert.ok((await store.findToken(Buffer.from('a new token'), new Date())) !== null);
    assert.ok((await read()) - before < 5);
  });
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
