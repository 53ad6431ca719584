import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { modelCardOf } from '#api/feeds/model-cards.ts';
import { gapFigures } from '#bench/models/model-cards.ts';
import { ObservedRace } from '#bench/models/observed-race.ts';
import { describeRaceFeeds, evaluateRaceFeeds } from '#bench/models/race-feeds-evaluation.ts';
import { scoreCounts, scoreIntervals, scorePasses } from '#bench/models/race-feeds-scores.ts';
import { payloadsOf, timelineOf } from '#test/racing/real-sessions.ts';
import { dataPath, WITHOUT_RECORDINGS } from '#test/support/shared-data.ts';

test('a range is right when what came is in it, its ends included; its middle is off by the distance', () => {
  const range = { low: 1, middle: 2, high: 4 };
  assert.deepEqual(
    scoreIntervals([
      { ...range, simple: 3, real: 4 },
      { ...range, simple: 3, real: 5 },
      { ...range, simple: 3, real: 1 },
      { ...range, simple: 3, real: 0 },
    ]),
    { count: 4, within: 0.5, error: 2, simpleError: 2, withinOne: 0.25, simpleWithinOne: 0.25 },
  );
  assert.equal(scoreIntervals([]), null);
});

test('chances of passes are held against the share of passes in the other races', () => {
  const cases = [
    { probability: 0.5, happened: true },
    { probability: 0, happened: false },
  ];
  const others = [true, false, false, false].map((happened) => ({ probability: 0.9, happened }));
  assert.deepEqual(scorePasses(cases, others), {
    count: 2,
    expected: 0.25,
    happened: 0.5,
    brier: 0.125,
    simpleBrier: 0.3125,
  });
  assert.equal(scorePasses(cases, [])!.simpleBrier, null);
  assert.equal(scorePasses([], others), null);
});

test('chances of a count cost what was not given to the one that came, a certain one no more than 1 %', () => {
  const cases = [
    { chances: [0.5, 0.5, 0], happened: 0 },
    { chances: [0, 1, 0], happened: 2 },
  ];
  const { count, logLoss, simpleLogLoss } = scoreCounts(cases, [
    { chances: [], happened: 0 },
    { chances: [], happened: 2 },
    { chances: [], happened: 2 },
    { chances: [], happened: 2 },
  ])!;
  assert.equal(count, 2);
  assert.ok(Math.abs(logLoss - (Math.log(2) + Math.log(100)) / 2) < 1e-12);
  assert.ok(Math.abs(simpleLogLoss! - (Math.log(4) + Math.log(4 / 3)) / 2) < 1e-12);
  assert.equal(scoreCounts(cases, [])!.simpleLogLoss, null);
});

describe('race feeds of real races', { skip: WITHOUT_RECORDINGS }, () => {
  test('Baku 2018: of a stop, a pass, a safety car and a crash is known what was told', () => {
    const timeline = timelineOf('2018-azerbaijan-race');
    const race = new ObservedRace(timeline);
    const entries = payloadsOf(timeline, 'events.race').filter(({ event }) => event === 'pit_entry');
    assert.equal(race.stops.length, entries.length);
    // Hamilton went in second and fell behind Bottas, who stayed out.
    const [stop] = race.stops.filter(({ number }) => number === '44');
    assert.deepEqual([stop!.lap, stop!.isNeutralised, stop!.positionAfter], [23, false, 3]);
    assert.ok(race.stops.find(({ number }) => number === '77')!.isNeutralised);
    // Ricciardo and Verstappen fought from the start on and crashed into each other on lap 40.
    const between = (from: number, to: number): [number, number] => [
      race.lapStart(from)!.sequence,
      race.lapStart(to)!.sequence,
    ];
    assert.ok(race.isUndisturbed(['3', '33'], ...between(33, 36)));
    assert.ok(race.hasPassed('3', '33', race.lapStart(33)!, race.lapStart(36)!.sequence));
    assert.ok(!race.hasPassed('3', '33', race.lapStart(20)!, race.lapStart(23)!.sequence));
    assert.ok(!race.isUndisturbed(['44'], ...between(22, 25)), 'a stop');
    assert.ok(!race.isUndisturbed(['16'], ...between(39, 42)), 'a safety car');
    assert.ok(!race.hasFinished('3') && !race.hasFinished('77') && race.hasFinished('44'));
    const leader = race.lapStart(20)!.cars.get('5')!;
    assert.deepEqual([leader.position, leader.gapSeconds, leader.isOut], [1, 0, false]);
  });

  test('what the feeds told in two races is scored, and each race beside the other', () => {
    const [baku, miami] = evaluateRaceFeeds(dataPath(''));
    for (const { toLeader, toAhead, greenStops, passesWithinThree, passesWithinFive, furtherStops } of [
      baku!,
      miami!,
    ]) {
      for (const score of [toLeader, toAhead, greenStops, passesWithinThree, passesWithinFive, furtherStops]) {
        assert.ok(score!.count > 10);
        for (const figure of Object.values(score!)) assert.ok(Number.isFinite(figure));
      }
    }
    assert.ok(baku!.safetyCarStops!.count > 10 && baku!.nextStops!.count > 100);
    // A constant chance costs the squared distance to what happened: the share is the other race's.
    const share = miami!.passesWithinFive!.happened;
    const { happened, simpleBrier } = baku!.passesWithinFive!;
    assert.ok(Math.abs(simpleBrier! - (happened * (1 - share) ** 2 + (1 - happened) * share ** 2)) < 1e-9);
    assert.match(
      describeRaceFeeds([baku!, miami!]),
      /2025-miami-sprint +analytics.pit-window, safety car +nothing to score/,
    );
    const card = modelCardOf('analytics.gap-projection')!.measured;
    assert.deepEqual(gapFigures([baku!, miami!])['analytics.gap-projection'], card);
    assert.deepEqual(evaluateRaceFeeds('/nowhere'), []);
  });
});
