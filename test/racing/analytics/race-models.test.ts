// What holds for all race models, whatever the timing reports.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { rounded } from '#engine/racing/analytics/rounded.ts';
import { deriveTimeline } from '#engine/racing/derive/derive.ts';
import type { Frame } from '#engine/racing/frame.ts';
import type { Battle } from '#schemas/webhook/analytics-battle.ts';
import type { FeedId } from '#schemas/webhook/feeds.ts';
import { PAYLOAD_SCHEMAS } from '#schemas/webhook/payloads.ts';
import { RACE } from '#test/racing/golden/golden-sessions.ts';
import { PARTIAL_SESSIONS, payloadsOf, recorded, type TestPayload } from '#test/racing/real-sessions.ts';
import { at, START_MS, updatesFrom } from '#test/racing/scripted-session.ts';
import { SCRIPTED_NUMBERS, type ScriptedRace, scriptedRace } from './scripted-race.ts';

const OWN = [
  'analytics.true-pace',
  'analytics.tire-health',
  'analytics.pit-window',
  'analytics.strategy',
  'analytics.gap-projection',
] as const satisfies readonly FeedId[];

const ajv = new Ajv({ allowUnionTypes: true, strict: true });
const validators = new Map(OWN.map((feed) => [feed as string, ajv.compile(PAYLOAD_SCHEMAS[feed])]));

const car = fc.record(
  {
    seconds: fc.double({ min: 0, max: 12, noNaN: true }),
    startAge: fc.integer({ min: 0, max: 30 }),
    stops: fc.dictionary(fc.integer({ min: 1, max: 14 }).map(String), fc.constantFrom('SOFT', 'WET', 'ODD'), {
      maxKeys: 3,
    }),
    compound: fc.constantFrom('SOFT', 'MEDIUM', 'HARD', 'INTERMEDIATE', ''),
    retires: fc.integer({ min: 1, max: 20 }),
  },
  { requiredKeys: ['seconds'] },
);

/** Faults of a race or of its timing. */
const disturbance = fc.oneof(
  fc.record({
    at: fc.integer({ min: 0, max: 1500 }),
    topic: fc.constant('TrackStatus'),
    message: fc.constantFrom(...['1', '2', '4', '5', '6', '7'].map((Status) => ({ Status }))),
  }),
  fc.record({
    at: fc.integer({ min: 0, max: 1500 }),
    topic: fc.constant('TimingData'),
    message: fc.record({
      Lines: fc.dictionary(
        fc.constantFrom(...SCRIPTED_NUMBERS.map(String)),
        fc.constantFrom<object>(
          { GapToLeader: '' },
          { GapToLeader: '1L', IntervalToPositionAhead: { Value: '1L' } },
          { IntervalToPositionAhead: { Value: '' } },
          { InPit: true },
          { InPit: false, PitOut: true },
          { Stopped: true },
          { Stopped: false },
          { NumberOfLaps: 40 },
          { LastLapTime: { Value: '9:59.999' } },
          { LastLapTime: { Value: '0.001' }, NumberOfLaps: 15 },
          { Position: '1' },
        ),
        { maxKeys: 3 },
      ),
    }),
  }),
  fc.record({
    at: fc.integer({ min: 0, max: 1500 }),
    topic: fc.constant('LapCount'),
    message: fc.constantFrom<object>({ TotalLaps: 0 }, { TotalLaps: 3 }, { CurrentLap: 30 }),
  }),
  fc.record({
    at: fc.integer({ min: 0, max: 1500 }),
    topic: fc.constant('SessionStatus'),
    message: fc.constantFrom({ Status: 'Aborted' }, { Status: 'Started' }, { Status: 'Finished' }),
  }),
);

const scripts = fc.record({
  cars: fc.array(car, { minLength: 1, maxLength: SCRIPTED_NUMBERS.length }),
  laps: fc.integer({ min: 1, max: 15 }),
  totalLaps: fc.integer({ min: 1, max: 60 }),
  wearSeconds: fc.double({ min: -0.1, max: 0.5, noNaN: true }),
  noiseSeconds: fc.double({ min: 0, max: 5, noNaN: true }),
  without: fc.subarray(['TimingAppData', 'LapCount', 'TrackStatus', 'DriverList', 'TimingData'], { maxLength: 2 }),
  disturbances: fc.array(disturbance, { maxLength: 12 }),
});

