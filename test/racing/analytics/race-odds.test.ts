// analytics.race-odds on golden, recorded and unusual races.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Frame } from '#engine/racing/frame.ts';
import { PREVIEW_TOPIC } from '#engine/racing/session/known-before.ts';
import type { RaceOddsDriver } from '#schemas/webhook/analytics-race-odds.ts';
import { RACE, SPRINT } from '#test/racing/golden/golden-sessions.ts';
import { payloadsOf, recorded } from '#test/racing/real-sessions.ts';
import { at, DRIVERS, lines, raceUnderWay, updatesFrom } from '#test/racing/scripted-session.ts';

interface Emitted {
  readonly lap: number;
  readonly drivers: readonly RaceOddsDriver[];
  readonly session: { readonly lapsLeft: number };
}

const asEmitted = (payloads: readonly unknown[]) => payloads as readonly Emitted[];
const oddsFrom = (frames: Iterable<Frame>) => asEmitted(updatesFrom(frames, 'analytics.race-odds'));

function checkChances({ drivers }: Emitted): void {
  const cars = drivers.length;
  for (let place = 0; place < cars; place++) {
    const column = drivers.reduce((sum, { positionProbabilities }) => sum + positionProbabilities[place]!, 0);
    assert.ok(Math.abs(column - 1) < 1e-3, `place ${place + 1}: ${column}`);
  }
  for (const driver of drivers) {
    const { positionProbabilities, winProbability, podiumProbability, pointsProbability, expectedPosition } = driver;
    assert.equal(positionProbabilities.length, cars);
    assert.ok(Math.abs(positionProbabilities.reduce((sum, chance) => sum + chance, 0) - 1) < 1e-3);
    for (const chance of [...positionProbabilities, driver.retirementProbability, driver.beatsTeammateProbability ?? 0])
      assert.ok(chance >= 0 && chance <= 1);
    assert.ok(winProbability <= podiumProbability && podiumProbability <= pointsProbability + 1e-5);
    assert.ok(expectedPosition >= 1 && expectedPosition <= cars);
    const mate = drivers.find(({ number }) => number === driver.teammateNumber);
    if (mate !== undefined)
      assert.ok(Math.abs(driver.beatsTeammateProbability! + mate.beatsTeammateProbability! - 1) < 1e-4);
  }
}

const RACES = [
  RACE,
  SPRINT,
  ...recorded(
    '2018-azerbaijan-race',
    '2025-miami-sprint',
    '2020-belgium-race',
    '2025-australia-race',
    '2025-mexico-race',
  ),
];

for (const session of RACES) {
  test(`${session.sessionId}: rows and columns sum to one on every lap, and at the flag the order is certain`, () => {
    const emitted = asEmitted(payloadsOf(session.timeline, 'analytics.race-odds'));
    assert.ok(emitted.length >= emitted[0]!.session.lapsLeft);
    for (const one of emitted) checkChances(one);
    const last = emitted.at(-1)!;
    assert.equal(last.session.lapsLeft, 0);
    for (const [place, { positionProbabilities }] of last.drivers.entries()) {
      assert.ok(positionProbabilities[place]! > 0.999);
    }
  });
}

/** Odds on the next lap of a race under way, after what a preview knew. Car 1 leads eight cars. */
function oddsKnowing(strengths: unknown): Emitted {
  const known = strengths === null ? [] : [at(0, PREVIEW_TOPIC, { LearntTo: '2025-china', Strengths: strengths })];
  const frames = [...raceUnderWay(), ...known, at(60, 'LapCount', { CurrentLap: 11 }), ...quietFrames(61)];
  return oddsFrom(frames).at(-1)!;
}

test('who drives counts: a strong driver wins more often, and less so the fewer laps are left', () => {
  const winOf = ({ drivers }: Emitted, number: string) => drivers.find((one) => one.number === number)!.winProbability;
  const knows = oddsKnowing({ 'max-verstappen': -1, 'george-russell': 2 });
  const plain = oddsKnowing(null);
  checkChances(knows);
  assert.ok(winOf(knows, '63') > winOf(plain, '63') + 0.1);
  assert.ok(winOf(knows, '1') < winOf(plain, '1') - 0.1);
  const far = Object.fromEntries(Object.keys(DRIVERS).map((number) => [number, { NumberOfLaps: 48 }]));
  const late = (known: readonly Frame[]) =>
    oddsFrom([
      ...raceUnderWay(),
      ...known,
      lines(59, far),
      at(60, 'LapCount', { CurrentLap: 49 }),
      ...quietFrames(61),
    ]).at(-1)!;
  const strong = at(0, PREVIEW_TOPIC, { LearntTo: '2025-china', Strengths: { 'george-russell': 2 } });
  const gained = (one: Emitted, other: Emitted) => winOf(one, '63') - winOf(other, '63');
  assert.ok(gained(late([strong]), late([])) < gained(oddsKnowing({ 'george-russell': 2 }), plain) / 4);
});

