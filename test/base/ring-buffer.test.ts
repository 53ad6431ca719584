import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RingBuffer } from '#engine/base/ring-buffer.ts';

test('a ring buffer returns its values in order, for any mix of pushes and shifts', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat(0xffffffff), { nil: null }), { maxLength: 400 }), (steps) => {
      const ring = new RingBuffer(64);
      const model: number[] = [];
      for (const step of steps) {
        if (step === null) {
          if (model.length > 0) assert.equal(ring.shift(), model.shift());
        } else if (!ring.full) {
          ring.push(step);
          model.push(step);
        }
        assert.equal(ring.length, model.length);
        if (model.length > 0) assert.equal(ring.peek(), model[0]);
      }
    }),
  );
});

test('I2: a full ring buffer refuses another value', () => {
  const ring = new RingBuffer(8);
  for (let i = 0; i < 8; i++) ring.push(i);
  assert.equal(ring.full, true);
  assert.throws(() => ring.push(8), /a full ring buffer accepts no value/);
});

test('an empty ring buffer has nothing to take', () => {
  assert.throws(() => new RingBuffer(8).shift(), /a value/);
});
