import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FRAME_BYTES_MAX } from '#engine/base/limits.ts';
import { SourceError } from '#engine/base/source-error.ts';
import type { Frame } from '#engine/racing/frame.ts';
import { inflated } from '#engine/racing/normalise/samples.ts';
import { compressed } from '#test/racing/compressed-message.ts';
import { QUALIFYING, RACE } from '#test/racing/golden/golden-sessions.ts';
import { payloadsOf, recorded } from '#test/racing/real-sessions.ts';
import { at, DRIVERS, START_MS, timelineFrom, updatesFrom } from '#test/racing/scripted-session.ts';

const CAR = { 0: 10_500, 2: 301, 3: 8, 4: 100, 5: 0, 45: 12 };
const IDENTITY = { driverId: 'lando-norris', number: '4', tla: 'NOR', name: 'Lando Norris', position: null };
const NORRIS = { ...IDENTITY, team: 'McLaren', constructorId: 'mclaren' };
const LISTED = at(0, 'DriverList', { 4: DRIVERS[4] });

/** Makes a message with car samples at seconds after the start. */
function carData(...samples: readonly (readonly [seconds: number, cars: Readonly<Record<string, object>>])[]): Frame {
  const entries = samples.map(([seconds, cars]) => ({
    Utc: `${new Date(START_MS + seconds * 1_000).toISOString().slice(0, -1)}1234Z`,
    Cars: Object.fromEntries(Object.entries(cars).map(([number, channels]) => [number, { Channels: channels }])),
  }));
  return frameOf('CarData.z', JSON.stringify({ Entries: entries }));
}

function frameOf(topic: string, text: string): Frame {
  return { utcMs: START_MS + 2_000, topic, json: compressed(text) };
}

/** Returns the racing numbers in each update. */
function carsOf(frames: Iterable<Frame>, feed = 'car.telemetry'): unknown[] {
  return updatesFrom(frames, feed).map(({ drivers }) => drivers.map(({ number }) => number).join(' '));
}

test('the channels of a car come by name, with the identity of its driver and the time of the sample', () => {
  const [update, ...more] = updatesFrom([LISTED, carData([1.5, { 4: CAR }])], 'car.telemetry');
  assert.deepEqual(more, []);
  assert.deepEqual(update!.drivers, [
    { ...NORRIS, rpm: 10_500, speedKph: 301, gear: 8, throttlePercent: 100, brakePercent: 0, drs: 12, drsOpen: true },
  ]);
  assert.equal((update as unknown as { sampleUtc: string }).sampleUtc, '2025-05-04T20:00:01.500Z');
  assert.equal(update!.utc, '2025-05-04T20:00:02.000Z');
});

test('a pedal at 104 has no value, and an unknown code of the rear wing is neither open nor closed', () => {
  const wing = (code: unknown): unknown => {
    const [update] = updatesFrom([carData([1, { 4: { ...CAR, 4: 104, 5: 104, 45: code } }])], 'car.telemetry');
    const { throttlePercent, brakePercent, drs, drsOpen } = update!.drivers[0]! as Record<string, unknown>;
    assert.deepEqual([throttlePercent, brakePercent], [null, null]);
    return [drs, drsOpen];
  };
  assert.deepEqual([0, 1, 8].map(wing), [
    [0, false],
    [1, false],
    [8, false],
  ]);
  assert.deepEqual([10, 12, 14].map(wing), [
    [10, true],
    [12, true],
    [14, true],
  ]);
  assert.deepEqual([2, 9, 'x'].map(wing), [
    [2, null],
    [9, null],
    [null, null],
  ]);
});

test('only the newest sample of a message is emitted, and at most one a second', () => {
  const faster = { ...CAR, 2: 302 };
  const slower = { ...CAR, 2: 250 };
  const updates = updatesFrom(
    [
      carData([1.1, { 4: CAR }], [1.4, { 4: faster }]),
      carData([1.6, { 4: CAR }], [1.9, { 4: slower }]),
      carData([1.95, { 4: slower }], [2, { 4: slower }]),
      carData([0.5, { 4: CAR }]),
    ],
    'car.telemetry',
  );
  assert.deepEqual(
    updates.map(({ drivers }) => drivers.map(({ speedKph }) => speedKph)),
    [[302], [250]],
  );
});

test('only cars whose values changed since they were last emitted are emitted', () => {
  const parked = { 0: 0, 2: 0, 3: 0, 4: 0, 5: 0, 45: 0 };
  const frames = [
    carData([1, { 4: CAR, 44: parked }]),
    carData([2, { 4: { ...CAR, 45: 8 }, 44: parked }]),
    carData([3, { 4: { ...CAR, 45: 8 }, 44: parked }]),
    carData([4, { 4: CAR, 44: { ...parked, 0: 4_000 } }]),
  ];
  assert.deepEqual(carsOf(frames), ['4 44', '4', '4 44']);
});