type Script = typeof scripts extends fc.Arbitrary<infer Value> ? Value : never;

function framesOf({ cars, without, disturbances, ...rest }: Script): Frame[] {
  const numbered = cars.map((one, index) => ({ ...one, number: SCRIPTED_NUMBERS[index]! }));
  const disturbing = disturbances.map(({ at: seconds, topic, message }) => at(seconds, topic, message));
  return [...scriptedRace({ ...rest, cars: numbered } as ScriptedRace), ...disturbing]
    .filter(({ topic }) => !without.includes(topic as (typeof without)[number]))
    .sort((a, b) => a.utcMs - b.utcMs);
}

/** Fails if a number is not finite or a chance is not between 0 and 1. */
function check(value: unknown, path: string): void {
  if (typeof value === 'number') {
    assert.ok(Number.isFinite(value) && !Object.is(value, -0), `${path} is ${value}`);
    if (/robability$/.test(path)) assert.ok(value >= 0 && value <= 1, `${path} is ${value}`);
    // No figure of a race comes near a million.
    assert.ok(Math.abs(value) < 1e6, `${path} is ${value}`);
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value)) check(part, `${path}.${key}`);
}

test('laps that no race has count as not told: the models neither fail nor work for ever', () => {
  const cars = SCRIPTED_NUMBERS.map((number) => ({ number, seconds: 0 }));
  const race = scriptedRace({ cars, laps: 4, totalLaps: 50 }).toSorted((a, b) => a.utcMs - b.utcMs);
  const begun = race.filter(({ utcMs }) => utcMs <= START_MS + 300_000);
  // At most one model runs per frame.
  const quiet = Array.from({ length: 20 }, (_, index) =>
    at(301 + index, 'TimingData', { Lines: { 1: { Speeds: { ST: { Value: String(300 + index) } } } } }),
  );
  for (const told of [
    { CurrentLap: 0, TotalLaps: 0 },
    { TotalLaps: Number.MAX_SAFE_INTEGER },
    { CurrentLap: Number.MIN_SAFE_INTEGER },
  ]) {
    const updates = updatesFrom([...begun, at(300, 'LapCount', { CurrentLap: 5, ...told }), ...quiet]);
    for (const update of updates.filter(({ feed }) => validators.has(feed))) check(update, update.feed);
    assert.deepEqual(
      updates.filter(({ feed, utc }) => feed === 'analytics.strategy' && Date.parse(utc) >= START_MS + 300_000),
      [],
      JSON.stringify(told),
    );
  }
});

test('whatever happens, every body is valid and every number is finite and plausible', () => {
  let emitted = 0;
  fc.assert(
    fc.property(scripts, (script) => {
      const updates = updatesFrom(framesOf(script)).filter(({ feed }) => validators.has(feed));
      for (const update of updates) {
        const validate = validators.get(update.feed)!;
        assert.ok(validate(update), `${ajv.errorsText(validate.errors)} in ${JSON.stringify(update)}`);
        check(update, update.feed);
        emitted++;
      }
    }),
    { numRuns: 150, seed: 7 },
  );
  assert.ok(emitted > 1_000, `${emitted}`);
});

test('in a normal race each model emits once per lap, with all cars still racing in order', () => {
  const cars = SCRIPTED_NUMBERS.map((number, index) => ({
    number,
    seconds: index * 0.3,
    stops: { [10 + index]: 'HARD' },
  }));
  const frames = scriptedRace({ cars: [{ ...cars[0]!, retires: 15 }, ...cars.slice(1)], laps: 30, noiseSeconds: 0.2 });
  const updates = updatesFrom(frames).filter(({ feed }) => validators.has(feed));
  for (const feed of OWN) {
    const own = updates.filter((update) => update.feed === feed);
    assert.ok(own.length >= 25 && own.length <= 32, `${feed}: ${own.length}`);
    for (const { drivers } of own) {
      const positions = drivers.map(({ position }) => position as number);
      assert.deepEqual(
        positions,
        [...positions].sort((a, b) => a - b),
      );
    }
    const last = own.at(-1)!.drivers;
    assert.ok(
      last.every(({ number }) => number !== String(SCRIPTED_NUMBERS[0])),
      'a car that is out is left out',
    );
  }
});

