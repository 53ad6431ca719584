import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureDerive } from '../../bench/load/derive.ts';

test('I7: the derive bench runs, and finds the same bytes in every round', () => {
  const rounds: string[] = [];
  const { recordings, differing } = measureDerive({
    recordings: null,
    rounds: 2,
    progress: (line) => rounds.push(line),
  });
  assert.equal(rounds.length, 2);
  assert.equal(differing, 0);
  const [demo] = recordings;
  assert.ok(demo!.frames > 1_000 && demo!.updates > 1_000 && demo!.bodyBytes > 100_000);
  assert.ok(demo!.ms.length === 2 && demo!.ms.every((ms) => ms > 0));
});
