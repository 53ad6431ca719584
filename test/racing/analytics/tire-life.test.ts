import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TireLives } from '#engine/racing/analytics/tire-life.ts';
import { at } from '#test/racing/scripted-session.ts';
import { followRace } from './followed-race.ts';
import { SCRIPTED_NUMBERS, type ScriptedCar, scriptedRace } from './scripted-race.ts';

const TOTAL_LAPS = 50;
/** Prior: a medium lasts for 0.55 of a race. */
const EXPECTED = 0.55 * TOTAL_LAPS;

function livesAfter(laps: number, stops: (index: number) => ScriptedCar['stops'], flags: [number, string][] = []) {
  const cars = SCRIPTED_NUMBERS.map((number, index) => ({ number, seconds: 0, stops: stops(index) ?? {} }));
  const frames = [
    ...scriptedRace({ cars, laps, totalLaps: TOTAL_LAPS }),
    ...flags.map(([seconds, Status]) => at(seconds, 'TrackStatus', { Status })),
  ];
  return new TireLives(followRace(frames.sort((a, b) => a.utcMs - b.utcMs)), TOTAL_LAPS);
}

const none = () => ({});

test('before any stop, with young tires, the life is the prior', () => {
  const lives = livesAfter(5, none);
  assert.equal(lives.stints, 0);
  assert.ok(Math.abs(lives.life('MEDIUM').laps - EXPECTED) < 0.5, `${lives.life('MEDIUM').laps}`);
});

test('if all stints end early, the expected life of every compound shrinks', () => {
  const lives = livesAfter(22, () => ({ 18: 'HARD' }));
  assert.equal(lives.stints, SCRIPTED_NUMBERS.length);
  assert.ok(lives.life('MEDIUM').laps > 18 && lives.life('MEDIUM').laps < 22, `${lives.life('MEDIUM').laps}`);
  assert.ok(lives.life('HARD').laps > lives.life('MEDIUM').laps);
});

test('the first car to stop does not set the life for all: stints still running count too', () => {
  const lives = livesAfter(22, (index) => (index === 0 ? { 15: 'HARD' } : {}));
  assert.equal(lives.stints, 1);
  assert.ok(lives.life('MEDIUM').laps > 0.95 * EXPECTED, `${lives.life('MEDIUM').laps}`);
});

test('tires that outlast the expected life lengthen it, the more the longer they last', () => {
  const [long, longer] = [32, 42].map((laps) => livesAfter(laps, none).life('MEDIUM').laps);
  assert.ok(long! > EXPECTED * 1.15 && longer! > long! && longer! < 2 * EXPECTED, `${long} ${longer}`);
});

test('a stop behind the safety car only gives a lower bound for the life of the tires', () => {
  const stop = () => ({ 18: 'HARD' });
  const lives = livesAfter(22, stop, [
    [17 * 91, '4'],
    [20 * 91, '1'],
  ]);
  assert.equal(lives.stints, 0);
  assert.ok(lives.life('MEDIUM').laps >= EXPECTED);
});

test('stints that ended before the recording began count by their tire data', () => {
  const cars = SCRIPTED_NUMBERS.map((number) => ({ number, seconds: 0, stops: { 18: 'HARD' } }));
  const seen = scriptedRace({ cars, laps: 22, totalLaps: TOTAL_LAPS });
  const unseen = seen.filter(({ json }) => !json.includes('"InPit":true'));
  const [one, other] = [seen, unseen].map((frames) => new TireLives(followRace(frames), TOTAL_LAPS));
  assert.equal(other!.stints, one!.stints);
  // On the in-lap the tires have one lap less than the value reported afterwards.
  assert.ok(Math.abs(other!.life('MEDIUM').laps - one!.life('MEDIUM').laps) < 1.5);
});
