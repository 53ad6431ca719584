// The golden qualifying: three parts, a deleted lap, an interruption, and the model's odds.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordedOutcome } from '#engine/racing/derive/recorded-outcome.ts';
import { F1 } from '#engine/racing/series/f1.ts';
import { contentAt, derived, eventRows } from './derived-payloads.ts';
import { driver } from './entrants.ts';
import { QUALIFYING } from './golden-sessions.ts';
import { EVENTS, PAYLOADS } from './qualifying-expected.ts';

// biome-ignore lint/suspicious/noExplicitAny: contents of many shapes, which the schemas describe.
type Content = any;

const oddsAt = (seconds: number): Content => contentAt(QUALIFYING, 'analytics.qualifying', seconds);
const carAt = (seconds: number, number: string): Content =>
  oddsAt(seconds).drivers.find((one: Content) => one.number === number);

test('qualifying has exactly these events, at these times and about these drivers', () => {
  assert.deepEqual(eventRows(QUALIFYING), EVENTS.split('\n'));
});

for (const { feed, seconds, content } of PAYLOADS) {
  test(`${feed} at ${seconds} s has all that changed, and nothing else`, () => {
    assert.deepEqual(contentAt(QUALIFYING, feed, seconds), content);
  });
}

test('each part has its own personal bests: every timed lap that beat the earlier ones', () => {
  const bests = derived(QUALIFYING, 'events.race').filter(({ event }) => event === 'personal_best');
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
  // The deleted lap was a personal best when it was driven.
  assert.deepEqual(of('COS'), ['1: 2 1:02.605', '1: 5 1:01.650']);
  assert.deepEqual(of('KOW'), ['1: 2 1:02.190', '1: 5 1:01.988', '2: 8 1:01.870']);
  assert.equal(bests.length, 69);
});

test('the outcome is the grid: ten drivers reached the last part, and the one who lost his lap is last', () => {
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

test('odds: at every moment, the chances add up to one pole and to the number of cars that are eliminated', () => {
  const all = derived(QUALIFYING, 'analytics.qualifying') as Content[];
  for (const { drivers, session } of all) {
    const sum = (name: string) => drivers.reduce((total: number, one: Content) => total + (one[name] ?? 0), 0);
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

test('odds: in the middle of the first part, the payload has these values for the session and a driver', () => {
  assert.deepEqual(oddsAt(386.9).session, {
    part: 1,
    timeLeftSeconds: 233,
    cutOffPosition: 12,
    cutOffTime: { lowMs: 62_072, medianMs: 62_212, highMs: 62_350 },
  });
  assert.deepEqual(carAt(386.9, '27'), {
    ...driver('27', 12),
    bestTimeMs: 62_480,
    eliminationProbability: 0.4804,
    expectedPartPosition: 12.04,
    expectedGridPosition: 11.17,
    frontRowProbability: 0.0032,
    poleProbability: 0.0007,
  });
});

test('odds: the deleted lap costs car 88 its place in the next part, and saves car 9', () => {
  const dangers = (number: string) =>
    [386.9, 631, 647.6, 772].map((seconds) => carAt(seconds, number).eliminationProbability);
  assert.deepEqual(dangers('88'), [0.6195, 0.0117, 0.9481, 1]);
  assert.deepEqual(dangers('9'), [0.2704, 0.8151, 0.0174, 0]);
  // Once the part is over, nothing is uncertain: twelve cars advance, and the slowest time among them is known.
  assert.deepEqual(oddsAt(772).session.cutOffTime, { lowMs: 62_133, medianMs: 62_133, highMs: 62_133 });
});

test('odds: the pole is uncertain while cars can still improve, and certain at the end', () => {
  const poles = [800, 1_049, 1_580, 1_798.7, 2_000, 2_152].map((seconds) => [
    carAt(seconds, '3').poleProbability,
    carAt(seconds, '7').poleProbability,
  ]);
  assert.deepEqual(poles, [
    [0.4352, 0.1713],
    [0.2301, 0.3545],
    [0.5918, 0.306],
    [0.3029, 0.5785],
    [0.1353, 0.8454],
    [1, 0],
  ]);
});