test('frames that change nothing in the race repeat no update', () => {
  const cars = SCRIPTED_NUMBERS.map((number, index) => ({ number, seconds: index * 0.3 }));
  const frames = scriptedRace({ cars, laps: 12, totalLaps: 30 });
  const count = (list: Frame[]): number => updatesFrom(list).filter(({ feed }) => validators.has(feed)).length;
  const end = (frames.at(-1)!.utcMs - frames[0]!.utcMs) / 1_000;
  const idle = Array.from({ length: 50 }, (_, index) =>
    at(end + 1 + index, 'TimingData', { Lines: { 1: { Sectors: { 0: { Value: `30.${100 + index}` } } } } }),
  );
  const flags = ['2', '1', '2', '1'].map((Status, index) => at(end + 60 + index, 'TrackStatus', { Status }));
  assert.equal(count([...frames, ...idle, ...flags]), count([...frames, ...idle]));
  assert.ok(count([...frames, ...idle]) - count(frames) <= OWN.length);
});

/** All numbers of the updates, by feed, driver or pair of cars, and name, except counts of laps and positions. */
function numbersOf(updates: readonly TestPayload[]): Map<string, number> {
  const found = new Map<string, number>();
  const gather = (value: unknown, path: string): void => {
    if (typeof value === 'number') found.set(path, value);
    if (typeof value !== 'object' || value === null) return;
    for (const [key, part] of Object.entries(value)) gather(part, `${path}.${key}`);
  };
  for (const update of updates) {
    const { feed, drivers } = update;
    for (const { number, ...emitted } of drivers) gather(emitted, `${feed} ${number}`);
    const { battles = [] } = (update as { session?: { battles?: readonly Battle[] } }).session ?? {};
    for (const battle of battles) gather(battle, `${feed} ${battle.ahead} ${battle.behind}`);
  }
  return found;
}

/**
 * The largest change that a tenth of a second in one gap may cause, by the end of the name. Other numbers must not
 * change.
 */
const MOVES: readonly (readonly [name: RegExp, most: number])[] = [
  [/robability$|\.(lower|upper)$/, 0.06],
  [/catchAhead\.lap$/, 8],
  [/econds(PerLap)?$/, 0.2],
  [/rejoin\.position(10|90)?$/, 1],
  [/rejoin\.gapTo(Ahead|Behind)Seconds$/, Number.POSITIVE_INFINITY],
];

test('a tenth of a second in one gap changes little, and changes nothing that does not depend on gaps', () => {
  const cars = SCRIPTED_NUMBERS.map((number, index) => ({ number, seconds: index * 0.02 }));
  const frames = scriptedRace({ cars, laps: 14, totalLaps: 40, noiseSeconds: 0.1 });
  const end = (frames.at(-1)!.utcMs - frames[0]!.utcMs) / 1_000;
  let compared = 0;
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: SCRIPTED_NUMBERS.length - 1 }),
      fc.integer({ min: 11, max: 19 }),
      (which, tenths) => {
        const emitted = [tenths, tenths + 1].map((interval) => {
          let gap = 0;
          const gaps = SCRIPTED_NUMBERS.slice(1).map((number, index) => {
            const own = (index + 1 === which ? interval : 15) / 10;
            gap += own;
            return [
              number,
              { GapToLeader: `+${gap.toFixed(3)}`, IntervalToPositionAhead: { Value: `+${own.toFixed(3)}` } },
            ];
          });
          const idle = Array.from({ length: 12 }, (_, index) =>
            at(end + 2 + index, 'TimingData', { Lines: { 1: { Sectors: { 0: { Value: `30.${100 + index}` } } } } }),
          );
          const updates = updatesFrom([
            ...frames,
            at(end, 'TimingData', { Lines: Object.fromEntries(gaps) }),
            at(end + 1, 'LapCount', { CurrentLap: 15 }),
            ...idle,
          ]).filter(({ feed, lap }) => (validators.has(feed) || feed === 'analytics.battle') && lap === 15);
          return numbersOf(updates);
        });
        for (const [name, value] of emitted[0]!) {
          const most = MOVES.findLast(([names]) => names.test(name))?.[1] ?? 0;
          // A lap may appear in only one of the two: it is at the end of the race, or its chance is at the threshold.
          if (/\.lap$/.test(name) && !emitted[1]!.has(name)) continue;
          const moved = Math.abs(emitted[1]!.get(name)! - value);
          assert.ok(moved <= most, `${name}: ${value} ${emitted[1]!.get(name)}`);
          compared++;
        }
      },
    ),
    { numRuns: 12, seed: 3 },
  );
  assert.ok(compared > 4_000, `${compared}`);
});

