import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { DeliveryHeaders } from '#engine/delivery/sign/delivery-headers.ts';
import { Signer } from '#engine/delivery/sign/signer.ts';
import { headerLines } from '#test/support/header-lines.ts';

const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;
const body = new TextEncoder().encode('{"feed":"timing.data","name":"Pérez"}');

test('I6: the signature is the hex HMAC-SHA256 of the raw bytes, keyed with the whole secret text', () => {
  const secret = newSecret();
  const expected = createHmac('sha256', secret).update(body).digest('hex');
  assert.equal(new Signer(secret, null).signature(body), `sha256=${expected}`);
});

test('I6: bytes in shared memory are signed in place', () => {
  const shared = new Uint8Array(new SharedArrayBuffer(body.length));
  shared.set(body);
  const signer = new Signer('whsec_c2VjcmV0', null);
  assert.equal(signer.signature(shared), signer.signature(body));
});

test('a Standard Webhooks library verifies a delivery', () => {
  const secret = newSecret();
  const wallMs = Date.now();
  const headers = new DeliveryHeaders({
    mode: 'replay',
    sessionId: 's',
    run: { runId: 'run_1', speed: 10 },
    headerPrefix: 'X-Service',
  });
  const lines = headers.forAttempt(
    new Signer(secret, null),
    headers.idPrefix('wh_1'),
    'timing.data',
    7,
    1,
    body,
    wallMs,
  );
  const named = Object.fromEntries([...headerLines(lines)].map(([name, value]) => [name.toLowerCase(), value]));
  assert.deepEqual(
    new Webhook(secret).verify(Buffer.from(body).toString(), named),
    JSON.parse(Buffer.from(body).toString()),
  );
  assert.throws(() => new Webhook(newSecret()).verify(Buffer.from(body).toString(), named));
});

test('for 24 hours after a rotation the old secret signs as well, then no more', () => {
  const old = newSecret();
  const current = newSecret();
  const nowMs = Date.now();
  const id = 'evt_1';
  const timestamp = String(Math.floor(nowMs / 1000));
  const signer = new Signer(current, { secret: old, untilMs: nowMs + 1 });
  const headers = (wallMs: number) => ({
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signer.standardSignature(id, timestamp, body, wallMs),
  });
  const text = Buffer.from(body).toString();
  assert.ok(new Webhook(old).verify(text, headers(nowMs)));
  assert.ok(new Webhook(current).verify(text, headers(nowMs)));
  assert.throws(() => new Webhook(old).verify(text, headers(nowMs + 1)));
  assert.ok(new Webhook(current).verify(text, headers(nowMs + 1)));
});

test('I6: for 24 hours after a rotation a header of its own carries the signature of the old secret over the body', () => {
  const [old, current] = [newSecret(), newSecret()];
  const nowMs = Date.now();
  const signer = new Signer(current, { secret: old, untilMs: nowMs + 1 });
  const headers = new DeliveryHeaders({ mode: 'live', sessionId: 's', run: null, headerPrefix: 'X-Service' });
  const named = (wallMs: number, by = signer): ReadonlyMap<string, string> =>
    headerLines(headers.forAttempt(by, headers.idPrefix('wh_1'), 'timing.data', 7, 1, body, wallMs));
  const signed = (secret: string): string => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  assert.equal(named(nowMs).get('X-Service-Signature-Previous'), signed(old));
  assert.equal(named(nowMs).get('X-Service-Signature'), signed(current), 'the other one is as ever');
  assert.equal(named(nowMs + 1).has('X-Service-Signature-Previous'), false);
  assert.equal(named(nowMs, new Signer(current, null)).has('X-Service-Signature-Previous'), false);
});
