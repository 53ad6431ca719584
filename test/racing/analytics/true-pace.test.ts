import assert from 'node:assert/strict';
import { test } from 'node:test';
import { paces } from '#engine/racing/analytics/pace.ts';
import { TruePace } from '#engine/racing/analytics/true-pace.ts';
import type { TruePaceDriver } from '#schemas/webhook/analytics-true-pace.ts';
import { RACE, SPRINT } from '#test/racing/golden/golden-sessions.ts';
import { recorded } from '#test/racing/real-sessions.ts';
import { followRace } from './followed-race.ts';
import { SCRIPTED_NUMBERS, scriptedRace } from './scripted-race.ts';

function emittedIn(frames: Parameters<typeof followRace>[0]): Map<number, readonly TruePaceDriver[]> {
  const model = new TruePace();
  const emitted = new Map<number, readonly TruePaceDriver[]>();
  followRace(frames, (picture, state, isNewLap) => {
    const content = isNewLap ? (model.emit(picture, state) as { drivers: TruePaceDriver[] } | null) : null;
    if (content !== null) emitted.set(picture.lap!, content.drivers);
  });
  return emitted;
}

/** Cars half a second apart in pace, with starting gaps large enough to avoid traffic. */
const CARS = SCRIPTED_NUMBERS.map((number, index) => ({
  number,
  seconds: index * 0.5,
  startAge: (index % 3) * 4,
  stops: { [12 + ((index * 5) % 8) * 2]: 'HARD' },
}));

test('the model recovers the paces of cars from under fuel, wear and noise', () => {
  const emitted = emittedIn(scriptedRace({ cars: CARS, laps: 40, wearSeconds: 0.08, noiseSeconds: 0.15 })).get(36)!;
  // A lap of the fastest car takes 90 s once all corrections are removed.
  for (const { truePaceSeconds, offsetSeconds } of emitted) {
    assert.ok(Math.abs(truePaceSeconds - offsetSeconds - 90) < 0.8, `${truePaceSeconds}`);
  }
  const bySpeed = [...emitted].sort((a, b) => a.rank - b.rank);
  assert.deepEqual(
    bySpeed.map(({ number }) => Number(number)),
    SCRIPTED_NUMBERS,
  );
  bySpeed.forEach(({ offsetSeconds, uncertaintySeconds }, index) => {
    assert.ok(Math.abs(offsetSeconds - index * 0.5) < 0.35, `${index}: ${offsetSeconds}`);
    assert.ok(uncertaintySeconds > 0 && uncertaintySeconds < 0.4);
  });
});

test('a shared effect, such as a slower track, changes no car relative to another', () => {
  const steady = emittedIn(scriptedRace({ cars: CARS, laps: 30, noiseSeconds: 0.1 })).get(28)!;
  const shared = (lap: number) => (lap > 20 ? 4 : lap % 5);
  const changing = emittedIn(scriptedRace({ cars: CARS, laps: 30, noiseSeconds: 0.1, shared })).get(28)!;
  for (const { number, offsetSeconds } of steady) {
    const other = changing.find((driver) => driver.number === number)!;
    assert.ok(
      Math.abs(other.offsetSeconds - offsetSeconds) < 0.35,
      `${number}: ${offsetSeconds} ${other.offsetSeconds}`,
    );
  }
});

test('a mistake that costs eight seconds on one lap hardly changes a pace', () => {
  const before = scriptedRace({ cars: CARS, laps: 12, totalLaps: 40, noiseSeconds: 0.1 });
  const spoiled = before.map((frame) => {
    const message = JSON.parse(frame.json);
    const line = message.Lines?.[SCRIPTED_NUMBERS[3]!];
    if (line?.NumberOfLaps !== 9) return frame;
    line.LastLapTime.Value = '1:43.000';
    return { ...frame, json: JSON.stringify(message) };
  });
  const [clean, mistaken] = [before, spoiled].map(
    (frames) => paces(followRace(frames)).get(String(SCRIPTED_NUMBERS[3]))!,
  );
  assert.ok(
    Math.abs(clean!.offsetSeconds - mistaken!.offsetSeconds) < 0.3,
    `${clean!.offsetSeconds} ${mistaken!.offsetSeconds}`,
  );
});

test('a car without clean laps counts as typical, with a large uncertainty', () => {
  const found = paces(followRace(scriptedRace({ cars: CARS, laps: 1, totalLaps: 40 })));
  assert.equal(found.size, CARS.length);
  for (const pace of found.values()) assert.deepEqual(pace, { offsetSeconds: 0, uncertaintySeconds: 0.8, laps: 0 });
});

test('offsets and corrections stay plausible in the dry and in the rain', () => {
  for (const session of [RACE, SPRINT, ...recorded('2018-azerbaijan-race', '2025-miami-sprint')]) {
    const emitted = emittedIn(session.frames);
    assert.ok(emitted.size > (session === SPRINT ? 5 : 10));
    for (const [lap, drivers] of emitted) {
      for (const { tla, offsetSeconds, uncertaintySeconds, latestLap } of drivers) {
        assert.ok(offsetSeconds >= 0 && offsetSeconds < 6, `${session.sessionId} ${lap} ${tla}: ${offsetSeconds}`);
        assert.ok(
          uncertaintySeconds > 0 && uncertaintySeconds < 1.2,
          `${session.sessionId} ${lap} ${tla}: ${uncertaintySeconds}`,
        );
        if (latestLap === null) continue;
        const { fuelSeconds, tireSeconds, trafficSeconds } = latestLap;
        assert.ok(fuelSeconds >= 0 && fuelSeconds < 4 && Math.abs(tireSeconds) < 3 && Math.abs(trafficSeconds) < 1.5);
      }
    }
  }
});

test('the next laps are told from the latest three, all clean; after a stop from nothing', () => {
  const cars = [0, 1, 2, 3].map((index) => ({
    number: SCRIPTED_NUMBERS[index]!,
    seconds: index * 0.5,
    stops: { [12 + index]: 'HARD' },
  }));
  const emitted = emittedIn(scriptedRace({ cars, laps: 30, wearSeconds: 0.08 }));
  const [first] = cars;
  const told = [...emitted].map(([lap, drivers]) => {
    const own = drivers.find(({ number }) => Number(number) === first!.number);
    return [lap, own?.nextLapsSeconds ?? null] as const;
  });
  const known = new Map(told);
  for (const lap of [14, 15]) assert.equal(known.get(lap), null, `lap ${lap}`);
  for (const lap of [8, 11, 20, 28]) {
    const { latestLap } = emitted.get(lap)!.find(({ number }) => Number(number) === first!.number)!;
    assert.ok(Math.abs(known.get(lap)! - latestLap!.lapSeconds) < 0.3, `lap ${lap}: ${known.get(lap)}`);
  }
});