test('equal strengths, strengths of others and unusable ones change nothing; impossible ones stay chances', () => {
  const plain = oddsKnowing(null);
  for (const strengths of [
    {},
    { 'nobody-here': 3 },
    { 'max-verstappen': 'fast' },
    [],
    null,
    7,
    { 'george-russell': null },
  ])
    assert.deepEqual(oddsKnowing(strengths).drivers, plain.drivers, JSON.stringify(strengths));
  checkChances(oddsKnowing({ 'max-verstappen': 1e300, 'george-russell': -1e300 }));
  assert.deepEqual(oddsKnowing({ 'george-russell': 1.5 }), oddsKnowing({ 'george-russell': 1.5 }));
});

/** As before, with the chances of retiring, at an event. */
function oddsAt(event: string, retirements: unknown): Emitted {
  const known = at(0, PREVIEW_TOPIC, { LearntTo: '2025-china', Strengths: {}, Retirements: retirements });
  const meeting = at(0, 'SessionInfo', { Meeting: { Name: event } });
  return oddsFrom([...raceUnderWay(), known, meeting, at(60, 'LapCount', { CurrentLap: 11 }), ...quietFrames(61)]).at(
    -1,
  )!;
}

test('a car that breaks down often retires more often than the others; unusable chances change nothing', () => {
  const retirementOf = ({ drivers }: Emitted, number: string) =>
    drivers.find((one) => one.number === number)!.retirementProbability;
  const plain = oddsAt('', {});
  const frail = oddsAt('', { 'max-verstappen': 0.1, 'george-russell': 0.3 });
  checkChances(frail);
  assert.ok(retirementOf(frail, '63') > 1.5 * retirementOf(frail, '1'));
  assert.ok(retirementOf(plain, '63') === retirementOf(plain, '1'));
  for (const unusable of [0, 7, -1, 'often', null]) {
    const known = { 'max-verstappen': 0.1, 'george-russell': unusable };
    assert.deepEqual(oddsAt('', known).drivers, plain.drivers, JSON.stringify(known));
  }
  for (const unusable of [[], null, 3]) assert.deepEqual(oddsAt('', unusable).drivers, plain.drivers);
  checkChances(oddsAt('', { 'max-verstappen': 1e-300, 'george-russell': 0.99 }));
});

test('the order lasts where passes are hard: at Monaco the leader wins more often than in Austria', () => {
  const winOf = ({ drivers }: Emitted) => drivers.find((one) => one.number === '1')!.winProbability;
  const [monaco, austria, elsewhere] = ['Monaco Grand Prix', 'Austrian Grand Prix', 'Grand Prix'].map((event) =>
    oddsAt(event, {}),
  );
  assert.ok(winOf(monaco!) > winOf(elsewhere!) && winOf(elsewhere!) > winOf(austria!));
});

test('a sprint has its own points and no mandatory tire change', () => {
  for (const { timeline } of [SPRINT, ...recorded('2025-miami-sprint')]) {
    const [first] = asEmitted(payloadsOf(timeline, 'analytics.race-odds'));
    const sum = first!.drivers.reduce((total, { expectedPoints }) => total + expectedPoints, 0);
    assert.ok(Math.abs(sum - 36) < 0.05, `${sum}`);
  }
});

/** Frames that give the models time to run. */
function quietFrames(fromSeconds: number): Frame[] {
  return Array.from({ length: 12 }, (_, index) =>
    lines(fromSeconds + index, { 1: { Sectors: { 0: { Value: `${fromSeconds}.${index}` } } } }),
  );
}

const gap = fc.oneof(
  fc.double({ min: 0, max: 120, noNaN: true }).map((seconds) => `+${seconds.toFixed(3)}`),
  fc.constantFrom('', '1L', '3L', 'LAP 10', 'IN PIT', '31 L'),
);
const oddCar = fc.record(
  {
    GapToLeader: gap,
    IntervalToPositionAhead: fc.record({ Value: gap }),
    NumberOfLaps: fc.integer({ min: 0, max: 60 }),
    Retired: fc.boolean(),
    Stopped: fc.boolean(),
    InPit: fc.boolean(),
  },
  { requiredKeys: [] },
);
const tires = fc.array(
  fc.record(
    {
      Compound: fc.constantFrom('SOFT', 'HARD', 'INTERMEDIATE', 'UNKNOWN', ''),
      TotalLaps: fc.integer({ min: 0, max: 80 }),
      StartLaps: fc.integer({ min: 0, max: 5 }),
    },
    { requiredKeys: [] },
  ),
  { maxLength: 4 },
);

