// analytics.qualifying on golden and recorded sessions, and on scripted ones.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { QUALIFYING_UPDATE_MS } from '#engine/racing/analytics/qualifying-picture.ts';
import { SectorShares } from '#engine/racing/analytics/sector-shares.ts';
import type { Frame } from '#engine/racing/frame.ts';
import type { QualifyingDriver } from '#schemas/webhook/analytics-qualifying.ts';
import { QUALIFYING } from '#test/racing/golden/golden-sessions.ts';
import { payloadsOf, recorded, type TestSession } from '#test/racing/real-sessions.ts';
import { at, updatesFrom } from '#test/racing/scripted-session.ts';

interface Emitted {
  readonly utc: string;
  readonly drivers: readonly QualifyingDriver[];
  readonly session: {
    readonly part: number;
    readonly timeLeftSeconds: number | null;
    readonly cutOffPosition: number | null;
    readonly cutOffTime: { readonly lowMs: number; readonly medianMs: number; readonly highMs: number } | null;
  };
}

const emittedFrom = (frames: readonly Frame[]) =>
  updatesFrom(frames, 'analytics.qualifying') as unknown as readonly Emitted[];

function checkChances({ drivers, session }: Emitted): void {
  const sum = (value: (driver: QualifyingDriver) => number) => drivers.reduce((total, one) => total + value(one), 0);
  assert.ok(Math.abs(sum(({ poleProbability }) => poleProbability) - 1) < 2e-3);
  const { cutOffPosition: cutOff, cutOffTime } = session;
  const out = cutOff === null ? 0 : Math.max(0, drivers.length - cutOff);
  assert.ok(Math.abs(sum(({ eliminationProbability }) => eliminationProbability ?? 0) - out) < 2e-3);
  for (const driver of drivers) {
    assert.equal(driver.eliminationProbability === null, cutOff === null);
    for (const chance of [driver.poleProbability, driver.frontRowProbability, driver.eliminationProbability ?? 0])
      assert.ok(chance >= 0 && chance <= 1);
    for (const place of [driver.expectedGridPosition, driver.expectedPartPosition])
      assert.ok(place >= 1 && place <= drivers.length);
  }
  if (cutOffTime !== null)
    assert.ok(cutOffTime.lowMs <= cutOffTime.medianMs && cutOffTime.medianMs <= cutOffTime.highMs);
}

/** The oldest has no clock. */
const CLOCKLESS = '2023-azerbaijan-qualifying';
const SESSIONS = [QUALIFYING, ...recorded(CLOCKLESS, '2025-mexico-qualifying', '2026-austria-qualifying')];
const emittedIn = ({ timeline }: TestSession) =>
  payloadsOf(timeline, 'analytics.qualifying') as unknown as readonly Emitted[];

for (const session of SESSIONS) {
  test(`${session.sessionId}: chances add up, updates keep their interval, and at the end the order is certain`, () => {
    const emitted = emittedIn(session);
    const clock = session.sessionId !== CLOCKLESS;
    assert.ok(emitted.length > 50);
    for (const [index, one] of emitted.entries()) {
      checkChances(one);
      // Between parts the clock still shows the end of the previous part.
      const isRunning = one.drivers.some(({ bestTimeMs }) => bestTimeMs !== null);
      if (isRunning || !clock) assert.equal(one.session.timeLeftSeconds !== null, clock);
      const before = emitted[index - 1];
      if (before !== undefined) assert.ok(Date.parse(one.utc) - Date.parse(before.utc) >= QUALIFYING_UPDATE_MS);
    }
    const { session: last, drivers } = emitted.at(-1)!;
    assert.equal(last.part, 3);
    for (const [place, { expectedGridPosition }] of drivers.entries()) {
      assert.ok(Math.abs(expectedGridPosition - place - 1) < 0.01);
    }
  });
}

for (const session of SESSIONS) {
  test(`${session.sessionId}: a part starts with chances for its drivers and ends with 0 and 1 only`, () => {
    const emitted = emittedIn(session);
    for (const [index, { session: now, drivers }] of emitted.entries()) {
      const before = emitted[index - 1]?.session;
      if (now.part === 1 || now.part === before?.part) continue;
      const last = emitted[index - 1]!.drivers;
      assert.ok(last.every(({ eliminationProbability: chance }) => chance === 0 || chance === 1));
      assert.deepEqual(
        drivers.map(({ number }) => number).sort(),
        last
          .slice(0, before!.cutOffPosition!)
          .map(({ number }) => number)
          .sort(),
      );
      assert.ok(drivers.every(({ poleProbability }) => poleProbability < 0.6));
    }
  });
}

