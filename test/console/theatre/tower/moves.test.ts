// How rows of the tower slide to their places.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { movesOf } from '#api/console/app/pages/theatre/tower/moves.ts';

test('rows that change places slide from where they were, and new ones do not', () => {
  const before = new Map([
    ['1', 0],
    ['44', 1],
    ['16', 2],
  ]);
  assert.deepEqual(movesOf(before, ['44', '1', '16', '4']), [
    ['44', 1],
    ['1', -1],
  ]);
});
