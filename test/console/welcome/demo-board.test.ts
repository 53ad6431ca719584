// The board of the first page over the real updates of the demo race.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DemoBoard } from '#api/console/app/pages/welcome/demo-board.ts';
import { deriveRace } from '#bench/load/race-slice.ts';

test('the board shows the order of the race at every update, each driver once', () => {
  const timeline = deriveRace('demo');
  const board = new DemoBoard();
  let shown = 0;
  for (let position = 0; position < timeline.length; position++) {
    board.take(timeline.feedId(position), Buffer.from(timeline.body(position)).toString());
    const rows = board.rows();
    assert.equal(new Set(rows.map(({ number }) => number)).size, rows.length);
    shown = Math.max(shown, rows.length);
  }
  assert.equal(shown, 10);
  assert.ok(board.laps > 0 && board.lap === board.laps);
  const rows = board.rows();
  assert.deepEqual(
    rows.map(({ position }) => position),
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  );
  for (const { code, colour, tyre, gap } of rows) {
    assert.match(gap, /^(|\+.*)$/, 'the leader has none');
    assert.match(code, /^[A-Z]{3}$/);
    assert.match(colour, /^#[0-9a-f]{6}$/i);
    assert.match(tyre, /^(SOFT|MEDIUM|HARD)$/);
  }
});

test('a colour that is none stays out of the page', () => {
  const board = new DemoBoard();
  const driver = { number: '1', tla: 'ABC', team: 'Team', position: 1, teamColor: 'url(x)' };
  board.take('timing.driver-info', JSON.stringify({ drivers: [driver] }));
  assert.equal(board.rows()[0]!.colour, 'transparent');
});
