// "Errors" of the interface: every row of its table. Every refusal has the same shape and says what to do.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type ContractAnswer, contractService } from '#test/support/contract-service.ts';
import { PASSWORD, signUpBody, someEmail } from '#test/support/people.ts';
import { IN_SEASON, importShortSession, prepare, replay, SHORT_SESSION } from './short-session.ts';

// No proxy is trusted here, so all requests come from one address.
const service = await contractService({ after }, IN_SEASON, importShortSession);
const { call, sql } = service;
const HOOK = { webhookUrl: 'http://localhost:9/hook', feedId: 'session.status' };
const stream = (sessionId: string) => `/simulate/stream?session=${sessionId}&sinks=webhook`;

/** Checks the common shape of refusals. */
function refused({ status, body, headers }: ContractAnswer, expected: number, code: string, text: RegExp): void {
  assert.deepEqual([status, body.code], [expected, code], JSON.stringify(body));
  assert.deepEqual(body, { error: body.error, code, statusCode: expected });
  assert.match(body.error, text);
  assert.equal(headers.get('content-type'), 'application/json');
}

test('400: an invalid body or missing required fields, each named', async () => {
  const client = await service.client('free');
  const wrong = { webhookUrl: 7, feedId: 'session.status', webhookMethod: 3, active: true };
  refused(
    await client.call('POST', '/webhooks', wrong),
    400,
    'invalid_body',
    /^"active" is not a known key \(known: [^)]*\); webhookUrl must be a text; webhookMethod must be one of post, put$/,
  );
  refused(await client.call('POST', '/webhooks', {}), 400, 'invalid_body', /webhookUrl is required/);
  refused(await client.call('POST', '/webhooks'), 400, 'invalid_body', /A JSON body is required/);
  refused(await client.call('POST', '/simulate/prepare', {}), 400, 'invalid_body', /sessionId is required/);
  refused(await client.call('GET', '/webhooks?limit=101&offset=-1'), 400, 'invalid_query', /limit .*100.*offset .*0/);
  const misspelt = await client.call('GET', '/webhooks?limitt=5');
  refused(misspelt, 400, 'invalid_query', /^"limitt" is not a known parameter \(known: limit, offset\)$/);
});

test('400: create with none of feedId, feedIds and subscriptions, or with more than one', async () => {
  const client = await service.client('free');
  const { webhookUrl } = HOOK;
  const selectors = /feedId, feedIds, subscriptions/;
  refused(await client.call('POST', '/webhooks', { webhookUrl }), 400, 'invalid_body', selectors);
  const two = { ...HOOK, feedIds: ['session.status'] };
  refused(await client.call('POST', '/webhooks', two), 400, 'invalid_body', selectors);
});

test('400 invalid_filters: unknown filter keys and wrong value types, every violation named', async () => {
  const client = await service.client('developer');
  const filters = { drivrs: ['VER'], drivers: 'VER', driverNumbers: [1], positions: { min: 'one', top: 3 } };
  const answer = await client.call('POST', '/webhooks', { ...HOOK, feedId: 'timing.data', filters });
  refused(answer, 400, 'invalid_filters', /drivrs/);
  for (const place of ['drivers', 'driverNumbers', 'positions.min', 'top']) {
    assert.ok(answer.body.error.includes(place), `${place} in: ${answer.body.error}`);
  }
});

test('400: malformed JSON, with the position of the error', async () => {
  const { token } = await service.client('free');
  for (const text of ['{', '{"webhookUrl":}', 'webhookUrl=x', '{"a":1}}']) {
    refused(await call('POST', '/webhooks', text, { token }), 400, 'invalid_json', /not valid JSON/);
  }
  const { body } = await call('POST', '/auth/login', '{"email":"a@example.com",}');
  assert.match(body.error, /at position 25/);
});

test('401: a missing or invalid Bearer token', async () => {
  refused(await call('GET', '/webhooks'), 401, 'unauthorized', /POST \/v1\/oauth/);
  refused(await call('GET', '/webhooks', undefined, { token: 'abc' }), 401, 'unauthorized', /bearer token/);
});

