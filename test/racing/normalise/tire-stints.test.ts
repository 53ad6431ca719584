import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Frame } from '#engine/racing/frame.ts';
import { at, updatesFrom } from '#test/racing/scripted-session.ts';

const FRESH = { Compound: 'HARD', New: 'true', TyresNotChanged: '0', TotalLaps: 0, StartLaps: 0 };
const TOLD = { stint: 1, compound: 'HARD', isNew: true, tiresChanged: true, totalLaps: 0, startLaps: 0 };

const app = (stints: unknown, seconds = 1): Frame => at(seconds, 'TimingAppData', { Lines: { 4: { Stints: stints } } });
const series = (stints: unknown, seconds = 1): Frame => at(seconds, 'TyreStintSeries', { Stints: { 4: stints } });

/** What is told of stints, in order. */
function told(...frames: Frame[]): unknown[] {
  return updatesFrom(frames, 'tire.stints').flatMap(({ drivers }) => drivers.flatMap(({ stints }) => stints));
}

/** The laps that are told, in order. */
function laps(...frames: Frame[]): unknown[] {
  return told(...frames).map((stint) => (stint as { totalLaps?: number }).totalLaps);
}

test('either topic tells stints alone', () => {
  assert.deepEqual(told(app([FRESH]), app({ 0: { TotalLaps: 1 } })), [TOLD, { stint: 1, totalLaps: 1 }]);
  assert.deepEqual(told(series([]), series({ 0: FRESH }), series({ 0: { TotalLaps: 1 } })), [
    TOLD,
    { stint: 1, totalLaps: 1 },
  ]);
});

test('what one topic told, the other does not tell again, whichever is first', () => {
  assert.deepEqual(told(app({ 0: FRESH }), series({ 0: FRESH })), [TOLD]);
  assert.deepEqual(told(series({ 0: FRESH }), app({ 0: FRESH })), [TOLD]);
  assert.deepEqual(told(app({ 0: { Compound: 'HARD' } }), series({ 0: { Compound: 'HARD', TotalLaps: 3 } })), [
    { stint: 1, compound: 'HARD' },
    { stint: 1, totalLaps: 3 },
  ]);
});

test('an echo of the past that comes late is not told, and a topic that overtakes the other is', () => {
  const lap = (TotalLaps: number) => ({ 0: { TotalLaps } });
  assert.deepEqual(laps(app(lap(4)), app(lap(5)), series(lap(4)), series(lap(5))), [4, 5]);
  assert.deepEqual(laps(app(lap(4)), series(lap(4)), series(lap(5)), app(lap(5)), app(lap(6))), [4, 5, 6]);
});

test('the topic that told a fact last may take it back', () => {
  const compound = (Compound: string) => ({ 0: { Compound } });
  const compounds = (...frames: Frame[]) => told(...frames).map((stint) => (stint as { compound: string }).compound);
  assert.deepEqual(compounds(app(compound('SOFT')), app(compound('HARD')), app(compound('SOFT'))), [
    'SOFT',
    'HARD',
    'SOFT',
  ]);
  assert.deepEqual(compounds(app(compound('SOFT')), series(compound('HARD')), series(compound('SOFT'))), [
    'SOFT',
    'HARD',
    'SOFT',
  ]);
});

test('stints and drivers are told apart', () => {
  assert.deepEqual(
    told(app({ 0: FRESH }), series({ 1: FRESH }), at(2, 'TyreStintSeries', { Stints: { 44: { 0: FRESH } } })),
    [TOLD, { ...TOLD, stint: 2 }, TOLD],
  );
});