test('unusual races give valid chances: two cars, all but one out, 26 cars, lapped cars, no gaps, flags', () => {
  let updates = 0;
  fc.assert(
    fc.property(
      fc.array(fc.record({ car: oddCar, tires }), { minLength: 1, maxLength: 26 }),
      fc.array(fc.constantFrom('1', '2', '4', '5', '6', '7'), { maxLength: 3 }),
      fc.integer({ min: 1, max: 60 }),
      (cars, flags, lap) => {
        const numbers = cars.map((_, index) => String(index + 1));
        const timing = cars.map(({ car }, index) => [numbers[index], { ...car, Position: String(index + 1) }]);
        const stints = cars.map(({ tires: Stints }, index) => [numbers[index], { Stints: { ...Stints } }]);
        const frames = [
          at(0, 'SessionInfo', { Type: 'Race', Name: lap % 2 === 0 ? 'Sprint' : 'Race' }),
          at(0, 'SessionStatus', { Status: 'Started' }),
          at(0, 'LapCount', { CurrentLap: 1, TotalLaps: 50 }),
          at(1, 'TimingData', { Lines: Object.fromEntries(timing) }),
          at(2, 'TimingAppData', { Lines: Object.fromEntries(stints) }),
          at(3, 'LapCount', { CurrentLap: lap }),
          ...quietFrames(4),
          ...flags.flatMap((Status, index) => [
            at(20 + 20 * index, 'TrackStatus', { Status }),
            ...quietFrames(21 + 20 * index),
          ]),
          at(90, 'SessionStatus', { Status: 'Finished' }),
          ...quietFrames(91),
        ];
        const emitted = oddsFrom(frames);
        for (const one of emitted) checkChances(one);
        updates += emitted.length;
      },
    ),
    { numRuns: 150 },
  );
  assert.ok(updates > 150, `${updates}`);
});

/** A running race with these gaps between its eight cars, on a lap that has just begun. */
function raceWith(gaps: readonly number[], later: readonly Frame[] = []): Emitted {
  const numbers = ['1', '4', '16', '44', '55', '63', '77', '81'];
  let sum = 0;
  const cars = numbers.map((number, index) => {
    sum += index === 0 ? 0 : gaps[index - 1]!;
    return [
      number,
      { GapToLeader: `+${sum.toFixed(3)}`, IntervalToPositionAhead: { Value: `+${gaps[index - 1] ?? 0}` } },
    ];
  });
  const frames = [
    ...raceUnderWay(),
    at(1, 'TimingData', { Lines: Object.fromEntries(cars) }),
    at(2, 'LapCount', { CurrentLap: 11 }),
    ...quietFrames(3),
    ...later,
  ];
  return oddsFrom(frames).at(-1)!;
}

const eightGaps = fc.array(fc.double({ min: 0.5, max: 20, noNaN: true }), { minLength: 7, maxLength: 7 });

test('a tenth of a second more in one gap changes no chance by more than 0.02', () => {
  fc.assert(
    fc.property(eightGaps, fc.nat(6), (gaps, which) => {
      const before = raceWith(gaps).drivers;
      const after = raceWith(gaps.with(which, gaps[which]! + 0.1)).drivers;
      for (const [car, { positionProbabilities }] of before.entries()) {
        for (const [place, chance] of positionProbabilities.entries()) {
          assert.ok(Math.abs(after[car]!.positionProbabilities[place]! - chance) < 0.02);
        }
      }
    }),
    { numRuns: 40 },
  );
});

test('a larger lead never lowers the chances, and a larger gap to the car ahead never raises them', () => {
  fc.assert(
    fc.property(eightGaps, fc.nat(6), fc.double({ min: 0, max: 15, noNaN: true }), (gaps, which, more) => {
      const before = raceWith(gaps).drivers;
      const after = raceWith(gaps.with(which, gaps[which]! + more)).drivers;
      assert.ok(after[which]!.expectedPosition <= before[which]!.expectedPosition + 0.005);
      assert.ok(after[which + 1]!.expectedPosition >= before[which + 1]!.expectedPosition - 0.005);
      assert.ok(after[0]!.winProbability >= before[0]!.winProbability - 0.002);
    }),
    { numRuns: 40 },
  );
});

test('under a red flag a lead is worth little: the field starts again as one', () => {
  const gaps = [30, 1, 1, 1, 1, 1, 1];
  const [before, after] = ['2', '5'].map((Status) =>
    raceWith(gaps, [at(20, 'TrackStatus', { Status }), ...quietFrames(21)]),
  );
  const [racing, standing] = [before!, after!].map(({ drivers }) => drivers[0]!.winProbability);
  assert.ok(standing! < racing! - 0.2, `${racing} ${standing}`);
});

test('a lead of two seconds on the last lap wins almost certainly, because no car stops any more', () => {
  const tires = {
    0: { Compound: 'HARD', TotalLaps: 20, StartLaps: 0 },
    1: { Compound: 'SOFT', TotalLaps: 29, StartLaps: 0 },
  };
  const stints = Object.fromEntries(
    ['1', '4', '16', '44', '55', '63', '77', '81'].map((number) => [number, { Stints: tires }]),
  );
  const end = [
    at(20, 'TimingAppData', { Lines: stints }),
    at(21, 'LapCount', { CurrentLap: 50 }),
    lines(22, { 1: { NumberOfLaps: 49 } }),
    ...quietFrames(23),
  ];
  const { session, drivers } = raceWith([2, 3, 3, 3, 3, 3, 3], end);
  assert.equal(session.lapsLeft, 1);
  assert.ok(drivers[0]!.winProbability > 0.97, `${drivers[0]!.winProbability}`);
});

test('the same gaps give the same odds, however often they are reported', () => {
  const gaps = [1, 2, 3, 4, 5, 6, 7];
  assert.deepEqual(raceWith(gaps), raceWith(gaps));
});
