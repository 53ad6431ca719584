import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DeliveryContext, DeliveryHeaders } from '#engine/sign/delivery-headers.ts';
import { Signer } from '#engine/sign/signer.ts';

const context: DeliveryContext = {
  mode: 'replay',
  webhookId: 'wh_1',
  sessionId: '2018-azerbaijan-race',
  run: { runId: 'run_1', speed: 10 },
  headerPrefix: 'X-Service',
};
const signer = new Signer('whsec_c2VjcmV0', null);

function named(headers: string): Map<string, string> {
  assert.match(headers, /^([\w-]+: [^\r\n]*\r\n)+$/);
  return new Map(
    headers
      .trimEnd()
      .split('\r\n')
      .map((line) => line.split(': ') as [string, string]),
  );
}

test('a replay delivery carries every header of the interface', () => {
  const headers = named(
    new DeliveryHeaders(context).forAttempt(signer, 'timing.data', 12, 2, new Uint8Array(3), 1_700_000_000_999),
  );
  assert.equal(headers.get('X-Service-Feed'), 'timing.data');
  assert.equal(headers.get('X-Service-Mode'), 'replay');
  assert.equal(headers.get('X-Service-Replay-Session'), '2018-azerbaijan-race');
  assert.equal(headers.get('X-Service-Replay-Run-Id'), 'run_1');
  assert.equal(headers.get('X-Service-Replay-Speed'), '10');
  assert.equal(headers.get('X-Service-Attempt'), '2');
  assert.match(headers.get('X-Service-Signature')!, /^sha256=[0-9a-f]{64}$/);
  assert.equal(headers.get('webhook-timestamp'), '1700000000');
  assert.equal(headers.get('webhook-id'), headers.get('X-Service-Delivery-Id'));
  assert.equal(headers.get('content-type'), 'application/json');
});

test('a test delivery carries no replay header', () => {
  const headers = named(
    new DeliveryHeaders({ ...context, mode: 'test', run: null }).forAttempt(
      signer,
      'lap.count',
      0,
      1,
      new Uint8Array(1),
      0,
    ),
  );
  assert.equal(headers.get('X-Service-Mode'), 'test');
  assert.deepEqual(
    [...headers.keys()].filter((name) => name.includes('Replay')),
    [],
  );
});

test('the operator may choose another header prefix', () => {
  const headers = named(
    new DeliveryHeaders({ ...context, headerPrefix: 'X-Race' }).forAttempt(
      signer,
      'lap.count',
      1,
      1,
      new Uint8Array(1),
      0,
    ),
  );
  assert.equal(headers.get('X-Race-Mode'), 'replay');
  assert.deepEqual(
    [...headers.keys()].filter((name) => name.startsWith('X-Service')),
    [],
  );
});

test('all attempts of one update share a delivery id; other updates, endpoints and runs have others', () => {
  const headers = new DeliveryHeaders(context);
  assert.equal(headers.deliveryId(5), new DeliveryHeaders({ ...context }).deliveryId(5));
  const ids = new Set([
    headers.deliveryId(5),
    headers.deliveryId(6),
    new DeliveryHeaders({ ...context, webhookId: 'wh_2' }).deliveryId(5),
    new DeliveryHeaders({ ...context, run: { runId: 'run_2', speed: 10 } }).deliveryId(5),
  ]);
  assert.equal(ids.size, 4);
  for (const id of ids) assert.match(id, /^evt_[0-9a-hjkmnp-tv-z]{26}$/);
});

test('a value that would end its line is refused before anything is signed', () => {
  for (const sessionId of ['2018\r\nX-Service-Mode: live', 'line\nfeed', 'caf\u00e9']) {
    assert.throws(
      () => new DeliveryHeaders({ ...context, sessionId }),
      /X-Service-Replay-Session fits into a header line/,
    );
  }
});