test('402: the plan has no room for another endpoint, or the feed needs a higher tier', async () => {
  const client = await service.client('free');
  for (let i = 0; i < 3; i++) await client.webhook();
  refused(
    await client.call('POST', '/webhooks', HOOK),
    402,
    'plan_limit_reached',
    /plan Free .* 3 endpoints: delete one/,
  );
  const live = { ...HOOK, feedIds: ['session.status', 'timing.data'], feedId: undefined };
  refused(
    await client.call('POST', '/webhooks', live),
    402,
    'tier_required',
    /timing\.data needs Developer or Custom; this account is on Free/,
  );
});

test('403: fantasy on Free, with the plans that have it', async () => {
  const client = await service.client('free');
  for (const path of ['races/2026-x/scores', `session/${SHORT_SESSION}/scores`, `session/${SHORT_SESSION}/pit-times`]) {
    const answer = await client.call('GET', `/fantasy/${path}`);
    refused(answer, 403, 'insufficient_tier', /needs Developer or Custom; this account is on Free/);
  }
});

test('403: an out-of-season session on a self-serve tier, while Custom may replay it', async () => {
  await sql`
    insert into session select (jsonb_populate_record(session, '{"session_id": "2018-old-race", "season": 2018}')).*
    from session where session_id = ${SHORT_SESSION}`;
  for (const plan of ['free', 'developer'] as const) {
    const client = await service.client(plan);
    refused(await client.call('GET', stream('2018-old-race')), 403, 'out_of_season', /season 2018.*season 2026/);
  }
  const custom = await service.client('custom');
  assert.equal((await custom.call('GET', stream('2018-old-race'))).body.code, 'not_prepared');
});

test('403: login before the email is verified', async () => {
  const email = someEmail();
  assert.equal((await call('POST', '/auth/signup', signUpBody(email))).status, 201);
  const answer = await call('POST', '/auth/login', { email, password: PASSWORD });
  refused(answer, 403, 'email_not_verified', /^Email must be verified before signing in/);
});

test('404: a resource that does not exist or belongs to another account', async () => {
  const [owner, other] = [await service.client('developer'), await service.client('developer')];
  const theirs = await owner.webhook();
  for (const webhookId of [theirs, `${theirs.slice(0, -1)}0`, 'wh_1', 'nonsense']) {
    for (const [method, path, body] of [
      ['GET', `/webhooks/${webhookId}/secret`],
      ['GET', `/webhooks/${webhookId}/logs`],
      ['PATCH', `/webhooks/${webhookId}`, { active: false }],
      ['PATCH', `/webhooks/${webhookId}/feeds/session.status`, { active: false }],
      ['POST', `/webhooks/${webhookId}/test`],
      ['POST', `/webhooks/${webhookId}/rotate-secret`],
      ['DELETE', `/webhooks/${webhookId}`],
    ] as const) {
      refused(await other.call(method, path, body), 404, 'not_found', /no such webhook endpoint/);
    }
  }
  refused(
    await owner.call('PATCH', `/webhooks/${theirs}/feeds/timing.data`, {}),
    404,
    'not_found',
    /does not subscribe/,
  );
  await prepare(owner);
  const runId = await replay(owner);
  refused(await other.call('GET', `/simulate/runs/${runId}`), 404, 'not_found', /no such run/);
  refused(await other.call('DELETE', `/simulate/stream?runId=${runId}`), 404, 'not_found', /no such run/);
  await owner.call('DELETE', `/simulate/stream?runId=${runId}`);
  for (const [method, path, body] of [
    ['GET', stream('2026-nothing')],
    ['GET', '/simulate/status?session=2026-nothing'],
    ['POST', '/simulate/prepare', { sessionId: '2026-nothing' }],
  ] as const) {
    refused(await owner.call(method, path, body), 404, 'not_found', /no such session: GET \/v1\/simulate\/sessions/);
  }
});

