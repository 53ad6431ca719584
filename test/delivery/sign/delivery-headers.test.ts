import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type DeliveryContext,
  DeliveryHeaders,
  deliveryId,
  parseDeliveryId,
} from '#engine/delivery/sign/delivery-headers.ts';
import { Signer } from '#engine/delivery/sign/signer.ts';
import { headerLines } from '#test/support/header-lines.ts';

const context: DeliveryContext = {
  mode: 'replay',
  sessionId: '2018-azerbaijan-race',
  run: { runId: 'run_1', speed: 10 },
  headerPrefix: 'X-Service',
};
const signer = new Signer('whsec_c2VjcmV0', null);

function named(lines: string): Map<string, string> {
  assert.match(lines, /^([\w-]+: [^\r\n]*\r\n)+$/);
  return headerLines(lines);
}

test('a replay delivery carries every header of the interface', () => {
  const headers = named(
    new DeliveryHeaders(context).forAttempt(
      signer,
      'evt_0',
      'timing.data',
      12,
      2,
      new Uint8Array(3),
      1_700_000_000_999,
    ),
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
      'evt_0',
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
      'evt_0',
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
  const id = (sequence: number, webhookId = 'wh_1', run = context.run): string =>
    deliveryId(new DeliveryHeaders({ ...context, run }).idPrefix(webhookId), sequence);
  assert.equal(id(5), id(5));
  const ids = new Set([id(5), id(6), id(5, 'wh_2'), id(5, 'wh_1', { runId: 'run_2', speed: 10 })]);
  assert.equal(ids.size, 4);
  for (const id of ids) assert.match(id, /^evt_[0-9a-hjkmnp-tv-z]{26}$/);
});

test('a delivery id tells the sequence that it was made of', () => {
  const idPrefix = new DeliveryHeaders(context).idPrefix('wh_1');
  for (const sequence of [0, 1, 31, 32, 1_023, 1_024, 2 ** 20 - 1, 2 ** 20, 2 ** 30, 2 ** 31 - 1, 2 ** 32 - 1])
    assert.deepEqual(parseDeliveryId(deliveryId(idPrefix, sequence)), { idPrefix, sequence });
});

test('a value that would end its header line is refused before anything is signed', () => {
  for (const sessionId of ['2018\r\nX-Service-Mode: live', 'line\nfeed', 'caf\u00e9']) {
    assert.throws(
      () => new DeliveryHeaders({ ...context, sessionId }),
      /X-Service-Replay-Session fits into a header line/,
    );
  }
});