test('a sample with a time in the future is emitted, and does not suppress later samples', () => {
  const ahead = 3_600;
  const cars = carsOf([
    carData([1, { 4: CAR }]),
    carData([ahead, { 4: { ...CAR, 2: 1 }, 16: CAR }]),
    carData([2, { 4: { ...CAR, 2: 2 } }]),
    carData([1.5, { 4: { ...CAR, 2: 3 } }]),
    carData([3, { 16: { ...CAR, 2: 4 } }]),
  ]);
  assert.deepEqual(cars, ['4', '4 16', '4', '16']);
});

test('a sample that is up to a minute late is not emitted', () => {
  const late = [0, 40, 99].map((seconds) => carData([seconds, { 4: { ...CAR, 2: seconds } }]));
  assert.deepEqual(carsOf([carData([100, { 16: CAR }]), ...late.slice(1)]), ['16']);
});

test('the position of a car comes in the words and units of the payload', () => {
  const sample = {
    Timestamp: '2025-05-04T20:00:01.2946393Z',
    Entries: { 4: { Status: 'OffTrack', X: -598, Y: 690, Z: 22271 } },
  };
  const [update] = updatesFrom([LISTED, frameOf('Position.z', JSON.stringify({ Position: [sample] }))], 'car.position');
  assert.deepEqual(update!.drivers, [{ ...NORRIS, status: 'off_track', x: -598, y: 690, z: 22271 }]);
});

test('the text may start with a byte order mark', () => {
  const { json } = frameOf('CarData.z', '\uFEFF{"Entries":[]}');
  assert.deepEqual(inflated(JSON.parse(json)), { Entries: [] });
});

test('a damaged message is refused with its topic and time; an empty one makes no update', () => {
  const whole = JSON.parse(carData([1, { 4: CAR }]).json) as string;
  const broken: unknown[] = [{}, '', 'no base64!', whole.slice(0, -8), JSON.parse(compressed('{"Entries":['))];
  for (const message of broken) {
    assert.throws(() => timelineFrom([at(1, 'CarData.z', message)]), SourceError, JSON.stringify(message));
    assert.throws(() => timelineFrom([at(1, 'Position.z', message)]), /Position\.z at 2025-05-04T20:00:01\.000Z: /);
  }
  const empty = ['{}', '[]', '{"Entries":[]}', '{"Entries":[{"Utc":"never","Cars":{"4":{}}}]}'];
  for (const text of empty) assert.deepEqual(carsOf([frameOf('CarData.z', text)]), [], text);
});

test('a message that would inflate beyond the size of a frame is refused before it does', () => {
  const bomb = compressed(`"${' '.repeat(FRAME_BYTES_MAX)}"`);
  assert.ok(bomb.length < 10_000);
  assert.throws(() => timelineFrom([{ utcMs: START_MS, topic: 'CarData.z', json: bomb }]), SourceError);
});

test('samples do not change the session state and make no race events', () => {
  const before = [at(0, 'SessionStatus', { Status: 'Inactive' }), at(0, 'SessionStatus', { Status: 'Started' })];
  assert.deepEqual(
    updatesFrom([...before, carData([1, { 4: CAR }])]).map(({ feed }) => feed),
    ['session.status', 'session.status', 'events.race', 'car.telemetry'],
  );
});

interface Sampled {
  readonly sampleUtc: string;
  readonly drivers: readonly Readonly<Record<string, unknown>>[];
}

test('a session has at most one sample a second, and never repeats the values of a car', () => {
  for (const { timeline, sessionId } of [RACE, QUALIFYING, ...recorded('2025-mexico-qualifying')]) {
    for (const feed of ['car.telemetry', 'car.position']) {
      const updates = payloadsOf(timeline, feed) as unknown as readonly Sampled[];
      const seconds = updates.map(({ sampleUtc }) => sampleUtc.slice(0, 19));
      assert.equal(new Set(seconds).size, seconds.length, `${sessionId} ${feed}`);
      const last = new Map<unknown, string>();
      for (const { drivers } of updates) {
        for (const { position: _, ...entry } of drivers) {
          const text = JSON.stringify(entry);
          assert.notEqual(last.get(entry.number), text, `${sessionId} ${feed}`);
          last.set(entry.number, text);
        }
      }
      assert.ok(last.size > 0, `${sessionId} ${feed}`);
    }
  }
});
