import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TireStrategy } from '#engine/racing/analytics/tire-strategy.ts';
import type { TireStrategyDriver } from '#schemas/webhook/analytics-tire-strategy.ts';
import { RACE, SPRINT } from '#test/racing/golden/golden-sessions.ts';
import { recorded } from '#test/racing/real-sessions.ts';
import { at } from '#test/racing/scripted-session.ts';
import { followRace } from './followed-race.ts';
import { SCRIPTED_NUMBERS, type ScriptedCar, scriptedRace } from './scripted-race.ts';

function emittedIn(frames: Parameters<typeof followRace>[0]): Map<number, readonly TireStrategyDriver[]> {
  const model = new TireStrategy();
  const emitted = new Map<number, readonly TireStrategyDriver[]>();
  followRace(frames, (picture, state) => {
    const content = model.emit(picture, state) as { drivers: TireStrategyDriver[] } | null;
    if (content !== null) emitted.set(picture.lap!, content.drivers);
  });
  return emitted;
}

const carsWith = (stops: (index: number) => ScriptedCar['stops']) =>
  SCRIPTED_NUMBERS.map((number, index) => ({ number, seconds: index * 0.3, stops: stops(index) ?? {} }));

test('a stop is the likelier the more laps there are for it, and the tires that may come next sum to one', () => {
  for (const session of [RACE, SPRINT, ...recorded('2018-azerbaijan-race')]) {
    const emitted = emittedIn(session.frames);
    assert.ok(emitted.size > 8, session.sessionId);
    for (const [lap, drivers] of emitted) {
      for (const { stopProbability, stopWithin, nextTires } of drivers) {
        const chances = [0, ...stopWithin.map(({ probability }) => probability), stopProbability];
        assert.deepEqual(
          chances,
          [...chances].sort((a, b) => a - b),
        );
        const sum = nextTires.reduce((total, { probability }) => total + probability, 0);
        assert.ok(sum > 0.95 && sum < 1.005, `${sum}`);
        assert.ok(nextTires.every(({ p50Lap }) => p50Lap >= lap && p50Lap <= 80));
      }
    }
  }
});

test('what other cars take is likelier, and a car that owes a compound hardly takes the same again', () => {
  const chanceOf = (taken: string, compound: string) => {
    const drivers = emittedIn(
      scriptedRace({ cars: carsWith((index) => (index > 3 ? { 14: taken } : {})), laps: 20, totalLaps: 50 }),
    );
    const [first] = drivers.get(18)!;
    return first!.nextTires.find((one) => one.compound === compound)?.probability ?? 0;
  };
  assert.ok(chanceOf('HARD', 'HARD') > chanceOf('SOFT', 'HARD'));
  assert.ok(chanceOf('SOFT', 'SOFT') > chanceOf('HARD', 'SOFT'));
  assert.ok(chanceOf('HARD', 'MEDIUM') < 0.3);
});

test('a safety car makes a stop on this lap likelier', () => {
  const race = scriptedRace({ cars: carsWith(() => ({})), laps: 20, totalLaps: 50 });
  const now = (frames: Parameters<typeof followRace>[0]) => {
    const [first] = emittedIn(frames).get(20)!;
    return first!.stopWithin.find(({ laps }) => laps === 1)!.probability;
  };
  assert.ok(now([...race, at(5_000, 'TrackStatus', { Status: '4' })]) > 2 * now(race));
});
