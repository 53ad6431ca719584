// analytics.battle: which cars fight, how fast the car behind closes in, and when the last battle ends.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Frame } from '#engine/racing/frame.ts';
import type { Battle } from '#schemas/webhook/analytics-battle.ts';
import { RACE, SPRINT } from '#test/racing/golden/golden-sessions.ts';
import { payloadsOf, recorded, type TestPayload } from '#test/racing/real-sessions.ts';
import { at, lines, raceUnderWay, updatesFrom } from '#test/racing/scripted-session.ts';

const battlesOf = (payload: TestPayload) =>
  (payload as unknown as { readonly session: { readonly battles: readonly Battle[] } }).session.battles;

/** From lap 11 on, the gap of car 4 to car 1 at the start of each lap. */
function pursuit(gaps: readonly number[]): Frame[] {
  return gaps.flatMap((gap, index) => [
    lines(index * 90 + 89, { 4: { IntervalToPositionAhead: { Value: `+${gap.toFixed(3)}` } } }),
    at(index * 90 + 90, 'LapCount', { CurrentLap: 11 + index }),
    ...Array.from({ length: 12 }, (_, at) =>
      lines(index * 90 + 91 + at, { 1: { Sectors: { 0: { Value: `${index}.${at}` } } } }),
    ),
  ]);
}

const emittedFrom = (frames: readonly Frame[]) => updatesFrom([...raceUnderWay(), ...frames], 'analytics.battle');

test('no update is emitted while cars are more than two seconds apart', () => {
  assert.deepEqual(emittedFrom(pursuit([2.1, 3, 9])), []);
});

test('a battle is emitted lap by lap, and once more, empty, when it ends', () => {
  const emitted = emittedFrom(pursuit([3, 1.5, 0.8, 2.5, 2.6]));
  assert.deepEqual(
    emitted.map((payload) =>
      battlesOf(payload).map(({ ahead, behind, gapSeconds, withinOneSecond }) => [
        ahead,
        behind,
        gapSeconds,
        withinOneSecond,
      ]),
    ),
    [[['1', '4', 1.5, false]], [['1', '4', 0.8, true]], []],
  );
  assert.deepEqual(
    emitted.map(({ drivers }) => drivers.map(({ tla }) => tla)),
    [['VER', 'NOR'], ['VER', 'NOR'], []],
  );
});

test('the closing speed follows the gap once there are enough laps, and a faster pursuer passes sooner', () => {
  const [closing] = battlesOf(emittedFrom(pursuit([3.5, 3, 2.5, 2, 1.5])).at(-1)!);
  assert.equal(closing!.lapsTogether, 5);
  assert.ok(Math.abs(closing!.closingSecondsPerLap - 0.5) < 0.15, `${closing!.closingSecondsPerLap}`);
  const [steady] = battlesOf(emittedFrom(pursuit([1.5, 1.5, 1.5, 1.5, 1.5])).at(-1)!);
  assert.ok(closing!.passWithinFiveLaps.probability > steady!.passWithinFiveLaps.probability);
  assert.ok(steady!.closingDeviationSecondsPerLap < 0.5);
});

test('there are no battles behind a safety car', () => {
  const emitted = emittedFrom([
    ...pursuit([1.5]),
    at(150, 'TrackStatus', { Status: '4' }),
    ...Array.from({ length: 12 }, (_, index) => lines(151 + index, { 1: { Sectors: { 0: { Value: `${index}` } } } })),
  ]);
  assert.deepEqual(
    emitted.map((payload) => battlesOf(payload).length),
    [1, 0],
  );
});

test('gaps behind a safety car do not count for the closing speed', () => {
  const quiet = (seconds: number): Frame[] =>
    Array.from({ length: 12 }, (_, index) =>
      lines(seconds + index, { 1: { Sectors: { 0: { Value: `${seconds}.${index}` } } } }),
    );
  const gap = (seconds: number, value: number): Frame =>
    lines(seconds, { 4: { IntervalToPositionAhead: { Value: `+${value}` } } });
  const emitted = emittedFrom([
    gap(10, 30),
    at(20, 'TrackStatus', { Status: '4' }),
    ...[25, 15, 5, 1.2].flatMap((value, index) => [
      gap(100 * index + 80, value),
      at(100 * index + 90, 'LapCount', { CurrentLap: 11 + index }),
      ...quiet(100 * index + 91),
    ]),
    at(450, 'TrackStatus', { Status: '1' }),
    ...quiet(451),
  ]);
  const [battle] = battlesOf(emitted.at(-1)!);
  assert.equal(battle!.lapsTogether, 1);
  assert.ok(Math.abs(battle!.closingSecondsPerLap) < 0.5, `${battle!.closingSecondsPerLap}`);
});

test('a gap changed by a stop does not count for the closing speed', () => {
  const emitted = emittedFrom([
    ...pursuit([1.5, 1.5, 1.5]),
    lines(300, { 1: { InPit: true } }),
    lines(320, { 1: { InPit: false } }),
    ...pursuit([1.5, 1.5, 1.5, 1.5, 0.2]).slice(3 * 14),
  ]);
  assert.equal(battlesOf(emitted.at(-1)!)[0]!.lapsTogether, 1);
});

test('near the end only the laps left count for a pass', () => {
  const chances = (TotalLaps: number) => {
    const [battle] = battlesOf(
      emittedFrom([at(1, 'LapCount', { TotalLaps }), ...pursuit([2, 1.7, 1.4, 1.1, 0.8])]).at(-1)!,
    );
    return [battle!.passWithinOneLap, battle!.passWithinThreeLaps, battle!.passWithinFiveLaps];
  };
  const rising = ([one, three, five]: ReturnType<typeof chances>) => [
    one!.probability < three!.probability,
    three!.probability < five!.probability,
  ];
  assert.deepEqual(rising(chances(50)), [true, true]);
  const [one, ...others] = chances(15);
  assert.deepEqual(others, [one, one]);
  const [, three, five] = chances(17);
  assert.deepEqual(rising(chances(17)), [true, false]);
  assert.deepEqual(three, five);
});

for (const session of [RACE, SPRINT, ...recorded('2018-azerbaijan-race', '2025-miami-sprint')]) {
  test(`${session.sessionId}: chances are between 0 and 1, and more laps never lower them`, () => {
    const emitted = payloadsOf(session.timeline, 'analytics.battle');
    assert.ok(emitted.length > 10);
    let empty = false;
    for (const payload of emitted) {
      const battles = battlesOf(payload);
      assert.ok(!(empty && battles.length === 0), 'empty twice');
      empty = battles.length === 0;
      for (const {
        gapSeconds,
        passWithinOneLap: one,
        passWithinThreeLaps: three,
        passWithinFiveLaps: five,
      } of battles) {
        assert.ok(gapSeconds >= 0 && gapSeconds <= 2);
        for (const { lower, probability, upper } of [one, three, five]) {
          assert.ok(0 <= lower && lower <= probability && probability <= upper && upper <= 1);
        }
        assert.ok(one.probability <= three.probability && three.probability <= five.probability);
      }
    }
  });
}
