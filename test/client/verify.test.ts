import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { SlipstreamError } from '#api/client/slipstream-error.ts';
import { verify } from '#api/client/verify.ts';
import { Signer } from '#engine/delivery/sign/signer.ts';
import { forgedDeliveries, genuineDeliveries, newSecret, signed } from '#test/support/signed-deliveries.ts';

const secret = newSecret();

function codeOf(attempt: () => unknown): string {
  try {
    attempt();
  } catch (error) {
    assert.ok(error instanceof SlipstreamError, inspect(error));
    assert.ok(!inspect(error).includes(secret));
    return error.code;
  }
  return 'accepted';
}

test('genuine deliveries are accepted, also those signed with two secrets during a rotation', () => {
  for (const [what, { headers, body }] of Object.entries(genuineDeliveries(secret))) {
    const { deliveryId, payload } = verify(headers, body, secret);
    assert.equal(deliveryId, headers['webhook-id'], what);
    assert.deepEqual(payload, JSON.parse(body.toString()), what);
  }
});

test('anything else is refused with the reason', () => {
  const codes = Object.entries(forgedDeliveries(secret)).map(([what, { headers, body }]) => [
    what,
    codeOf(() => verify(headers, body, secret)),
  ]);
  assert.deepEqual(Object.fromEntries(codes), {
    'an altered body': 'wrong_signature',
    'a longer body': 'wrong_signature',
    'wrong secrets': 'wrong_signature',
    'an old timestamp': 'wrong_time',
    'a timestamp to come': 'wrong_time',
    'an old delivery with a new time': 'wrong_signature',
    'a timestamp that is no number': 'wrong_time',
    'no timestamp': 'invalid_delivery',
    'a wrong first signature': 'wrong_signature',
    'a first signature without its name': 'wrong_signature',
    'no first signature': 'invalid_delivery',
    'a wrong second signature': 'wrong_signature',
    'no second signature': 'invalid_delivery',
    'the start of the second signature': 'wrong_signature',
    'another id': 'wrong_signature',
    'no headers at all': 'invalid_delivery',
  });
});

test('a receiver that knows the old and the new secret accepts what either has signed, and no mixture', () => {
  const [old, other] = [newSecret(), newSecret()];
  for (const one of [old, secret]) {
    const { headers, body } = signed(12, new Signer(one, null));
    assert.equal(
      codeOf(() => verify(headers, body, [old, secret])),
      'accepted',
    );
    assert.equal(
      codeOf(() => verify(headers, body, [other])),
      'wrong_signature',
    );
  }
  const [byOld, byNew] = [signed(12, new Signer(old, null)), signed(12, new Signer(secret, null))];
  const mixed = { ...byOld.headers, 'webhook-signature': byNew.headers['webhook-signature']! };
  assert.equal(
    codeOf(() => verify(mixed, byOld.body, [old, secret])),
    'wrong_signature',
  );
});

test('headers are those of node:http, of fetch or of any framework, and the body bytes or text', () => {
  const { headers, body } = signed(12, new Signer(secret, null), Date.now(), 'Müller 🏁');
  const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]));
  for (const given of [headers, lower, upper, new Headers(headers)]) {
    for (const form of [body, new Uint8Array(body), body.toString()]) {
      assert.deepEqual(verify(given, form, secret), {
        deliveryId: headers['webhook-id'],
        attempt: 1,
        mode: 'replay',
        runId: 'run_1',
        payload: JSON.parse(body.toString()),
      });
    }
  }
});

test('the age that is accepted and the names of the headers can be set', () => {
  const { headers, body } = signed(12, new Signer(secret, null), Date.now() - 100_000);
  assert.equal(
    codeOf(() => verify(headers, body, secret, { toleranceS: 60 })),
    'wrong_time',
  );
  assert.equal(
    codeOf(() => verify(headers, body, secret, { toleranceS: 200 })),
    'accepted',
  );
  const renamed = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.replace('X-Service', 'X-Race'), value]),
  );
  assert.equal(
    codeOf(() => verify(renamed, body, secret)),
    'invalid_delivery',
  );
  assert.equal(verify(renamed, body, secret, { headerPrefix: 'X-Race' }).mode, 'replay');
});

test('a secret that is none is a mistake of the program, never a key', () => {
  const { headers, body } = signed(12, new Signer(secret, null));
  for (const wrong of ['', 'whsec_', 'whsec_%%%', secret.slice(6), [], [secret, '']]) {
    assert.throws(() => verify(headers, body, wrong), TypeError);
  }
});
