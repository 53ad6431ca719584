// The order of streams that wait for a turn.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { StreamSeat, TurnQueue } from '#engine/delivery/stream/turn-queue.ts';
import type { UpdateStream } from '#engine/delivery/stream/update-stream.ts';

const SEATS = 40;

test('a seat is in at most one queue, and turns come in order even when other seats leave', () => {
  const step = fc.record({
    kind: fc.constantFrom('push', 'push', 'push', 'remove', 'shift'),
    queue: fc.nat(1),
    seat: fc.nat(SEATS - 1),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const seats = Array.from({ length: SEATS }, () => new StreamSeat({} as UpdateStream));
      const queues = [new TurnQueue(), new TurnQueue()];
      const expected: StreamSeat[][] = [[], []];
      const without = (seat: StreamSeat): void => {
        for (const [index, queue] of expected.entries()) expected[index] = queue.filter((other) => other !== seat);
      };
      for (const { kind, queue, seat: index } of steps) {
        const seat = seats[index]!;
        if (kind === 'shift') {
          assert.equal(queues[queue]!.shift(), expected[queue]!.shift() ?? null);
        } else if (kind === 'remove') {
          seat.queue?.remove(seat);
          without(seat);
        } else {
          queues[queue]!.push(seat);
          if (!expected[queue]!.includes(seat)) {
            without(seat);
            expected[queue]!.push(seat);
          }
        }
        assert.deepEqual(
          queues.map(({ size }) => size),
          expected.map(({ length }) => length),
        );
      }
      for (const [index, queue] of queues.entries())
        for (const seat of [...expected[index]!, null]) assert.equal(queue.shift(), seat);
    }),
    { numRuns: 200 },
  );
});