test('the clock of the previous part is ignored until the next part starts', () => {
  const emitted = emittedFrom([
    at(0, 'SessionInfo', { Type: 'Qualifying', Name: 'Qualifying' }),
    at(0, 'ExtrapolatedClock', { Utc: '2025-05-04T20:00:00Z', Remaining: '00:00:00', Extrapolating: false }),
    at(1, 'TimingData', {
      SessionPart: 2,
      NoEntries: [3, 2, 1],
      Lines: {
        1: { Position: '1', InPit: true, BestLapTimes: [{ Value: '1:16.000' }] },
        4: { Position: '2', InPit: true, BestLapTimes: [{ Value: '1:16.100' }] },
        16: { Position: '3', InPit: true, BestLapTimes: [{ Value: '1:16.200' }] },
      },
    }),
  ])[0]!;
  assert.equal(emitted.session.timeLeftSeconds, null);
  assert.deepEqual(
    emitted.drivers.map(({ tla, number }) => tla ?? number),
    ['1', '4'],
  );
  for (const { eliminationProbability: chance } of emitted.drivers) assert.ok(chance! > 0.2 && chance! < 0.8);
});

for (const session of [QUALIFYING, ...recorded('2025-mexico-qualifying')]) {
  test(`${session.sessionId}: a known number advances, and the projected cut-off narrows towards the real one`, () => {
    for (const [part, cutOff] of [
      [1, session === QUALIFYING ? 12 : 15],
      [2, 10],
    ] as const) {
      const ofPart = emittedIn(session).filter(({ session: { part: now } }) => now === part);
      assert.ok(ofPart.every(({ session: { cutOffPosition } }) => cutOffPosition === cutOff));
      const last = ofPart.at(-1)!;
      const { lowMs, highMs } = last.session.cutOffTime!;
      assert.ok(highMs - lowMs < 50, `${highMs - lowMs}`);
      assert.ok(Math.abs(last.drivers[cutOff - 1]!.bestTimeMs! - highMs) < 50);
    }
  });
}

/** A first part with these best times, `secondsLeft` before its end. */
function firstPart(times: readonly (number | null)[], secondsLeft: number): Emitted {
  const cars = times.map((seconds, index) => [
    String(index + 1),
    {
      Position: String(index + 1),
      KnockedOut: false,
      InPit: false,
      BestLapTimes: [{ Value: seconds === null ? '' : `1:${seconds.toFixed(3).padStart(6, '0')}` }, {}, {}],
    },
  ]);
  const remaining = `00:${String(Math.floor(secondsLeft / 60)).padStart(2, '0')}:${String(secondsLeft % 60).padStart(2, '0')}`;
  return emittedFrom([
    at(0, 'SessionInfo', { Type: 'Qualifying', Name: 'Qualifying' }),
    at(0, 'SessionStatus', { Status: 'Started' }),
    at(0, 'ExtrapolatedClock', { Utc: '2025-05-04T20:00:01Z', Remaining: remaining, Extrapolating: true }),
    at(1, 'TimingData', { SessionPart: 1, NoEntries: [20, 15, 10], Lines: Object.fromEntries(cars) }),
  ])[0]!;
}

/** With six seconds left, a coarse grid put two of the last six in the wrong order by more than a hundredth. */
const CLOSE_TO_THE_CUT_OFF = [...Array.from({ length: 14 }, () => 16), 18.894, 18.908, 19.065, 19.077, 19.428, 19.608];

const twentyTimes = fc
  .array(fc.option(fc.integer({ min: 0, max: 4_000 }), { freq: 5 }), { minLength: 20, maxLength: 20 })
  .map((all) => all.map((ms) => (ms === null ? null : 16 + ms / 1_000)))
  .map((all) => all.sort((a, b) => (a ?? 99) - (b ?? 99)))
  .filter(([first]) => first !== null);

test('chances add up whatever the times are, and a faster driver is never more likely to go out', () => {
  fc.assert(
    fc.property(twentyTimes, fc.integer({ min: 0, max: 1_079 }), (times, secondsLeft) => {
      const emitted = firstPart(times, secondsLeft);
      checkChances(emitted);
      assert.equal(emitted.session.timeLeftSeconds, secondsLeft);
      for (const [index, { eliminationProbability }] of emitted.drivers.entries()) {
        if (index === 0 || times[index] === null) continue;
        assert.ok(eliminationProbability! >= emitted.drivers[index - 1]!.eliminationProbability! - 0.01);
      }
    }),
    { numRuns: 100, examples: [[CLOSE_TO_THE_CUT_OFF, 6]] },
  );
});

test('as time runs out, elimination gets less likely above the cut-off and more likely below it', () => {
  const times = Array.from({ length: 20 }, (_, index) => 16 + index / 10);
  const [early, late] = [firstPart(times, 900), firstPart(times, 20)];
  assert.ok(late.drivers[12]!.eliminationProbability! < early.drivers[12]!.eliminationProbability!);
  assert.ok(late.drivers[17]!.eliminationProbability! > early.drivers[17]!.eliminationProbability!);
});

