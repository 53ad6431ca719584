import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Frame } from '#engine/racing/frame.ts';
import { at, updatesFrom } from '#test/racing/scripted-session.ts';

const FRESH = { Compound: 'HARD', New: 'true', TyresNotChanged: '0', TotalLaps: 0, StartLaps: 0 };
const EMITTED = { stint: 1, compound: 'HARD', isNew: true, tiresChanged: true, totalLaps: 0, startLaps: 0 };

const app = (stints: unknown, seconds = 1): Frame => at(seconds, 'TimingAppData', { Lines: { 4: { Stints: stints } } });
const series = (stints: unknown, seconds = 1): Frame => at(seconds, 'TyreStintSeries', { Stints: { 4: stints } });

/** Returns the emitted stints, in order. */
function stintsFrom(...frames: Frame[]): unknown[] {
  return updatesFrom(frames, 'tire.stints').flatMap(({ drivers }) => drivers.flatMap(({ stints }) => stints));
}

/** Returns the emitted laps, in order. */
function laps(...frames: Frame[]): unknown[] {
  return stintsFrom(...frames).map((stint) => (stint as { totalLaps?: number }).totalLaps);
}

test('either topic makes updates without the other', () => {
  assert.deepEqual(stintsFrom(app([FRESH]), app({ 0: { TotalLaps: 1 } })), [EMITTED, { stint: 1, totalLaps: 1 }]);
  assert.deepEqual(stintsFrom(series([]), series({ 0: FRESH }), series({ 0: { TotalLaps: 1 } })), [
    EMITTED,
    { stint: 1, totalLaps: 1 },
  ]);
});

test('a value from one topic is not emitted again for the other, whichever comes first', () => {
  assert.deepEqual(stintsFrom(app({ 0: FRESH }), series({ 0: FRESH })), [EMITTED]);
  assert.deepEqual(stintsFrom(series({ 0: FRESH }), app({ 0: FRESH })), [EMITTED]);
  assert.deepEqual(stintsFrom(app({ 0: { Compound: 'HARD' } }), series({ 0: { Compound: 'HARD', TotalLaps: 3 } })), [
    { stint: 1, compound: 'HARD' },
    { stint: 1, totalLaps: 3 },
  ]);
});

test('a late echo is not emitted, and a newer value from the other topic is', () => {
  const lap = (TotalLaps: number) => ({ 0: { TotalLaps } });
  assert.deepEqual(laps(app(lap(4)), app(lap(5)), series(lap(4)), series(lap(5))), [4, 5]);
  assert.deepEqual(laps(app(lap(4)), series(lap(4)), series(lap(5)), app(lap(5)), app(lap(6))), [4, 5, 6]);
});

test('the topic that last set a value may set an earlier one again', () => {
  const compound = (Compound: string) => ({ 0: { Compound } });
  const compounds = (...frames: Frame[]) =>
    stintsFrom(...frames).map((stint) => (stint as { compound: string }).compound);
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

test('the same values of other stints and drivers are emitted, too', () => {
  assert.deepEqual(
    stintsFrom(app({ 0: FRESH }), series({ 1: FRESH }), at(2, 'TyreStintSeries', { Stints: { 44: { 0: FRESH } } })),
    [EMITTED, { ...EMITTED, stint: 2 }, EMITTED],
  );
});
