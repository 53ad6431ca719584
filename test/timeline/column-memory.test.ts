import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TIMELINE_BODY_BYTES_MAX, TIMELINE_UPDATES_MAX } from '#engine/base/limits.ts';
import { GrowingColumns } from '#engine/timeline/column-memory.ts';

test('a timeline gets as many updates and bytes as its limits say, and no more in the room that is left', () => {
  const memory = new GrowingColumns();
  let columns = memory.reserve(1, 0, 0);
  while (columns.dueMs.length < TIMELINE_UPDATES_MAX) columns = memory.reserve(columns.dueMs.length + 1, 0, 0);
  memory.reserve(TIMELINE_UPDATES_MAX, 0, 0);
  assert.throws(() => memory.reserve(TIMELINE_UPDATES_MAX + 1, 0, 0), /at most 4000000 updates/);
  assert.throws(() => memory.reserve(1, 0, TIMELINE_BODY_BYTES_MAX + 1), /within their bound/);
});