test('in a race without stops and flags no figure jumps from lap to lap', () => {
  const cars = SCRIPTED_NUMBERS.map((number, index) => ({ number, seconds: index * 0.3 }));
  const updates = updatesFrom(scriptedRace({ cars, laps: 25, totalLaps: 50, wearSeconds: 0.05, noiseSeconds: 0.2 }));
  const mostOf: Readonly<Record<string, readonly [field: string, most: number]>> = {
    'analytics.true-pace': ['offsetSeconds', 0.3],
    'analytics.tire-health': ['healthPercent', 20],
    'analytics.strategy': ['noStopProbability', 0.1],
    'analytics.race-odds': ['winProbability', 0.1],
    'analytics.championship': ['pointsGainedExpected', 1.5],
  };
  for (const [feed, [field, most]] of Object.entries(mostOf)) {
    const emitted = updates.filter((update) => update.feed === feed && update.lap! > 8);
    assert.ok(emitted.length > 12, feed);
    for (const [index, { drivers, lap }] of emitted.entries()) {
      for (const driver of drivers) {
        const before = emitted[index - 1]?.drivers.find(({ number }) => number === driver.number)?.[field];
        if (before === undefined) continue;
        const moved = Math.abs((driver[field] as number) - (before as number));
        assert.ok(moved <= most, `${feed} lap ${lap} ${driver.tla}: ${before} ${driver[field]}`);
      }
    }
  }
});

test('a model whose content does not hang on the flag does not repeat it when only the flag changes', () => {
  const cars = SCRIPTED_NUMBERS.map((number, index) => ({ number, seconds: index * 0.3 }));
  const frames = scriptedRace({ cars, laps: 12, totalLaps: 30 });
  const end = (frames.at(-1)!.utcMs - frames[0]!.utcMs) / 1_000;
  const idle = (from: number): Frame[] =>
    Array.from({ length: 20 }, (_, index) =>
      at(end + from + index, 'TimingData', { Lines: { 1: { Sectors: { 0: { Value: `30.${from + index}` } } } } }),
    );
  const flag = (seconds: number, Status: string): Frame => at(end + seconds, 'TrackStatus', { Status });
  const updates = updatesFrom([...frames, ...idle(100), flag(150, '4'), ...idle(200), flag(250, '1'), ...idle(300)]);
  const emitted = (feed: string): number =>
    updates.filter((update) => update.feed === feed && Date.parse(update.utc) > frames.at(-1)!.utcMs + 240_000).length;
  assert.deepEqual(['analytics.true-pace', 'analytics.strategy', 'analytics.pit-window'].map(emitted), [0, 1, 1]);
});

test('numbers are rounded to fixed decimals and never minus zero', () => {
  assert.deepEqual([rounded(1.2345, 3), rounded(-0.0004, 3), rounded(2.5, 0)], [1.235, 0, 3]);
});

test('without lap times there are stops and windows, and no pace, wear or gaps', () => {
  const untimed = deriveTimeline(
    RACE.head,
    RACE.frames.filter(({ topic }) => topic !== 'TimingData'),
  );
  const real = recorded(...PARTIAL_SESSIONS).map(({ timeline }) => timeline);
  for (const timeline of [untimed, ...real]) {
    const feeds = new Set(payloadsOf(timeline).map(({ feed }) => feed));
    for (const feed of ['analytics.true-pace', 'analytics.tire-health', 'analytics.gap-projection']) {
      assert.ok(!feeds.has(feed), `${timeline.info.sessionId} ${feed}`);
    }
    for (const { drivers } of payloadsOf(timeline, 'analytics.pit-window')) {
      assert.ok(
        drivers.every(({ rejoin, undercut, threat }) => rejoin === null && undercut === null && threat === null),
      );
    }
  }
});
