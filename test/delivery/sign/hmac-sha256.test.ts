import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { HmacSha256 } from '#engine/delivery/sign/hmac-sha256.ts';

test('RFC 4231: the published values', () => {
  const published: readonly (readonly [key: Buffer, data: Buffer, digest: string])[] = [
    [
      Buffer.alloc(20, 0x0b),
      Buffer.from('Hi There'),
      'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
    ],
    [
      Buffer.from('Jefe'),
      Buffer.from('what do ya want for nothing?'),
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    ],
    [
      Buffer.alloc(131, 0xaa),
      Buffer.from('Test Using Larger Than Block-Size Key - Hash Key First'),
      '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
    ],
  ];
  for (const [key, data, digest] of published) assert.equal(new HmacSha256(key).digest('', data, 'hex'), digest);
});

test('any key, head and body give the same digest as node:crypto, in succession and beyond the reused memory', () => {
  const texts = fc.stringMatching(/^[\x20-\x7e]{0,90}$/);
  const bodies = fc.oneof(
    fc.uint8Array({ maxLength: 600 }),
    fc.integer({ min: 65_000, max: 66_000 }).map((bytes) => new Uint8Array(bytes).fill(bytes)),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.uint8Array({ maxLength: 140 }), texts, bodies), { maxLength: 4 }), (all) => {
      const hmacs = all.map(([key]) => new HmacSha256(key));
      all.forEach(([key, head, body], i) => {
        for (const encoding of ['hex', 'base64'] as const) {
          const expected = createHmac('sha256', key).update(head).update(body).digest(encoding);
          assert.equal(hmacs[i]!.digest(head, body, encoding), expected);
        }
      });
    }),
  );
});
