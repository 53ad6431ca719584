import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Line } from '#api/http/line.ts';

test('what waits is taken in order, also while more comes', () => {
  const line = new Line<string>();
  const taken: string[] = [];
  for (let number = 0; number < 10_000; number++) {
    line.push(`${number} a`);
    line.push(`${number} b`);
    assert.equal(line.first(), line.first());
    taken.push(line.take());
  }
  assert.equal(line.length, 10_000);
  while (line.length > 0) taken.push(line.take());
  assert.deepEqual(taken, Array.from({ length: 10_000 }, (_, number) => [`${number} a`, `${number} b`]).flat());
});

test('nothing can be taken from an empty line', () => {
  assert.throws(() => new Line<string>().take(), /something waits/);
});

test('what was taken is let go of, also while the line never becomes empty', () => {
  const line = new Line<ArrayBuffer>();
  const before = process.memoryUsage().arrayBuffers;
  line.push(new ArrayBuffer(1_024));
  for (let number = 0; number < 200_000; number++) {
    line.push(new ArrayBuffer(1_024));
    line.take();
  }
  assert.ok(process.memoryUsage().arrayBuffers - before < 100 * 1_024 * 1_024);
  assert.equal(line.length, 1);
});
