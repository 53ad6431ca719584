import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { TimeHeap } from '#engine/base/time-heap.ts';

interface Item {
  readonly atMs: number;
}

const anyItems = fc.array(fc.record({ atMs: fc.integer({ min: 0, max: 50 }) }), { maxLength: 60 });

function heapOf(items: readonly Item[]): TimeHeap<Item> {
  const heap = new TimeHeap<Item>();
  for (const item of items) heap.add(item.atMs, item);
  return heap;
}

function taken(heap: TimeHeap<Item>, nowMs: number): number[] {
  const times: number[] = [];
  for (let item = heap.take(nowMs); item !== null; item = heap.take(nowMs)) times.push(item.atMs);
  return times;
}

const rising = (times: number[]): number[] => times.sort((a, b) => a - b);

test('what is due comes in the order of its time, and the rest stays', () => {
  fc.assert(
    fc.property(anyItems, fc.integer({ min: -1, max: 51 }), (items, nowMs) => {
      const heap = heapOf(items);
      const times = items.map(({ atMs }) => atMs);
      assert.equal(heap.firstMs, Math.min(...times));
      assert.deepEqual(taken(heap, nowMs), rising(times.filter((atMs) => atMs <= nowMs)));
      assert.equal(heap.size, times.filter((atMs) => atMs > nowMs).length);
      assert.deepEqual(taken(heap, 51), rising(times.filter((atMs) => atMs > nowMs)));
      assert.equal(heap.firstMs, Number.POSITIVE_INFINITY);
    }),
  );
});

test('what is removed never comes, wherever it stands; what is not there is removed without effect', () => {
  fc.assert(
    fc.property(anyItems, fc.nat(), fc.nat(), (items, first, second) => {
      const heap = heapOf(items);
      const gone = new Set<Item | undefined>([items[first % 60], items[second % 60]]);
      for (const item of gone) if (item !== undefined) heap.remove(item);
      heap.remove({ atMs: 7 });
      assert.deepEqual(taken(heap, 51), rising(items.filter((item) => !gone.has(item)).map(({ atMs }) => atMs)));
    }),
  );
});
