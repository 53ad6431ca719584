import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packed, packedElsewhere, unpacked } from '#engine/delivery/delivery-log/packed-bytes.ts';

test('bytes are unpacked as they were, and many equal ones take less room', async () => {
  for (const length of [0, 1, 511, 512, 100_000]) {
    const bytes = new Uint8Array(length).map((_, i) => (i % 7) * 3);
    for (const result of [packed(bytes), await packedElsewhere(bytes)]) {
      assert.deepEqual(Buffer.from(unpacked(result)), Buffer.from(bytes));
      assert.ok(length < 1_000 || result.length < length / 10);
    }
  }
});

test('bytes packed in an unknown way are refused', () => {
  assert.throws(() => unpacked(Uint8Array.of(9, 1, 2)), /in a way that is known, not 9/);
});
