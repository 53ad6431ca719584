// The outline of a track, learned from the path of its cars.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Glide } from '#api/console/app/pages/theatre/panels/glide.ts';
import { fitted } from '#api/console/app/pages/theatre/panels/map-fit.ts';
import { OutlineLearner, type Point } from '#api/console/app/pages/theatre/panels/outline.ts';
import { TrackMap } from '#api/console/app/pages/theatre/panels/track-map.ts';
import { recorded } from '#test/racing/real-sessions.ts';
import { WITHOUT_RECORDINGS } from '#test/support/shared-data.ts';
import { madeUp, shownUpdates } from './shown-updates.ts';

/** A figure of eight, 4 km long: its straights cross, and a lap is not half of it. */
function onEight(metres: number): Point {
  const turn = (metres / 4_000) * 2 * Math.PI;
  return { x: 6_000 * Math.sin(turn) + 10_000, y: 5_500 * Math.sin(turn) * Math.cos(turn) };
}

const nearest = (point: Point, line: readonly Point[]): number =>
  Math.min(...line.map(({ x, y }) => Math.hypot(x - point.x, y - point.y)));

test('the outline is the path of a lap, also where the track crosses itself', () => {
  const learner = new OutlineLearner();
  for (let second = 0; second < 100; second++) {
    const { x, y } = onEight(second * 43);
    learner.take('1', x, y, true);
  }
  const { outline } = learner;
  assert.ok(outline !== null);
  for (let metres = 0; metres < 4_000; metres += 25)
    assert.ok(nearest(onEight(metres), outline) < 120, `${metres} m: ${nearest(onEight(metres), outline)}`);
});

test('a slower lap replaces the outline of a faster one, and then enough is known', () => {
  const learner = new OutlineLearner();
  for (let second = 0; second < 70; second++) learner.take('1', onEight(second * 60).x, onEight(second * 60).y, true);
  const fast = learner.outline!.length;
  for (let second = 0; second < 160; second++) learner.take('2', onEight(second * 27).x, onEight(second * 27).y, true);
  assert.ok(learner.outline!.length > 2 * fast);
  const { version } = learner;
  for (let second = 0; second < 400; second++) learner.take('3', onEight(second * 20).x, onEight(second * 20).y, true);
  assert.equal(learner.version, version);
});

test('cars that stand, are lost or drive no lap teach nothing', () => {
  const learner = new OutlineLearner();
  for (let second = 0; second < 500; second++) {
    learner.take('standing', 100, 100, true);
    learner.take('straight', second * 500, 0, true);
    // Lost in the middle of each lap.
    learner.take('lost', onEight(second * 43).x, onEight(second * 43).y, second % 50 !== 0);
  }
  assert.equal(learner.outline, null);
});

test('a recording shows its track: every car on it is near the outline', { skip: WITHOUT_RECORDINGS }, () => {
  const map = new TrackMap();
  const updates = shownUpdates(recorded('2025-mexico-qualifying')[0]!.timeline);
  const distances: number[] = [];
  let learnedAtMs = 0;
  for (const update of updates) {
    map.take(update);
    const { outline } = map.learner;
    if (outline === null || update.feed !== 'car.position') continue;
    learnedAtMs ||= update.atMs;
    if (update.sequence % 20 === 0)
      for (const car of map.cars()) if (car.isOnTrack) distances.push(nearest(car, outline));
  }
  const outline = map.learner.outline!;
  const metres = outline.reduce(
    (sum, { x, y }, index) => sum + Math.hypot(x - outline.at(index - 1)!.x, y - outline.at(index - 1)!.y) / 10,
    0,
  );
  // The circuit is 4,304 m long.
  assert.ok(Math.abs(metres - 4_304) < 130, `${metres} m`);
  assert.ok(outline.length <= 4 * 320);
  const sorted = distances.sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)]!;
  assert.ok(sorted.length > 500);
  assert.ok(median < 150, `median ${median / 10} m`);
  const first = updates.find(({ feed }) => feed === 'car.position')!;
  assert.ok(learnedAtMs - first.atMs < 30 * 60_000, `${(learnedAtMs - first.atMs) / 60_000} min`);
});

test('a car without a position leaves the map', () => {
  const map = new TrackMap();
  const driver = { number: '1', tla: 'VER', name: null, team: null, position: 1, status: 'on_track', z: 0 };
  map.take(madeUp('car.position', { drivers: [{ ...driver, x: 5, y: 6 }] }));
  assert.equal(map.carCount, 1);
  map.take(madeUp('car.position', { drivers: [{ ...driver, x: 0, y: 0 }] }));
  assert.equal(map.carCount, 0);
});

test('a dot moves to each sample in the time between two, and jumps where no car drives', () => {
  const glide = new Glide({ x: 0, y: 0 }, 0);
  glide.aim({ x: 100, y: 0 }, 1_000, 4_000);
  assert.deepEqual(glide.at(1_000), { x: 0, y: 0 });
  assert.deepEqual(glide.at(1_500), { x: 50, y: 0 });
  assert.equal(glide.isMoving(1_500), true);
  assert.deepEqual(glide.at(2_000), { x: 100, y: 0 });
  assert.equal(glide.isMoving(2_000), false);
  glide.aim({ x: 9_000, y: 0 }, 2_100, 4_000);
  assert.deepEqual(glide.at(2_100), { x: 9_000, y: 0 });
});

test('the map fills its canvas, turned if the track is upright', () => {
  const upright = [
    { x: 0, y: 0 },
    { x: 100, y: 1_000 },
  ];
  const fit = fitted(upright, { width: 1_020, height: 120 }, 10);
  assert.deepEqual(upright.map(fit), [
    { x: 10, y: 10 },
    { x: 1_010, y: 110 },
  ]);
});
