import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SectorPace } from '#engine/racing/analytics/sector-pace.ts';
import type { Frame } from '#engine/racing/frame.ts';
import { lapTimeOf } from '#engine/racing/timing-text.ts';
import type { SectorPaceDriver } from '#schemas/webhook/analytics-sector-pace.ts';
import { recorded } from '#test/racing/real-sessions.ts';
import { followRace } from './followed-race.ts';
import { SCRIPTED_NUMBERS, scriptedRace } from './scripted-race.ts';

const BASE_MS = [30_000, 35_000] as const;
const [FIRST, SECOND] = SCRIPTED_NUMBERS as [number, number];

/** The first two sectors take everybody the same time, so all differences are in the third. `lateMs`: after the lap's time. */
function withSectors(frames: readonly Frame[], lateMs = 400): Frame[] {
  return frames
    .flatMap((frame) => {
      const lines = frame.topic === 'TimingData' ? Object.entries(JSON.parse(frame.json).Lines) : [];
      const [[number, line] = []] = lines as [string, { LastLapTime?: { Value: string } }][];
      if (line?.LastLapTime === undefined) return [frame];
      const { ms } = lapTimeOf(line.LastLapTime.Value)!;
      const times = [...BASE_MS, ms! - BASE_MS[0] - BASE_MS[1]];
      const sector = (index: number, utcMs: number): Frame => {
        const own = { Sectors: { [index]: { Value: (times[index]! / 1000).toFixed(3) } } };
        return { utcMs, topic: 'TimingData', json: JSON.stringify({ Lines: { [number!]: own } }) };
      };
      return [sector(0, frame.utcMs - 60_000), sector(1, frame.utcMs - 25_000), sector(2, frame.utcMs + lateMs), frame];
    })
    .sort((a, b) => a.utcMs - b.utcMs);
}

/** Once a lap, as it is sent. */
function emittedIn(frames: readonly Frame[]): (readonly SectorPaceDriver[])[] {
  const model = new SectorPace();
  const emitted: (readonly SectorPaceDriver[])[] = [];
  followRace(frames, (picture, state, isNewLap) => {
    const content = isNewLap ? model.emit(picture, state) : null;
    if (content !== null) emitted.push((content as unknown as { drivers: SectorPaceDriver[] }).drivers);
  });
  return emitted;
}

function latestOf(frames: readonly Frame[]): readonly SectorPaceDriver[] {
  return emittedIn(frames).at(-1) ?? [];
}

const CARS = [
  { number: FIRST, seconds: 0 },
  { number: SECOND, seconds: 0.5 },
];

test('a car is slow in the sector in which it loses its time, whether the last sector comes before or after the lap', () => {
  for (const lateMs of [-200, 400]) {
    const drivers = latestOf(withSectors(scriptedRace({ cars: CARS, laps: 8 }), lateMs));
    const second = drivers.find(({ number }) => number === String(SECOND))!;
    assert.equal(second.laps, 3);
    assert.deepEqual(
      second.sectors.map(({ sector, gapToBestSeconds, rank }) => [sector, gapToBestSeconds, rank]),
      [
        [1, 0, 1],
        [2, 0, 1],
        [3, 0.5, 2],
      ],
    );
    assert.equal(second.sectors[0]!.paceSeconds, 30);
  }
});

test('a car that has stopped has no pace until a clean lap on its new tires, and times that do not add up are no sectors', () => {
  const stopped = [{ ...CARS[0]!, stops: { 6: 'HARD' } }, CARS[1]!];
  const numbers = (frames: readonly Frame[]) => latestOf(frames).map(({ number }) => number);
  assert.deepEqual(numbers(withSectors(scriptedRace({ cars: stopped, laps: 8 }))), [String(SECOND)]);
  const wrong = withSectors(scriptedRace({ cars: CARS, laps: 8 })).map((frame) => ({
    ...frame,
    json: frame.json.replace('"30.000"', '"31.000"'),
  }));
  assert.deepEqual(numbers(wrong), []);
});

test('it is silent as long as a car is on rain tires', () => {
  const count = (stops: Readonly<Record<number, string>>) =>
    emittedIn(withSectors(scriptedRace({ cars: [{ ...CARS[0]!, stops }, CARS[1]!], laps: 10 }))).length;
  const dry = count({ 4: 'HARD' });
  assert.ok(count({ 4: 'INTERMEDIATE' }) < count({ 4: 'INTERMEDIATE', 6: 'HARD' }));
  assert.ok(count({ 4: 'WET', 6: 'HARD' }) < dry);
});

for (const { sessionId, frames } of recorded('2018-azerbaijan-race')) {
  test(`${sessionId}: each car's sectors add up to a lap, and somebody is the fastest in each`, () => {
    const emitted = emittedIn(frames);
    assert.ok(emitted.some((drivers) => drivers.length > 10));
    for (const drivers of emitted) {
      for (const sector of [0, 1, 2]) assert.ok(drivers.some(({ sectors }) => sectors[sector]!.rank === 1));
      for (const { sectors } of drivers) {
        const lap = sectors.reduce((sum, { paceSeconds }) => sum + paceSeconds, 0);
        assert.ok(lap > 100 && lap < 160, `${lap}`);
      }
    }
  });
}
