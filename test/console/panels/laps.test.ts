// Positions and gaps by lap, over the demo race and real recordings.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GapsByLap } from '#api/console/app/pages/theatre/panels/gaps-by-lap.ts';
import { drawnEntrants } from '#api/console/app/pages/theatre/panels/lap-chart.ts';
import { LapTable } from '#api/console/app/pages/theatre/panels/lap-table.ts';
import { PositionsByLap } from '#api/console/app/pages/theatre/panels/positions-by-lap.ts';
import { recorded } from '#test/racing/real-sessions.ts';
import { WITHOUT_RECORDINGS } from '#test/support/shared-data.ts';
import { demoUpdates, madeUp, shownUpdates } from './shown-updates.ts';

test('the demo race has a position for each driver on the grid and after each lap', () => {
  const fold = new PositionsByLap();
  for (const update of demoUpdates()) fold.take(update);
  assert.equal(fold.table.lastLap, 10);
  const drivers = drawnEntrants(fold);
  assert.equal(drivers.length, 20);
  const grid = drivers.map(({ number }) => fold.table.at(number, 0)).sort((a, b) => a! - b!);
  assert.deepEqual(
    grid,
    Array.from({ length: 20 }, (_, index) => index + 1),
  );
  // As the screen showed it when the car crossed the line.
  assert.equal(fold.table.at('9', 0), 1);
  assert.equal(fold.table.at('9', 3), 6);
  assert.equal(fold.table.at('9', 10), 6);
});

test('the gaps of the demo race are those at the line, and the leader has none', () => {
  const fold = new GapsByLap();
  for (const update of demoUpdates()) fold.take(update);
  assert.equal(fold.table.at('9', 3), 2.077);
  assert.equal(fold.table.at('9', 9), 5.29);
  const winner = drawnEntrants(fold)[0]!;
  assert.equal(winner.position, 1);
  assert.equal(fold.table.at(winner.number, 10), 0);
});

test("each team's second driver has the dashed line, and both its colour", () => {
  const fold = new PositionsByLap();
  for (const update of demoUpdates()) fold.take(update);
  const teams = Map.groupBy(fold.entrants.inOrder(), ({ team }) => team);
  for (const drivers of teams.values()) {
    assert.deepEqual(drivers.map(({ isSecond }) => isSecond).sort(), [false, true]);
    assert.match(drivers[0]!.colour!, /^[0-9A-F]{6}$/);
    assert.equal(drivers[0]!.colour, drivers[1]!.colour);
  }
});

test('the table of the timing source corrects positions', () => {
  const fold = new PositionsByLap();
  const driver = { number: '1', tla: 'VER', name: 'Max Verstappen', team: 'Red Bull', position: 2 };
  fold.take(madeUp('timing.data', { drivers: [{ ...driver, lapsCompleted: 5 }] }));
  assert.equal(fold.table.at('1', 5), 2);
  fold.take(
    madeUp('timing.lap-series', { drivers: [{ ...driver, lapPositions: [{ lapsCompleted: 5, position: 1 }] }] }),
  );
  assert.equal(fold.table.at('1', 5), 1);
});

test('a lapped car has its latest value, one that drives no more has none, and neither has the gap of a car that was lapped', () => {
  const table = new LapTable();
  for (const [number, laps] of [
    ['1', 20],
    ['2', 17],
    ['3', 16],
  ] as const)
    for (let lap = 1; lap <= laps; lap++) table.set(number, lap, Number(number), lap);
  assert.deepEqual(
    ['1', '2', '3', '4'].map((number) => table.latest(number)),
    [1, 2, null, null],
  );
  table.set('2', 18, null, 18);
  assert.equal(table.latest('2'), null);
});

test('in a race that is joined while it is interrupted, the order of the moment is not taken for the grid', () => {
  const fold = new PositionsByLap();
  const driver = { number: '1', tla: 'VER', name: 'Max Verstappen', team: 'Red Bull', position: 2 };
  fold.take(madeUp('session.status', { data: { status: 'inactive' } }));
  fold.take(madeUp('timing.data', { drivers: [driver] }));
  assert.equal(fold.table.at('1', 0), 2);
  fold.reset();
  fold.take({ ...madeUp('session.status', { data: { status: 'aborted' } }), isState: true });
  fold.take(madeUp('timing.data', { drivers: [driver] }));
  assert.equal(fold.table.at('1', 0), null);
});

test('a qualifying session has no chart by laps', () => {
  const fold = new PositionsByLap();
  assert.equal(fold.isRace, true);
  fold.take(madeUp('session.info', { data: { type: 'Qualifying' } }));
  assert.equal(fold.isRace, false);
  fold.reset();
  assert.equal(fold.isRace, true);
});

test('a lap that no race has is left out, and the table stays bounded', () => {
  const table = new LapTable();
  for (const lap of [-1, 0.5, 201, 1e9]) table.set('1', lap, 1, 0);
  assert.equal(table.lastLap, -1);
  for (let number = 0; number < 1_000; number++) table.set(String(number), 1, 1, 0);
  assert.equal(table.has('59'), true);
  assert.equal(table.has('60'), false);
});

test('a recorded sprint has positions and gaps after each lap', { skip: WITHOUT_RECORDINGS }, () => {
  const positions = new PositionsByLap();
  const gaps = new GapsByLap();
  for (const update of shownUpdates(recorded('2025-miami-sprint')[0]!.timeline)) {
    positions.take(update);
    gaps.take(update);
  }
  assert.equal(positions.isRace, true);
  assert.equal(positions.table.lastLap, 18);
  const winner = drawnEntrants(positions)[0]!;
  assert.equal(positions.table.at(winner.number, 18), 1);
  assert.equal(gaps.table.at(winner.number, 18), 0);
  const second = drawnEntrants(gaps)[1]!;
  assert.ok(gaps.table.at(second.number, 18)! > 0);
});
