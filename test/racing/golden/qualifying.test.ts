// The golden qualifying: three parts, a deleted lap, an interruption, and what the model makes of it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordedOutcome } from '#engine/racing/derive/recorded-outcome.ts';
import { F1 } from '#engine/racing/series/f1.ts';
import { driver } from './entrants.ts';
import { QUALIFYING } from './golden-sessions.ts';
import { EVENTS, PAYLOADS } from './qualifying-told.ts';
import { contentAt, eventRows, told } from './told.ts';

// biome-ignore lint/suspicious/noExplicitAny: contents of many shapes, which the schemas describe.
type Told = any;

const oddsAt = (seconds: number): Told => contentAt(QUALIFYING, 'analytics.qualifying', seconds);
const carAt = (seconds: number, number: string): Told =>
  oddsAt(seconds).drivers.find((one: Told) => one.number === number);

test('qualifying tells these events: when, what, of whom', () => {
  assert.deepEqual(eventRows(QUALIFYING), EVENTS.split('\n'));
});

for (const { feed, seconds, content } of PAYLOADS) {
  test(`${feed} at ${seconds} s tells all that changed, and nothing else`, () => {
    assert.deepEqual(contentAt(QUALIFYING, feed, seconds), content);
  });
}

test('each part has its own bests: of every lap in earnest that was faster than the one before', () => {
  const bests = told(QUALIFYING, 'events.race').filter(({ event }) => event === 'personal_best');
  const of = (tla: string) =>
    bests
      .filter(({ drivers }) => drivers[0]!.tla === tla)
      .map(({ data }) => `${data.part}: ${data.lap} ${(data.time as { display: string }).display}`);
  assert.deepEqual(of('HOL'), [
    '1: 2 1:01.402',
    '1: 5 1:00.911',
    '2: 8 1:00.870',
    '2: 11 1:00.402',
    '3: 14 1:00.380',
    '3: 17 59.987',
  ]);
  // The deleted lap was one when it was driven.
  assert.deepEqual(of('COS'), ['1: 2 1:02.605', '1: 5 1:01.650']);
  assert.deepEqual(of('KOW'), ['1: 2 1:02.190', '1: 5 1:01.988', '2: 8 1:01.870']);
  assert.equal(bests.length, 69);
});

test('the outcome is the grid: ten were in the last part, and who lost his lap is last', () => {
  const { cars, phase, fastestLap } = recordedOutcome(F1, QUALIFYING.frames)!;
  assert.deepEqual([phase, fastestLap], ['finished', '3']);
  assert.deepEqual(
    cars.map(({ tla, reachedQ3, out }) => `${tla}${reachedQ3 ? ' Q3' : ''}${out ? ' out' : ''}`),
    [
      'HOL Q3',
      'OKE Q3',
      'ARA Q3',
      'MAR Q3',
      'LIN Q3',
      'VIR Q3',
      'DUN Q3',
      'BEZ Q3',
      'SAT Q3',
      'NAV Q3',
      'YIL',
      'KOW out',
      'ABE',
      'COS',
    ],
  );
});

test('odds: at every moment one is on pole, and as many are out as do not go on', () => {
  const all = told(QUALIFYING, 'analytics.qualifying') as Told[];
  for (const { drivers, session } of all) {
    const sum = (name: string) => drivers.reduce((total: number, one: Told) => total + (one[name] ?? 0), 0);
    const places = (drivers.length * (drivers.length + 1)) / 2;
    assert.ok(Math.abs(sum('poleProbability') - 1) < 1e-3);
    assert.ok(Math.abs(sum('frontRowProbability') - 2) < 2e-3);
    assert.ok(Math.abs(sum('expectedGridPosition') - places) < 0.1);
    assert.ok(Math.abs(sum('expectedPartPosition') - places) < 0.1);
    const out = session.cutOffPosition === null ? 0 : drivers.length - session.cutOffPosition;
    assert.ok(Math.abs(sum('eliminationProbability') - out) < 1e-3);
  }
  assert.deepEqual(
    [1, 2, 3].map((part) => all.filter(({ session }) => session.part === part).map(({ drivers }) => drivers.length)[0]),
    [14, 12, 10],
  );
});

test('odds: the session and a driver in full, in the middle of the first part', () => {
  assert.deepEqual(oddsAt(386.9).session, {
    part: 1,
    timeLeftSeconds: 233,
    cutOffPosition: 12,
    cutOffTime: { lowMs: 62_190, medianMs: 62_301, highMs: 62_440 },
  });
  assert.deepEqual(carAt(386.9, '27'), {
    ...driver('27', 12),
    bestTimeMs: 62_480,
    eliminationProbability: 0.5886,
    expectedPartPosition: 12.31,
    expectedGridPosition: 11.07,
    frontRowProbability: 0.0032,
    poleProbability: 0.0006,
  });
});

test('odds: with its lap car 88 loses its place in the next part, and car 9 is saved by it', () => {
  const dangers = (number: string) =>
    [386.9, 631, 647.6, 772].map((seconds) => carAt(seconds, number).eliminationProbability);
  assert.deepEqual(dangers('88'), [0.8335, 0.0002, 0.9959, 1]);
  assert.deepEqual(dangers('9'), [0.1908, 0.8559, 0.0186, 0]);
  // Once the part is over for good nothing is open: twelve go on, and the slowest time that does is known.
  assert.deepEqual(oddsAt(772).session.cutOffTime, { lowMs: 62_133, medianMs: 62_133, highMs: 62_133 });
});

test('odds: the pole is open while laps are, and certain at the end', () => {
  const poles = [800, 1_049, 1_580, 1_798.7, 2_000, 2_152].map((seconds) => [
    carAt(seconds, '3').poleProbability,
    carAt(seconds, '7').poleProbability,
  ]);
  assert.deepEqual(poles, [
    [0.3839, 0.1792],
    [0.2404, 0.4035],
    [0.524, 0.3121],
    [0.242, 0.6736],
    [0.1568, 0.8126],
    [1, 0],
  ]);
});
