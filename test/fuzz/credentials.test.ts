// Altered credentials: bearer tokens, client credentials, session cookies, links in mails, and the cursors and pages of
// lists. None gives access to another account, and none makes the API fail.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import type { Log } from '#engine/base/log.ts';
import { withApi } from '#test/support/api-harness.ts';
import { BEHIND_PROXY, mailedToken, member, post, signUpBody, someAddress, someEmail } from '#test/support/people.ts';
import { damagedBytes } from './damage.ts';
import { Cases, fuzzRuns } from './runs.ts';

const errors: unknown[] = [];
const log: Log = { info() {}, warn: (details) => errors.push(details), error: (details) => errors.push(details) };
const api = await withApi({ after }, { log, front: BEHIND_PROXY });
const ours = await api.client('custom');
const theirs = await api.client('custom');
const ourWebhook = await ours.webhook();
const theirWebhook = await theirs.webhook();

/** A header value that a client can send. */
const headerText = (bytes: Buffer): string => bytes.toString('latin1').replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '');
const damagedHeader = (...samples: string[]): fc.Arbitrary<string> => damagedBytes(samples).map(headerText);

test('an altered bearer token is refused and never opens another account', async (t) => {
  const cases = new Cases(t, 'tokens');
  const valid = `Bearer ${ours.token}`;
  const header = fc.oneof(
    { arbitrary: damagedHeader(valid), weight: 4 },
    fc.constantFrom(valid.toUpperCase(), `${valid}x`, `bearer  ${ours.token}`, ours.token, `Bearer ${ours.token}=`),
    fc.constantFrom(
      `Bearer ${ours.token},${theirs.token}`,
      `Bearer ${ours.clientSecret}`,
      `Basic ${ours.token}`,
      'Bearer null',
    ),
  );
  await fc.assert(
    fc.asyncProperty(header, async (authorization) => {
      const { status, body } = await api.call('GET', '/v1/webhooks', undefined, { authorization });
      cases.add(String(status));
      if (status === 200) {
        // Spaces and the case of the scheme do not matter.
        assert.ok(authorization.includes(ours.token), authorization);
        assert.deepEqual(
          body.data.endpoints.map(({ webhookId }: { webhookId: string }) => webhookId),
          [ourWebhook],
        );
      } else {
        assert.deepEqual([status, body.code, body.statusCode], [401, 'unauthorized', 401], authorization);
      }
    }),
    fuzzRuns(80),
  );
});

test('altered client credentials get no token, whether sent as Basic, form or JSON', async (t) => {
  const cases = new Cases(t, 'credentials');
  const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  const secret = fc.oneof(
    damagedHeader(ours.clientSecret),
    fc.constantFrom(
      theirs.clientSecret,
      '',
      ours.clientSecret.toUpperCase(),
      `${ours.clientSecret} `,
      ours.token,
      '\u00e9:',
    ),
  );
  const id = fc.oneof(fc.constant(ours.clientId), damagedHeader(ours.clientId));
  const way = fc.constantFrom('basic', 'json', 'form', 'mangled');
  await fc.assert(
    fc.asyncProperty(id, secret, way, damagedHeader(basic(ours.clientId, ours.clientSecret)), async (...given) => {
      const [clientId, clientSecret, how, mangled] = given;
      const grant = { grant_type: 'client_credentials' };
      const fields = { ...grant, client_id: clientId, client_secret: clientSecret };
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      const { status, body } =
        how === 'json'
          ? await api.call('POST', '/v1/oauth', fields)
          : how === 'form'
            ? await api.call('POST', '/v1/oauth', new URLSearchParams(fields).toString(), form)
            : await api.call('POST', '/v1/oauth', new URLSearchParams(grant).toString(), {
                ...form,
                authorization: how === 'basic' ? basic(clientId, clientSecret) : mangled,
              });
      cases.add(String(status));
      const isRight =
        how === 'mangled' ? opens(mangled) : clientId === ours.clientId && clientSecret === ours.clientSecret;
      if (status === 200) assert.ok(isRight, JSON.stringify(given));
      else assert.ok(status === 401 || status === 400, `${status} ${JSON.stringify(body)}`);
    }),
    fuzzRuns(80),
  );
});

/** Whether the header still holds the right credentials, in another form of base64. */
function opens(header: string): boolean {
  const decoded = Buffer.from(header.replace(/^\S+\s+/, ''), 'base64').toString();
  return decoded.includes(ours.clientId) && decoded.includes(ours.clientSecret);
}

