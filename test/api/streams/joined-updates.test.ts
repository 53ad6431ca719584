// Updates that streams send at once, joined.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JoinedUpdates } from '#api/streams/joined-updates.ts';

const events = (...texts: readonly string[]): Uint8Array[] => texts.map((text) => Buffer.from(text));

test('streams that send the same updates share one result, others have their own', () => {
  const joined = new JoinedUpdates();
  const [a, b, c] = events('a', 'b', 'c') as [Uint8Array, Uint8Array, Uint8Array];
  const first = joined.join([a, b]);
  assert.equal(String(first), 'ab');
  assert.equal(joined.join([a, b]), first);
  for (const [other, text] of [
    [[b, a], 'ba'],
    [[a, b, c], 'abc'],
    [[a, c], 'ac'],
    [events('a', 'c'), 'ac'],
  ] as const) {
    assert.equal(String(joined.join(other)), text);
  }
  assert.equal(String(first), 'ab');
});
