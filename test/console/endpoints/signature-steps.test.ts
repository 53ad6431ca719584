// The signatures that the console computes in the page.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkSignatures } from '#api/console/app/pages/endpoints/signature-steps.ts';
import { Signer } from '#engine/delivery/sign/signer.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OLD_SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
const BODY = '{"feed":"lap.count","name":"Çağrı <img src=x>"}';
const ID = 'evt_1';
const AT_MS = 1_795_468_475_000;
const AT = String(AT_MS / 1_000);

function sentBy(signer: Signer): Record<string, string | null> {
  const bytes = Buffer.from(BODY);
  return {
    host: 'example.org',
    'X-Service-Signature': signer.signature(bytes),
    'X-Service-Signature-Previous': signer.previousSignature(bytes, AT_MS),
    'webhook-id': ID,
    'webhook-timestamp': AT,
    'webhook-signature': signer.standardSignature(ID, AT, bytes, AT_MS),
  };
}

test('both signatures are those that the engine makes', async () => {
  const checks = await checkSignatures({ headers: sentBy(new Signer(SECRET, null)), body: BODY }, SECRET);
  assert.deepEqual(
    checks.map(({ scheme, matches, keyBytes }) => [scheme, matches, keyBytes]),
    [
      ['service', true, 50],
      ['standard', true, 32],
    ],
  );
  assert.equal(checks[1]!.before, `${ID}.${AT}.`);
  assert.equal(checks[0]!.bodyBytes, Buffer.byteLength(BODY));
});

test('after a rotation either secret is recognised', async () => {
  const headers = sentBy(new Signer(SECRET, { secret: OLD_SECRET, untilMs: AT_MS + 1 }));
  for (const secret of [SECRET, OLD_SECRET]) {
    const checks = await checkSignatures({ headers, body: BODY }, secret);
    assert.deepEqual(
      checks.map(({ matches }) => matches),
      [true, true],
    );
  }
});

test('another secret, another body or another prefix of the headers is told apart', async () => {
  const headers = sentBy(new Signer(SECRET, null));
  const wrong = async (body: string, secret: string) =>
    (await checkSignatures({ headers, body }, secret)).map(({ matches }) => matches);
  assert.deepEqual(await wrong(BODY, OLD_SECRET), [false, false]);
  assert.deepEqual(await wrong(`${BODY} `, SECRET), [false, false]);
  const { 'X-Service-Signature': signature, ...rest } = headers;
  const [own] = await checkSignatures({ headers: { ...rest, 'X-Race-Signature': signature! }, body: BODY }, SECRET);
  assert.equal(own!.header, 'X-Race-Signature');
  assert.equal(own!.matches, true);
});

test('a header that is not known matches nothing', async () => {
  const headers = { 'X-Service-Signature': null, 'webhook-signature': null };
  const checks = await checkSignatures({ headers, body: BODY }, SECRET);
  assert.deepEqual(
    checks.map(({ matches, sent }) => [matches, sent]),
    [
      [false, []],
      [false, []],
    ],
  );
});