/** The sectors of a best lap, as parts of it. */
const SECTOR_PARTS = [0.3, 0.4, 0.3];
const sectorText = (lapSeconds: number, sector: number) => (lapSeconds * SECTOR_PARTS[sector]!).toFixed(3);

/**
 * A first part of 20 drivers a tenth apart, of whom 15 go on; all but the first wait in the pits. In its last minute driver
 * 20 ends sectors of a lap, each at the pace of a lap of so many seconds.
 */
function onALap(paces: readonly number[], then: readonly Frame[] = []): Emitted {
  const seconds = (index: number) => 76 + index / 10;
  const frames = [
    at(0, 'SessionInfo', { Type: 'Qualifying', Name: 'Qualifying' }),
    at(0, 'SessionStatus', { Status: 'Started' }),
    at(0, 'ExtrapolatedClock', { Utc: '2025-05-04T20:00:00Z', Remaining: '00:01:00', Extrapolating: true }),
    at(1, 'TimingData', {
      SessionPart: 1,
      NoEntries: [20, 15, 10],
      Lines: Object.fromEntries(
        Array.from({ length: 20 }, (_, index) => [
          String(index + 1),
          {
            Position: String(index + 1),
            InPit: index < 19,
            BestLapTimes: [{ Value: `1:${(seconds(index) - 60).toFixed(3)}` }, {}, {}],
            Sectors: SECTOR_PARTS.map((_part, sector) => ({ Value: sectorText(seconds(index), sector) })),
          },
        ]),
      ),
    }),
    ...paces.map((pace, sector) =>
      at(10 + 20 * sector, 'TimingData', {
        Lines: {
          20: {
            Sectors: {
              [sector]: { Value: sectorText(pace, sector) },
              ...(sector === 0 ? { 1: { Value: '' }, 2: { Value: '' } } : {}),
            },
          },
        },
      }),
    ),
    ...then,
  ];
  return emittedFrom(frames).at(-1)!;
}

const chanceOf = ({ drivers }: Emitted) => drivers.find(({ number }) => number === '20')!.eliminationProbability!;

test('fast sectors make elimination less likely, slow ones more likely, and the second tells more than the first', () => {
  const [none, first, second] = [onALap([]), onALap([77]), onALap([77, 77])];
  assert.ok(chanceOf(first) < chanceOf(none) - 0.1, `${chanceOf(first)} ${chanceOf(none)}`);
  assert.ok(chanceOf(second) < chanceOf(first) - 0.1, `${chanceOf(second)} ${chanceOf(first)}`);
  const slow = onALap([77, 90]);
  assert.ok(chanceOf(slow) > chanceOf(none), `${chanceOf(slow)} ${chanceOf(none)}`);
  for (const emitted of [none, first, second, slow]) checkChances(emitted);
  // Who is about to be passed is less safe.
  const fifteenth = ({ drivers }: Emitted) => drivers[14]!.eliminationProbability!;
  assert.ok(fifteenth(second) > fifteenth(none));
});

test('a lap that does not reach its next sector in time was given up', () => {
  const later = (seconds: number) => [
    at(seconds, 'TimingData', { Lines: { 1: { BestLapTimes: { 0: { Value: '1:15.900' } } } } }),
  ];
  const [soon, late] = [onALap([77], later(30)), onALap([77], later(55))];
  assert.ok(chanceOf(late) > chanceOf(soon) + 0.2, `${chanceOf(late)} ${chanceOf(soon)}`);
});

test('chances add up whatever the pace of a lap is', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 74_000, max: 90_000 }), { maxLength: 2 }), (paces) => {
      checkChances(onALap(paces.map((ms) => ms / 1_000)));
    }),
    { numRuns: 30, examples: [[[75_000, 75_000]]] },
  );
});

test('a lap under way is projected from the best laps that are known by then', () => {
  const shares = new SectorShares();
  const textsOf = (parts: readonly number[]) =>
    Object.fromEntries(parts.map((part, index) => [index, { Value: part.toFixed(3) }]));
  const ended = (number: string, parts: readonly number[]) => {
    const texts = textsOf(parts);
    shares.apply(number, texts, { [parts.length - 1]: texts[parts.length - 1]! }, parts.length === 3 ? 100 : null, 0);
    return texts;
  };
  const projected = () => shares.underWay('9', ended('9', [30]), 0)?.projectedSeconds;
  assert.equal(projected(), undefined, 'no best lap is known');
  for (const number of ['1', '2', '3']) ended(number, [25, 35, 40]);
  assert.equal(projected(), 120);
  for (const number of ['4', '5', '6', '7']) ended(number, [50, 25, 25]);
  assert.equal(projected(), 60);
});