test('404: an unknown path, with a pointer to the documentation', async () => {
  for (const path of ['', '/', '/nothing', '/webhooks/', '/webhooks//logs', '/%zz']) {
    refused(await call('GET', path), 404, 'not_found', /\/docs/);
  }
});

test('405: a method that the path does not support, with Allow', async () => {
  const { token } = await service.client('free');
  for (const [method, path, allow] of [
    ['PUT', '/webhooks', 'POST, GET, HEAD, OPTIONS'],
    ['GET', '/oauth', 'POST, OPTIONS'],
    ['POST', '/simulate/stream', 'GET, DELETE, OPTIONS'],
  ] as const) {
    const answer = await call(method, path, method === 'GET' ? undefined : {}, { token });
    refused(answer, 405, 'method_not_allowed', new RegExp(`supports ${allow}`));
    assert.equal(answer.headers.get('allow'), allow);
  }
});

test('409: a session that is not prepared, or still being prepared, or a replay that is running', async () => {
  const client = await service.client('developer');
  refused(await client.call('GET', stream('demo-race')), 409, 'not_prepared', /POST \/v1\/simulate\/prepare/);
  // Preparing takes at least a few hundred milliseconds, the next request a few.
  const { body } = await client.call('POST', '/simulate/prepare', { sessionId: 'demo-race' });
  assert.equal(body.data.status, 'preparing');
  refused(await client.call('GET', stream('demo-race')), 409, 'preparing', /GET \/v1\/simulate\/status/);
  await prepare(client);
  await client.webhook();
  const runId = await replay(client);
  const second = await client.call('GET', stream(SHORT_SESSION));
  refused(second, 409, 'replay_running', /GET \/v1\/simulate\/runs .*DELETE \/v1\/simulate\/stream/);
  await client.call('DELETE', `/simulate/stream?runId=${runId}`);
});

test('413: a body over 64 KiB', async () => {
  const { token } = await service.client('free');
  const body = { ...HOOK, webhookUrl: `https://hooks.example.com/${'x'.repeat(65_536)}` };
  refused(await call('POST', '/webhooks', body, { token }), 413, 'body_too_large', /64 KiB/);
});

test('429: the lifetime simulate session cap is reached', async () => {
  const client = await service.client('free');
  await prepare(client);
  for (let slot = 1; slot <= 5; slot++) {
    await sql`insert into simulate_slot (account_id, session_id) values (${client.accountId}, ${`2026-race-${slot}`})`;
  }
  refused(await client.call('GET', stream(SHORT_SESSION)), 429, 'simulate_quota_reached', /sessions of this plan/);
});

test("429 rate_limit_exceeded: without a trusted proxy, auth limits count by the connection's address and ignore forwarding headers", async () => {
  let answer: ContractAnswer | undefined;
  for (let i = 1; i <= 4; i++) {
    const headers = { 'x-forwarded-for': `192.0.2.${i}`, 'x-real-ip': `192.0.2.${i}`, forwarded: `for=192.0.2.${i}` };
    answer = await call('POST', '/auth/resend-verification', { email: someEmail() }, { headers });
    if (i <= 3) assert.equal(answer.status, 200);
  }
  refused(answer!, 429, 'rate_limit_exceeded', /3 .* in 10 minutes: try again in \d+ seconds/);
  assert.match(answer!.headers.get('retry-after')!, /^\d+$/);
});

test('502 email_delivery_failed: when the mail of a sign-up fails, though the account exists', async () => {
  const email = someEmail();
  service.refuseMails('mailbox full');
  const answer = await call('POST', '/auth/signup', signUpBody(email));
  service.refuseMails(null);
  refused(answer, 502, 'email_delivery_failed', /POST \/v1\/auth\/resend-verification/);
  const login = await call('POST', '/auth/login', { email, password: PASSWORD });
  refused(login, 403, 'email_not_verified', /verified/);
});
