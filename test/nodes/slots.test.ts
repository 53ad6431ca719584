import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { NODE_SLOTS_MAX } from '#engine/base/limits.ts';
import { dealtOut, slotOf, surplus } from '#engine/nodes/slots.ts';

const owners = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: NODE_SLOTS_MAX, maxLength: NODE_SLOTS_MAX });

test('a key belongs to the same slot for ever', () => {
  assert.deepEqual(['acc_01m8fyz8zj90x36kmv3sywvgbr', '127.0.0', ''].map(slotOf), [103, 65, 66]);
});

test('the slots of a node that is gone go to the others, the poorest first, and no other slot moves', () => {
  fc.assert(
    fc.property(owners, (before) => {
      const after = dealtOut(before, 1, [2, 3, 4]);
      for (const [slot, owner] of before.entries()) {
        if (owner === 1) assert.ok([2, 3, 4].includes(after[slot]!));
        else assert.equal(after[slot], owner);
      }
      // Nobody that was given one has more than one slot more than another.
      const count = (list: readonly number[], node: number) => list.filter((owner) => owner === node).length;
      for (const rich of [2, 3, 4]) {
        if (count(after, rich) === count(before, rich)) continue;
        for (const poor of [2, 3, 4]) assert.ok(count(after, rich) <= count(after, poor) + 1);
      }
    }),
  );
  assert.deepEqual(dealtOut([1, 1, 2], 1, []), [0, 0, 2]);
});

test('each node gives away what it has too much of, once, and then all have as many', () => {
  fc.assert(
    fc.property(owners, (dealt) => {
      const before = dealt.map((owner) => Math.max(owner, 1));
      const nodes = [1, 2, 3, 4];
      const after = [...before];
      for (const node of nodes)
        for (const [to, slots] of surplus(before, node, nodes))
          for (const slot of slots) {
            assert.equal(before[slot], node);
            assert.equal(after[slot], node, 'a slot is given once');
            after[slot] = to;
          }
      const counts = nodes.map((node) => after.filter((owner) => owner === node).length);
      assert.ok(Math.max(...counts) - Math.min(...counts) <= 1, counts.join());
    }),
  );
});