test('an altered session cookie signs nobody in', async (t) => {
  const cases = new Cases(t, 'cookies');
  const { headers } = await member(api);
  const valid = headers.cookie;
  const cookie = fc.oneof(
    { arbitrary: damagedHeader(valid), weight: 3 },
    fc.constantFrom(
      `${valid}=`,
      `x=1; ${valid.replace('session', 'Session')}`,
      `session=${ours.token}`,
      `session="${valid}"`,
    ),
  );
  await fc.assert(
    fc.asyncProperty(cookie, async (altered) => {
      const { status, body } = await post(api, '/oauth/credentials', undefined, { cookie: altered });
      cases.add(String(status));
      if (status === 200) assert.ok(altered.includes(valid.split('=')[1]!), altered);
      else assert.deepEqual([status, body.code], [401, 'not_signed_in'], altered);
    }),
    fuzzRuns(80),
  );
});

test('an altered link from a mail confirms no account', async (t) => {
  const cases = new Cases(t, 'links');
  const email = someEmail();
  assert.equal((await post(api, '/auth/signup', signUpBody(email))).status, 201);
  const valid = await mailedToken(api, email);
  const token = fc
    .oneof(
      damagedBytes([valid]).map((bytes) => bytes.toString()),
      fc.constantFrom('', valid.toLowerCase(), `${valid} `, ours.token),
    )
    .filter((altered) => altered !== valid);
  await fc.assert(
    fc.asyncProperty(token, async (altered) => {
      const preview = await api.call('GET', `/v1/auth/verify-email?token=${encodeURIComponent(altered)}`);
      assert.ok(preview.status === 200 || preview.status === 400, `${preview.status}`);
      if (preview.status === 200) assert.equal(preview.body.data.valid, false, altered);
      const { status } = await post(api, '/auth/verify-email', { token: altered });
      cases.add(String(status));
      assert.equal(status, 400, altered);
    }),
    fuzzRuns(50),
  );
  const { status } = await post(api, '/auth/verify-email', { token: valid });
  assert.equal(status, 200, 'the original link still works');
});

const oddNumber = fc.oneof(
  fc.constantFrom(
    '-1',
    '0',
    '1e3',
    '0x10',
    '1.5',
    '١',
    ' 1',
    '1 ',
    '+1',
    'NaN',
    'Infinity',
    '2147483648',
    '-0',
    '00',
    '',
  ),
  fc.constantFrom('9007199254740993', '99999999999999999999', '1,2', 'null', '[]', '%00'),
  fc.integer({ min: -5, max: 600 }).map(String),
  fc.string({ maxLength: 6 }),
);

test('any cursor or page shows an account only its own data', async (t) => {
  const cases = new Cases(t, 'questions');
  const cursor = Buffer.alloc(8);
  cursor.writeBigInt64BE(2n ** 62n);
  const valid = cursor.toString('base64url');
  const cursors = fc.oneof(
    damagedBytes([valid]).map((bytes) => bytes.toString()),
    fc.bigInt(0n, 2n ** 64n - 1n).map((number) => {
      const bytes = Buffer.alloc(8);
      bytes.writeBigUInt64BE(number);
      return bytes.toString('base64url');
    }),
  );
  const question = fc.oneof(
    fc.tuple(cursors, oddNumber).map(([next, limit]) => {
      return `/v1/webhooks/${ourWebhook}/logs?cursor=${encodeURIComponent(next.toWellFormed())}&limit=${encodeURIComponent(limit)}`;
    }),
    fc.tuple(oddNumber, oddNumber).map(([limit, offset]) => {
      return `/v1/webhooks?limit=${encodeURIComponent(limit)}&offset=${encodeURIComponent(offset)}`;
    }),
    // Another account's endpoint does not exist, in any spelling.
    damagedBytes([theirWebhook, theirWebhook, theirWebhook.toUpperCase()]).map(
      (bytes) => `/v1/webhooks/${encodeURIComponent(bytes.toString())}/secret`,
    ),
    fc.constantFrom(
      `/v1/webhooks/${theirWebhook}/logs`,
      `/v1/webhooks/${theirWebhook}%00/secret`,
      `/v1/webhooks/${theirWebhook}/secret`,
    ),
  );
  await fc.assert(
    fc.asyncProperty(question, async (path) => {
      const { status, body } = await ours.call('GET', path);
      cases.add(String(status));
      assert.ok([200, 400, 404].includes(status), `${status} ${path} ${JSON.stringify(body)}`);
      const text = JSON.stringify(body.data ?? {});
      assert.ok(!text.includes(theirWebhook) && !text.includes('webhookSecret'), `${path}: ${text}`);
    }),
    fuzzRuns(150),
  );
  assert.equal((await api.call('GET', '/v1/feeds', undefined, { 'x-forwarded-for': someAddress() })).status, 401);
  assert.deepEqual(errors, []);
});
