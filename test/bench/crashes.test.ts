// test/e2e/crashes.test.ts runs the smallest size of this bench and checks its faults.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from '#bench/load/crashes.ts';

test('the crashes bench rejects invalid values with the name of the option', async () => {
  for (const [option, value] of [
    ['--kills', '0'],
    ['--mode', 'power'],
    ['--endpoints', '1.5'],
    ['--seed', 'x'],
  ] as const) {
    await assert.rejects(
      run([option, value], () => {}),
      new RegExp(`^Error: ${option}`),
    );
  }
});
