import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TireHealth } from '#engine/racing/analytics/tire-health.ts';
import type { TireHealthDriver } from '#schemas/webhook/analytics-tire-health.ts';
import { followRace } from './followed-race.ts';
import { SCRIPTED_NUMBERS, scriptedRace } from './scripted-race.ts';

const CARS = SCRIPTED_NUMBERS.map((number, index) => ({
  number,
  seconds: index * 0.5,
  startAge: index % 4,
  stops: { [10 + 3 * index]: 'MEDIUM' },
}));

function emittedIn(frames: Parameters<typeof followRace>[0]): Map<number, readonly TireHealthDriver[]> {
  const model = new TireHealth();
  const emitted = new Map<number, readonly TireHealthDriver[]>();
  followRace(frames, (picture, state, isNewLap) => {
    const content = isNewLap ? (model.emit(picture, state) as { drivers: TireHealthDriver[] } | null) : null;
    if (content !== null) emitted.set(picture.lap!, content.drivers);
  });
  return emitted;
}

test('the model recovers the wear, within its uncertainty', () => {
  for (const wearSeconds of [0, 0.05, 0.1]) {
    for (const driver of emittedIn(scriptedRace({ cars: CARS, laps: 45, wearSeconds, noiseSeconds: 0.15 })).get(43)!) {
      const { degradationSecondsPerLap: found, degradationUncertaintySecondsPerLap: uncertainty } = driver;
      assert.ok(
        Math.abs(found - wearSeconds) < Math.max(0.025, 2 * uncertainty),
        `${wearSeconds}: ${found} ± ${uncertainty}`,
      );
      assert.ok(uncertainty < 0.03, `${uncertainty}`);
    }
  }
});

test('all cars on a compound get the same wear, whatever their own stints look like', () => {
  for (const drivers of emittedIn(
    scriptedRace({ cars: CARS, laps: 45, wearSeconds: 0.1, noiseSeconds: 0.15 }),
  ).values()) {
    for (const same of Map.groupBy(drivers, ({ compound }) => compound).values()) {
      assert.equal(new Set(same.map((driver) => driver.degradationSecondsPerLap)).size, 1);
      assert.ok(same.every((driver) => driver.degradationUncertaintySecondsPerLap >= 0.022));
    }
  }
});

test('health falls with wear, as a percentage of the allowed loss, and new tires restore it', () => {
  const emitted = emittedIn(scriptedRace({ cars: CARS, laps: 45, wearSeconds: 0.1, noiseSeconds: 0.1 }));
  const last = CARS.at(-1)!;
  const at = (lap: number) => emitted.get(lap)!.find(({ number }) => number === String(last.number))!;
  assert.ok(at(12).healthPercent > at(28).healthPercent);
  assert.ok(at(36).healthPercent > at(28).healthPercent);
  for (const drivers of emitted.values()) {
    for (const { healthPercent, lostToWearSeconds, lapsUntilWorn } of drivers) {
      const percent = 100 * Math.min(1, Math.max(0, 1 - lostToWearSeconds / 1.5));
      assert.ok(Math.abs(healthPercent - percent) < 0.6, `${healthPercent} ${percent}`);
      assert.ok(lapsUntilWorn === null || lapsUntilWorn >= 0);
    }
  }
});

test('a cliff is reported for a car whose laps all drop off, and for no other', () => {
  const number = SCRIPTED_NUMBERS[4]!;
  const frames = scriptedRace({
    cars: CARS.map((car) => ({ ...car, stops: {} })),
    laps: 20,
    totalLaps: 40,
    noiseSeconds: 0.1,
  });
  const fallen = frames.map((frame) => {
    const message = JSON.parse(frame.json);
    const line = message.Lines?.[number];
    if (line?.NumberOfLaps === undefined || line.NumberOfLaps < 13 || line.LastLapTime === undefined) return frame;
    const [minutes, seconds] = line.LastLapTime.Value.split(':');
    line.LastLapTime.Value = `${minutes}:${(Number(seconds) + 2).toFixed(3)}`;
    return { ...frame, json: JSON.stringify(message) };
  });
  const cliffs = (list: typeof frames) =>
    [...emittedIn(list).values()].flatMap((drivers) =>
      drivers.filter(({ cliff }) => cliff).map((driver) => driver.number),
    );
  assert.deepEqual([...new Set(cliffs(fallen))], [String(number)]);
  assert.deepEqual(cliffs(frames), []);
});

test('one slow lap hardly changes the wear', () => {
  const number = SCRIPTED_NUMBERS[4]!;
  const frames = scriptedRace({
    cars: CARS.map((car) => ({ ...car, stops: {} })),
    laps: 22,
    totalLaps: 40,
    noiseSeconds: 0.1,
  });
  const slowed = frames.map((frame) => {
    const message = JSON.parse(frame.json);
    const line = message.Lines?.[number];
    if (line?.NumberOfLaps !== 20 || line.LastLapTime === undefined) return frame;
    const [minutes, seconds] = line.LastLapTime.Value.split(':');
    line.LastLapTime.Value = `${minutes}:${(Number(seconds) + 9).toFixed(3)}`;
    return { ...frame, json: JSON.stringify(message) };
  });
  const healthIn = (list: typeof frames) =>
    emittedIn(list)
      .get(22)!
      .find((driver) => driver.number === String(number))!.healthPercent;
  assert.ok(Math.abs(healthIn(slowed) - healthIn(frames)) <= 15, `${healthIn(frames)} ${healthIn(slowed)}`);
});
