// The golden sprint: rain, an interruption, a lost connection and a penalty.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordedOutcome } from '#engine/racing/derive/recorded-outcome.ts';
import { F1 } from '#engine/racing/series/f1.ts';
import { contentAt, derived, eventRows, secondsOf } from './derived-payloads.ts';
import { SPRINT } from './golden-sessions.ts';
import { EVENTS, PAYLOADS } from './sprint-expected.ts';

// biome-ignore lint/suspicious/noExplicitAny: contents of many shapes, which the schemas describe.
type Content = any;

const modelAt = (model: string, seconds: number): Content => contentAt(SPRINT, `analytics.${model}`, seconds);
const carAt = (model: string, seconds: number, number: string): Content =>
  modelAt(model, seconds).drivers.find((one: Content) => one.number === number);
const eventsOf = (type: string) => derived(SPRINT, 'events.race').filter(({ event }) => event === type);

test('the sprint has exactly these events, at these times and about these drivers', () => {
  assert.deepEqual(eventRows(SPRINT), EVENTS.split('\n'));
});

for (const { feed, seconds, content } of PAYLOADS) {
  test(`${feed} at ${seconds} s has all that changed, and nothing else`, () => {
    assert.deepEqual(contentAt(SPRINT, feed, seconds), content);
  });
}

test('messages missed while the connection is lost make no events, and the state afterwards is right', () => {
  const [from, to] = [718.4, 774.88];
  const times = derived(SPRINT).map((payload) => secondsOf(SPRINT, payload));
  assert.deepEqual(
    times.filter((seconds) => seconds > from && seconds < to),
    [],
  );
  // The messages about three cars' tires were lost. The snapshot has these tires, but makes no tire_change.
  const states = contentAt(SPRINT, 'tire.stints', to) as { drivers: { tla: string }[] };
  assert.deepEqual(
    states.drivers.map(({ tla }) => tla),
    ['OKE', 'YIL', 'MAR'],
  );
  const changes = eventsOf('tire_change').filter((payload) => secondsOf(SPRINT, payload) > from);
  assert.deepEqual(
    changes.map(({ drivers }) => drivers[0]!.tla),
    ['ARA', 'COS', 'HOL', 'KOW'],
  );
});

test('there are no pit stops while the race is interrupted, and the drive-through is none', () => {
  const inside = eventsOf('pit_entry').filter((payload) => secondsOf(SPRINT, payload) > 520);
  assert.deepEqual(
    inside.map(({ drivers, data }) => [drivers[0]!.tla, data.stop]),
    [['MAR', 2]],
  );
  assert.equal(eventsOf('pit_stop').length, 7);
  const waits = derived(SPRINT, 'pit-lane.times').filter(({ drivers }) => drivers[0]!.interrupted === true);
  assert.equal(waits.length, 7);
});

test('the outcome has no stops of the interruption, and a car that stopped on the track is out', () => {
  const { phase, cars, stops, totalLaps } = recordedOutcome(F1, SPRINT.frames)!;
  assert.deepEqual([phase, totalLaps], ['finished', 11]);
  assert.deepEqual(
    cars.map(({ position, tla, lapsCompleted, out }) => `${position} ${tla} ${lapsCompleted}${out ? ' out' : ''}`),
    ['1 ARA 11', '2 HOL 11', '3 COS 11', '4 KOW 11', '5 OKE 11', '6 MAR 11', '7 YIL 8 out', '8 ABE 5 out'],
  );
  assert.deepEqual(
    stops.map(({ number, lap, pitLaneMs }) => [number, lap, pitLaneMs]),
    [
      ['7', 3, 15_100],
      ['3', 4, 15_400],
      ['88', 4, 14_800],
      ['22', 4, 15_900],
      ['9', 4, 15_300],
      ['11', 5, 15_600],
      ['50', 5, 15_200],
    ],
  );
});

test('a sprint has its own points, and no driver has to change tires', () => {
  const { drivers } = modelAt('championship', 140.9);
  const points = drivers.map((one: Content) => one.pointsGainedExpected);
  assert.ok(Math.abs(points.reduce((sum: number, value: number) => sum + value, 0) - 36) < 0.01);
  assert.deepEqual(
    drivers.map((one: Content) => [
      one.tla,
      one.pointsGainedExpected,
      one.pointsBefore,
      one.championshipPositionExpected,
    ]),
    [
      ['OKE', 6.825, null, null],
      ['HOL', 6.382, null, null],
      ['COS', 5.68, null, null],
      ['MAR', 4.901, null, null],
      ['YIL', 4.149, null, null],
      ['ARA', 3.325, null, null],
      ['KOW', 2.661, null, null],
      ['ABE', 2.077, null, null],
    ],
  );
  const strategies = derived(SPRINT, 'analytics.strategy') as Content[];
  for (const { drivers } of strategies)
    assert.ok(drivers.every(({ anotherCompoundRequired }: Content) => !anotherCompoundRequired));
  // Until it rains nobody is to stop. Then those on dry tires are, once others have rain tires.
  const dryOn = (lap: number) =>
    strategies
      .find((strategy) => strategy.lap === lap)!
      .drivers.filter(({ compoundsUsed }: Content) => !compoundsUsed.includes('INTERMEDIATE'))
      .map(({ noStopProbability }: Content) => noStopProbability as number);
  assert.ok(dryOn(1).length > 0 && [1, 2, 3, 4].flatMap(dryOn).every((none: number) => none > 0.93));
  assert.ok(dryOn(6).length > 0 && dryOn(6).every((none: number) => none < 0.2));
});

test('the start of rain raises the chance of a safety car for two laps, and a stopped car raises it, too', () => {
  const reasons = [187, 314.4, 455.4, 526.5, 1_160.2, 1_208].map((seconds) => {
    const { nextLap, yellowFlag, standingCar, rainChanged } = modelAt('safety-car', seconds).data;
    return [nextLap.probability, yellowFlag, standingCar, rainChanged];
  });
  assert.deepEqual(reasons, [
    [0.014, false, false, false],
    [0.021, false, false, true],
    [0.021, false, false, true],
    [0.1378, false, true, true],
    [0.0123, false, false, false],
    [0.0813, true, true, false],
  ]);
});

test('the odds follow the order of the restart: car 88 moved ahead of car 3 during the interruption', () => {
  const winOf = (number: string) =>
    [454.7, 523.9, 1_002, 1_089.1, 1_385.2].map((seconds) => carAt('race-odds', seconds, number).winProbability);
  assert.deepEqual(winOf('11'), [0.76563, 0.65133, 0.72167, 0.87247, 1]);
  assert.deepEqual(winOf('3'), [0.00705, 0.24212, 0.04141, 0.00428, 0]);
  assert.deepEqual(winOf('88'), [0.00141, 0.08504, 0.23155, 0.12313, 0]);
});
