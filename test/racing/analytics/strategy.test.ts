import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isWetTire } from '#engine/racing/analytics/compound-rule.ts';
import { Strategy } from '#engine/racing/analytics/strategy.ts';
import type { StrategyDriver } from '#schemas/webhook/analytics-strategy.ts';
import { RACE, SPRINT } from '#test/racing/golden/golden-sessions.ts';
import { recorded } from '#test/racing/real-sessions.ts';
import { at, lines, raceUnderWay, updatesFrom } from '#test/racing/scripted-session.ts';
import { followRace } from './followed-race.ts';
import { SCRIPTED_NUMBERS, scriptedRace } from './scripted-race.ts';

function emittedIn(frames: Parameters<typeof followRace>[0]): Map<number, readonly StrategyDriver[]> {
  const model = new Strategy();
  const emitted = new Map<number, readonly StrategyDriver[]>();
  followRace(frames, (picture, state, isNewLap) => {
    const content = isNewLap ? (model.emit(picture, state) as { drivers: StrategyDriver[] } | null) : null;
    if (content !== null) emitted.set(picture.lap!, content.drivers);
  });
  return emitted;
}

test('the chances sum to one, and the quartiles of the next stop are in order and within the race', () => {
  const real = recorded('2018-azerbaijan-race', '2025-miami-sprint', '2025-mexico-race', '2020-belgium-race');
  for (const session of [RACE, SPRINT, ...real]) {
    const emitted = emittedIn(session.frames);
    assert.ok(emitted.size > (session === SPRINT ? 8 : 10), session.sessionId);
    for (const [lap, drivers] of emitted) {
      for (const {
        noStopProbability: none,
        oneStopProbability: one,
        moreStopsProbability: more,
        nextStopLap,
      } of drivers) {
        assert.ok(
          none >= 0 && one >= 0 && more >= 0 && Math.abs(none + one + more - 1) < 1e-9,
          `${none} ${one} ${more}`,
        );
        if (nextStopLap === null) continue;
        const { p25, p50, p75 } = nextStopLap;
        assert.ok(lap <= p25 && p25 <= p50 && p50 <= p75 && p75 <= 80, `${lap}: ${p25} ${p50} ${p75}`);
      }
    }
  }
});

test('in a full-length race a car with only one compound used is certain to stop, until it has', () => {
  const cars = SCRIPTED_NUMBERS.map((number, index) => ({
    number,
    seconds: index * 0.3,
    stops: index === 0 ? { 15: 'HARD' } : {},
  }));
  const emitted = emittedIn(scriptedRace({ cars, laps: 50 }));
  const [number] = SCRIPTED_NUMBERS;
  const at = (lap: number) => emitted.get(lap)!.find((driver) => driver.number === String(number))!;
  assert.deepEqual([at(12).anotherCompoundRequired, at(12).noStopProbability], [true, 0]);
  assert.equal(at(20).anotherCompoundRequired, false);
  assert.deepEqual(at(20).compoundsUsed, ['MEDIUM', 'HARD']);
  assert.ok(at(20).noStopProbability > 0);
  assert.equal(at(20).stopsDone, 1);
  assert.ok(at(49).noStopProbability > 0.99);
});

test('the older the tires, the nearer the stop', () => {
  const cars = SCRIPTED_NUMBERS.map((number, index) => ({ number, seconds: index * 0.3, startAge: index }));
  const drivers = emittedIn(scriptedRace({ cars, laps: 50 })).get(10)!;
  const byAge = [...drivers].sort((a, b) => a.tireAgeLaps - b.tireAgeLaps);
  assert.ok(byAge.at(-1)!.nextStopLap!.p50 <= byAge[0]!.nextStopLap!.p50);
});

/** Twenty seconds in which nothing happens that forecasts depend on. */
function quiet(from: number) {
  return Array.from({ length: 20 }, (_, index) =>
    lines(from + index, { 81: { Speeds: { ST: { Value: `${from + index}` } } } }),
  );
}

test('a car that has stopped is forecast no more, even if another one has left the pits meanwhile', () => {
  const stints = Object.fromEntries(
    SCRIPTED_NUMBERS.map((number) => [
      number,
      { Stints: [{ Compound: 'SOFT', New: 'true', TotalLaps: 9, StartLaps: 0 }] },
    ]),
  );
  const [inPits, stopped] = SCRIPTED_NUMBERS;
  const updates = updatesFrom([
    ...raceUnderWay(),
    at(1, 'TimingAppData', { Lines: stints }),
    lines(2, { [inPits!]: { InPit: true } }),
    at(3, 'LapCount', { CurrentLap: 11 }),
    ...quiet(4),
    lines(25, { [inPits!]: { InPit: false } }),
    lines(26, { [stopped!]: { Stopped: true } }),
    ...quiet(27),
  ]);
  const others = SCRIPTED_NUMBERS.filter((number) => number !== inPits && number !== stopped).map(String);
  for (const feed of ['analytics.strategy', 'analytics.tire-strategy']) {
    const told = updates
      .filter((update) => update.feed === feed)
      .map(({ drivers }) => drivers.map(({ number }) => number));
    assert.deepEqual(
      told.slice(-2).map((numbers) => numbers.toSorted()),
      [[...others, String(stopped)].toSorted(), [...others, String(inPits)].toSorted()],
      feed,
    );
  }
});

test('a car whose tires the source takes back is left out, even if another one has got some meanwhile', () => {
  const stint = { Compound: 'SOFT', New: 'true', TotalLaps: 9, StartLaps: 0 };
  const [first, second] = SCRIPTED_NUMBERS;
  const updates = updatesFrom([
    ...raceUnderWay(),
    at(1, 'TimingAppData', { Lines: { [first!]: { Stints: [stint] }, [second!]: { Stints: [stint] } } }),
    at(3, 'LapCount', { CurrentLap: 11 }),
    ...quiet(4),
    at(25, 'TimingAppData', { Lines: { [first!]: { Stints: [] }, [second!]: { Stints: [stint, stint] } } }),
    at(26, 'TrackStatus', { Status: '4' }),
    at(27, 'TrackStatus', { Status: '1' }),
    ...quiet(28),
  ]);
  const last = updates.findLast(({ feed }) => feed === 'analytics.strategy');
  assert.deepEqual(
    last?.drivers.map(({ number }) => number),
    [String(second)],
  );
});

test('a sprint needs no stop, and on dry tires there hardly is one', () => {
  for (const { frames } of [SPRINT, ...recorded('2025-miami-sprint')]) {
    const drivers = emittedIn(frames).get(5)!;
    assert.ok(drivers.length > 0 && drivers.every(({ anotherCompoundRequired }) => !anotherCompoundRequired));
    const dry = drivers.filter(({ compoundsUsed }) => !compoundsUsed.some(isWetTire));
    assert.ok(dry.every(({ noStopProbability }) => noStopProbability > 0.9));
    assert.ok(frames !== SPRINT.frames || dry.length > 0);
  }
});

test('a stop before the recording began is detected from the tires', () => {
  const cars = SCRIPTED_NUMBERS.map((number) => ({ number, seconds: 0, stops: { 10: 'HARD' } }));
  const unseen = scriptedRace({ cars, laps: 20, totalLaps: 50 }).filter(({ json }) => !json.includes('"InPit":true'));
  const drivers = emittedIn(unseen).get(20)!;
  assert.ok(drivers.length > 0 && drivers.every(({ stopsDone, stints }) => stopsDone === 1 && stints.length === 2));
});
