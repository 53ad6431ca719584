import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ByteReader } from '#engine/base/byte-reader.ts';
import { ByteWriter } from '#engine/base/byte-writer.ts';

test('any numbers, texts and bytes are read as they were written, and nothing is left', () => {
  const writer = new ByteWriter();
  const parts = fc.oneof(
    fc.record({ kind: fc.constant('number' as const), value: fc.oneof(fc.nat(), fc.maxSafeNat()) }),
    fc.record({ kind: fc.constant('signed' as const), value: fc.integer({ min: -(2 ** 52), max: 2 ** 52 - 1 }) }),
    fc.record({ kind: fc.constant('text' as const), value: fc.string({ unit: 'grapheme', maxLength: 300 }) }),
    fc.record({ kind: fc.constant('bytes' as const), value: fc.uint8Array({ maxLength: 90_000 }) }),
  );
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 30 }), (all) => {
      writer.clear();
      for (const part of all) {
        if (part.kind === 'number') writer.number(part.value);
        else if (part.kind === 'signed') writer.signed(part.value);
        else if (part.kind === 'text') writer.text(part.value);
        else writer.bytes(part.value);
      }
      const reader = new ByteReader(writer.view());
      for (const part of all) {
        if (part.kind === 'number') assert.equal(reader.number(), part.value);
        else if (part.kind === 'signed') assert.equal(reader.signed(), part.value);
        else if (part.kind === 'text') assert.equal(reader.text(), part.value);
        else assert.deepEqual(Buffer.from(reader.bytes(part.value.length)), Buffer.from(part.value));
      }
      assert.ok(reader.isAtEnd);
    }),
    { numRuns: 60 },
  );
});

test('small numbers take one byte, and a lone surrogate becomes U+FFFD', () => {
  const writer = new ByteWriter();
  writer.number(127);
  writer.signed(-64);
  assert.equal(writer.length, 2);
  writer.text('a\ud800');
  const reader = new ByteReader(writer.view(2));
  assert.equal(reader.text(), 'a\ufffd');
});

test('bytes that end too early are refused', () => {
  const writer = new ByteWriter();
  writer.text('abc');
  assert.throws(() => new ByteReader(writer.view().subarray(0, 3)).text(), /end too early/);
  assert.throws(() => new ByteReader(Uint8Array.of(128)).number(), /end within a number/);
});
