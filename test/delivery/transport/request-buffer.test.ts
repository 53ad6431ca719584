import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { REQUEST_SLAB_BYTES } from '#engine/base/limits.ts';
import { RequestBuffer } from '#engine/delivery/transport/request-buffer.ts';

const bytesOf = (request: Uint8Array): string => Buffer.from(request).toString('latin1');

test('a request is its head and its body in one piece', () => {
  const buffer = new RequestBuffer();
  assert.equal(bytesOf(buffer.put('POST / HTTP/1.1\r\n\r\n', Buffer.from('{}'))), 'POST / HTTP/1.1\r\n\r\n{}');
  assert.equal(bytesOf(buffer.put('head', new Uint8Array())), 'head');
});

test('a kept request is never overwritten, whatever follows it and however large', () => {
  const size = fc.oneof(
    fc.nat(300),
    fc.constantFrom(0, 16_000, REQUEST_SLAB_BYTES - 4),
    fc.nat(3 * REQUEST_SLAB_BYTES),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(size, fc.boolean()), { minLength: 1, maxLength: 60 }), (requests) => {
      const buffer = new RequestBuffer();
      const kept: { readonly request: Uint8Array; readonly expected: Buffer }[] = [];
      for (const [i, [bodyBytes, keep]] of requests.entries()) {
        const body = Buffer.alloc(bodyBytes, i + 1);
        const request = buffer.put('head', body);
        const expected = Buffer.concat([Buffer.from('head'), body]);
        assert.ok(expected.equals(request));
        if (!keep) continue;
        buffer.keep();
        kept.push({ request, expected });
      }
      for (const { request, expected } of kept) assert.ok(expected.equals(request));
    }),
    { numRuns: 60 },
  );
});

test('requests that are not kept share the same memory', () => {
  const buffer = new RequestBuffer();
  const first = buffer.put('head', Buffer.alloc(100, 1));
  const second = buffer.put('head', Buffer.alloc(1_000, 2));
  assert.equal(second.buffer, first.buffer);
  assert.equal(second.byteOffset, first.byteOffset);
});
