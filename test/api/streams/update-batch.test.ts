// The updates of a stream's next write.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UpdateBatch } from '#api/streams/update-batch.ts';

const [a, b, c] = ['a', 'b', 'c'].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer];

test('one update is sent as it is, several as one, and nothing of them again', () => {
  const batch = new UpdateBatch();
  batch.add(a);
  assert.equal(batch.take(), a);
  for (const update of [b, a, c]) batch.add(update);
  assert.equal(String(batch.take()), 'bac');
  batch.add(c);
  assert.equal(batch.take(), c);
});
