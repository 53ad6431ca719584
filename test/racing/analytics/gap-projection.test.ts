import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GapProjection } from '#engine/racing/analytics/gap-projection.ts';
import type { GapProjectionDriver } from '#schemas/webhook/analytics-gap-projection.ts';
import { RACE } from '#test/racing/golden/golden-sessions.ts';
import { recorded } from '#test/racing/real-sessions.ts';
import { followRace } from './followed-race.ts';
import { SCRIPTED_NUMBERS, scriptedRace } from './scripted-race.ts';

/** The updates at the start of each lap, by lap and racing number. */
function emittedIn(frames: Parameters<typeof followRace>[0]): Map<number, Map<string, GapProjectionDriver>> {
  const model = new GapProjection();
  const emitted = new Map<number, Map<string, GapProjectionDriver>>();
  followRace(frames, (picture, state, isNewLap) => {
    if (!isNewLap) return;
    const content = model.emit(picture, state) as { drivers: GapProjectionDriver[] } | null;
    if (content !== null) emitted.set(picture.lap!, new Map(content.drivers.map((driver) => [driver.number, driver])));
  });
  return emitted;
}

test('a faster car closes in, and the expected catch is when it really catches the car ahead', () => {
  const cars = SCRIPTED_NUMBERS.map((number, index) => ({ number, seconds: index === 1 ? 0 : 0.3 + index * 0.3 }));
  const emitted = emittedIn(
    scriptedRace({ cars: [{ number: 1, seconds: 0.3 }, ...cars.slice(1)], laps: 40, noiseSeconds: 0.05 }),
  );
  const early = emitted.get(10)!.get(String(SCRIPTED_NUMBERS[2]))!;
  const [next, , later] = early.projections;
  assert.ok(later!.gapToLeader!.p50Seconds > next!.gapToLeader!.p50Seconds);
  for (const { projections } of emitted.get(10)!.values()) {
    for (const { gapToLeader, gapToAhead } of projections) {
      for (const quantiles of [gapToLeader, gapToAhead]) {
        if (quantiles === null) continue;
        assert.ok(quantiles.p10Seconds <= quantiles.p50Seconds && quantiles.p50Seconds <= quantiles.p90Seconds);
      }
    }
  }
});

test('a lapped car has no projection to the leader, and a race that is not green has none at all', () => {
  for (const { frames } of [RACE, ...recorded('2018-azerbaijan-race')]) {
    const model = new GapProjection();
    let lapped = 0;
    followRace(frames, (picture, state, isNewLap) => {
      if (!isNewLap) return;
      const content = model.emit(picture, state) as { drivers: GapProjectionDriver[] } | null;
      if (!picture.isGreen) assert.equal(content, null);
      for (const { car, lapsBehind } of picture.order()) {
        if (lapsBehind === 0 || content === null) continue;
        lapped++;
        const { projections = [] } = content.drivers.find(({ number }) => number === car.number) ?? {};
        assert.ok(projections.every(({ gapToLeader }) => gapToLeader === null));
      }
    });
    assert.ok(lapped > 0);
  }
});

test('near the end gaps are projected to the end', () => {
  const cars = SCRIPTED_NUMBERS.map((number, index) => ({ number, seconds: index * 0.2 }));
  const emitted = emittedIn(scriptedRace({ cars, laps: 12 }));
  const [driver] = emitted.get(11)!.values();
  assert.deepEqual(
    driver!.projections.map(({ inLaps }) => inLaps),
    [1, 2],
  );
});

test('for the car behind the leader both gaps are the same', () => {
  const cars = SCRIPTED_NUMBERS.map((number, index) => ({ number, seconds: index === 0 ? 0.5 : 0 }));
  const emitted = emittedIn(scriptedRace({ cars, laps: 14, totalLaps: 40, noiseSeconds: 0.05 }));
  let held = 0;
  for (const drivers of emitted.values()) {
    for (const { position, projections } of drivers.values()) {
      if (position !== 2) continue;
      for (const { gapToLeader, gapToAhead } of projections) {
        assert.deepEqual(gapToLeader, gapToAhead);
        if (gapToAhead!.p50Seconds < 0.5) held++;
      }
    }
  }
  assert.ok(held > 0);
});
