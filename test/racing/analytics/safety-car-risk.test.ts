// analytics.safety-car: the chances, what raises them, and a comparison with the published figures.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_REASONS, safetyCarChance, safetyCarHazard } from '#engine/racing/analytics/safety-car-hazard.ts';
import type { Frame } from '#engine/racing/frame.ts';
import type { SafetyCarData } from '#schemas/webhook/analytics-safety-car.ts';
import { RACE, SPRINT } from '#test/racing/golden/golden-sessions.ts';
import { payloadsOf, recorded } from '#test/racing/real-sessions.ts';
import { at, lines, raceUnderWay, updatesFrom } from '#test/racing/scripted-session.ts';

function quietFrames(fromSeconds: number): Frame[] {
  return Array.from({ length: 12 }, (_, index) =>
    lines(fromSeconds + index, { 1: { Sectors: { 0: { Value: `${index}` } } } }),
  );
}

const emittedFrom = (frames: readonly Frame[]) =>
  updatesFrom(frames, 'analytics.safety-car').map(({ data }) => data as unknown as SafetyCarData);

test('over a whole race deployments match the published rate: 0.71, and 0.26 on the first lap', () => {
  const hazard = safetyCarHazard(1, 50, 1, NO_REASONS);
  assert.ok(Math.abs(hazard.nextLap - 0.2587) < 0.001);
  assert.ok(Math.abs(hazard.nextLap + 49 * hazard.perLap - 86 / 121) < 0.001);
  assert.equal(safetyCarChance(hazard, 0), 0);
});

test('a yellow flag and a stopped car raise the chance, and fewer cars lower it', () => {
  const chance = (running: number, reasons: object) =>
    safetyCarChance(safetyCarHazard(10, 50, running, { ...NO_REASONS, ...reasons }), 1);
  assert.ok(chance(1, { yellowFlag: true }) > chance(1, {}));
  assert.ok(chance(1, { standingCar: true }) > chance(1, { yellowFlag: true }));
  assert.ok(chance(1, { rainChanged: true }) > chance(1, {}));
  assert.ok(chance(0.5, {}) < chance(1, {}));
});

test('a car that drops out raises the chance at once, for two laps', () => {
  const emitted = emittedFrom([
    ...raceUnderWay(),
    ...quietFrames(1),
    lines(20, { 16: { Retired: true } }),
    ...quietFrames(21),
    at(40, 'LapCount', { CurrentLap: 11 }),
    ...quietFrames(41),
    at(60, 'LapCount', { CurrentLap: 12 }),
    ...quietFrames(61),
  ]);
  assert.deepEqual(
    emitted.map(({ standingCar }) => standingCar),
    [false, true, true, false],
  );
  assert.ok(emitted[1]!.nextLap.probability > 5 * emitted[0]!.nextLap.probability);
});

test('while a safety car is out it is reported, and no other is expected on this lap', () => {
  const [, out] = emittedFrom([
    ...raceUnderWay(),
    ...quietFrames(1),
    at(20, 'TrackStatus', { Status: '4' }),
    ...quietFrames(21),
  ]);
  assert.equal(out!.deployed, 'real');
  assert.equal(out!.deployments, 1);
  assert.equal(out!.nextLap.probability, 0);
  assert.ok(out!.untilEnd.probability > 0);
});

const RACES = [RACE, SPRINT, ...recorded('2018-azerbaijan-race', '2025-miami-sprint', '2020-belgium-race')];

for (const session of RACES) {
  test(`${session.sessionId}: chances are between 0 and 1, never fall with more laps, and lie within their bounds`, () => {
    const emitted = payloadsOf(session.timeline, 'analytics.safety-car').map(
      ({ data }) => data as unknown as SafetyCarData,
    );
    assert.ok(emitted.length > (session === SPRINT ? 10 : 15), `${emitted.length}`);
    for (const { nextLap, nextFiveLaps, untilEnd, expectedLaps } of emitted) {
      for (const { lower, probability, upper } of [nextLap, nextFiveLaps, untilEnd]) {
        assert.ok(0 <= lower && lower <= probability && probability <= upper && upper <= 1);
      }
      assert.ok(nextLap.probability <= nextFiveLaps.probability);
      assert.ok(nextFiveLaps.probability <= untilEnd.probability);
      assert.ok(expectedLaps >= 0 && Number.isFinite(expectedLaps));
    }
  });
}
