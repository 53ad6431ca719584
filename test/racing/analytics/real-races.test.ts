// The models on real races, the only ones whose outcome can judge them.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { GapProjection } from '#engine/racing/analytics/gap-projection.ts';
import { PitLosses } from '#engine/racing/analytics/pit-loss.ts';
import { PitWindow } from '#engine/racing/analytics/pit-window.ts';
import { racingStandings } from '#engine/racing/analytics/race-field.ts';
import { TruePace } from '#engine/racing/analytics/true-pace.ts';
import type { ChampionshipDriver, ChampionshipTeam } from '#schemas/webhook/analytics-championship.ts';
import type { GapProjectionDriver } from '#schemas/webhook/analytics-gap-projection.ts';
import type { TruePaceDriver } from '#schemas/webhook/analytics-true-pace.ts';
import { framesOf, payloadsOf, timelineOf } from '#test/racing/real-sessions.ts';
import { WITHOUT_RECORDINGS } from '#test/support/shared-data.ts';
import { followRace } from './followed-race.ts';

/**
 * The share of real gaps some laps later within the projected range, without cars that stopped and laps behind a safety
 * car.
 */
function coverage(session: string, laps: number, kind: 'gapToLeader' | 'gapToAhead') {
  const projected: { lap: number; driver: GapProjectionDriver; other: string }[] = [];
  const gaps = new Map<number, Map<string, number>>();
  const neutralised = new Set<number>();
  const model = new GapProjection();
  const end = followRace(framesOf(session), (picture, state, isNewLap) => {
    const { lap } = picture;
    if (lap === null) return;
    if (!picture.isGreen) neutralised.add(lap);
    if (!isNewLap) return;
    const order = picture.order();
    gaps.set(
      lap,
      new Map(
        order.flatMap(({ car, gapSeconds, lapsBehind }) =>
          gapSeconds === null || lapsBehind > 0 ? [] : [[car.number, gapSeconds] as const],
        ),
      ),
    );
    const content = model.emit(picture, state) as { drivers: GapProjectionDriver[] } | null;
    for (const driver of content?.drivers ?? []) {
      const other = kind === 'gapToLeader' ? order[0]!.car.number : driver.aheadNumber;
      if (other !== null) projected.push({ lap, driver, other });
    }
  });
  const count = { within: 0, below: 0, above: 0 };
  for (const { lap, driver, other } of projected) {
    const quantiles = driver.projections.find(({ inLaps }) => inLaps === laps)?.[kind];
    const own = gaps.get(lap + laps)?.get(driver.number);
    const others = gaps.get(lap + laps)?.get(other);
    if (quantiles == null || own === undefined || others === undefined) continue;
    if (Array.from({ length: laps + 1 }, (_, index) => lap + index).some((one) => neutralised.has(one))) continue;
    const stopped = [driver.number, other].some((number) =>
      end.car(number)!.visits.some(({ inLap }) => inLap >= lap - 1 && inLap <= lap + laps),
    );
    if (stopped) continue;
    const real = own - others;
    count[real < quantiles.p10Seconds ? 'below' : real > quantiles.p90Seconds ? 'above' : 'within']++;
  }
  const total = count.within + count.below + count.above;
  return { ...count, total, part: count.within / total };
}

/** Stops under green: predicted positions after them against the real ones, among cars that did not stop meanwhile. */
function rejoins(session: string) {
  const model = new PitWindow();
  const predicted: { number: string; inLap: number; after: number; gaps: Map<string, number> }[] = [];
  const gapsAt = new Map<number, Map<string, number>>();
  const known = new Map<string, number>();
  let before: { loss: number; gaps: Map<string, number> } | null = null;
  const end = followRace(framesOf(session), (picture, state, isNewLap) => {
    for (const { number, visits } of picture.cars()) {
      if (visits.length === (known.get(number) ?? 0)) continue;
      known.set(number, visits.length);
      const { inLap, status } = visits.at(-1)!;
      const gap = before?.gaps.get(number);
      if (status !== 'green' || gap === undefined || before === null) continue;
      predicted.push({ number, inLap, after: gap + before.loss, gaps: before.gaps });
    }
    if (!isNewLap || picture.lap === null) return;
    const gaps = new Map(
      picture
        .order()
        .flatMap(({ car, gapSeconds, lapsBehind }) =>
          gapSeconds === null || lapsBehind > 0 ? [] : [[car.number, gapSeconds] as const],
        ),
    );
    gapsAt.set(picture.lap, gaps);
    const emitted = model.emit(picture, state) as { session: { pitLossSeconds: number } } | null;
    if (emitted !== null) before = { loss: emitted.session.pitLossSeconds, gaps };
  });
  let stops = 0;
  let near = 0;
  for (const { number, inLap, after, gaps } of predicted) {
    const later = gapsAt.get(inLap + 3);
    const own = later?.get(number);
    if (later === undefined || own === undefined) continue;
    const stayed = [...gaps.keys()].filter(
      (other) =>
        other !== number &&
        later.has(other) &&
        !end.car(other)!.visits.some((visit) => Math.abs(visit.inLap - inLap) <= 3),
    );
    const expected = stayed.filter((other) => gaps.get(other)! <= after).length;
    const real = stayed.filter((other) => later.get(other)! <= own).length;
    stops++;
    if (Math.abs(expected - real) <= 1) near++;
  }
  return { stops, near };
}

/** The updates at the start of each lap. */
function pacesIn(session: string): Map<number, readonly TruePaceDriver[]> {
  const model = new TruePace();
  const emitted = new Map<number, readonly TruePaceDriver[]>();
  followRace(framesOf(session), (picture, state, isNewLap) => {
    const content = isNewLap ? (model.emit(picture, state) as { drivers: TruePaceDriver[] } | null) : null;
    if (content !== null) emitted.set(picture.lap!, content.drivers);
  });
  return emitted;
}

describe('models on real races', { skip: WITHOUT_RECORDINGS }, () => {
  test('Baku 2018: expected points add up to the points table, for drivers and for teams', () => {
    const emitted = payloadsOf(timelineOf('2018-azerbaijan-race'), 'analytics.championship') as unknown as readonly {
      readonly drivers: readonly ChampionshipDriver[];
      readonly teams: readonly ChampionshipTeam[];
    }[];
    assert.ok(emitted.length > 50);
    const sumOf = (entries: readonly { readonly pointsGainedExpected: number }[]) =>
      entries.reduce((sum, { pointsGainedExpected }) => sum + pointsGainedExpected, 0);
    for (const { drivers, teams } of emitted) {
      assert.ok(Math.abs(sumOf(drivers) - 101) < 0.1, `${sumOf(drivers)}`);
      assert.ok(Math.abs(sumOf(teams) - 101) < 0.1);
      assert.equal(drivers.length, 20);
      for (const { pointsGainedLow, pointsGainedMedian, pointsGainedHigh, pointsBefore } of [...drivers, ...teams]) {
        assert.ok(pointsGainedLow <= pointsGainedMedian && pointsGainedMedian <= pointsGainedHigh);
        assert.equal(pointsBefore, null);
      }
    }
    const winner = emitted.at(-1)!.drivers[0]!;
    assert.deepEqual([winner.tla, winner.pointsGainedLow, winner.pointsGainedHigh], ['HAM', 25, 25]);
  });

  test('Baku 2018: 70 to 95 % of the gaps five laps later are within the projected range', () => {
    for (const kind of ['gapToLeader', 'gapToAhead'] as const) {
      const { part, total, ...counts } = coverage('2018-azerbaijan-race', 5, kind);
      assert.ok(total > 200, `${total}`);
      assert.ok(part >= 0.7 && part <= 0.95, `${kind}: ${part} of ${total}, ${JSON.stringify(counts)}`);
    }
  });

  test('the 2025 Miami sprint: the same holds for the gaps to the leader three laps later', () => {
    const { part, total } = coverage('2025-miami-sprint', 3, 'gapToLeader');
    assert.ok(total > 40 && part >= 0.7 && part <= 0.95, `${part} of ${total}`);
  });

  test('Baku 2018: lapped cars have projections, but none to the leader', () => {
    const model = new GapProjection();
    let lapped = 0;
    followRace(framesOf('2018-azerbaijan-race'), (picture, state, isNewLap) => {
      const content = isNewLap ? (model.emit(picture, state) as { drivers: GapProjectionDriver[] } | null) : null;
      for (const { car, lapsBehind } of picture.order()) {
        const driver = content?.drivers.find(({ number }) => number === car.number);
        if (lapsBehind === 0 || driver === undefined) continue;
        lapped++;
        assert.ok(driver.projections.every(({ gapToLeader }) => gapToLeader === null));
      }
    });
    assert.ok(lapped > 0);
  });

  test('Baku 2018: after most stops under green the car is within one place of the prediction', () => {
    const { stops, near } = rejoins('2018-azerbaijan-race');
    assert.ok(stops >= 8, `${stops}`);
    assert.ok(near / stops >= 0.75, `${near} of ${stops}`);
  });

  test('Baku 2018: a stop costs about 21 seconds, and about half of that behind the safety car', () => {
    const losses = new PitLosses();
    followRace(framesOf('2018-azerbaijan-race'), (picture, _, isNewLap) => {
      if (isNewLap) losses.update(picture);
    });
    const green = losses.loss('green');
    assert.ok(green.stops >= 6 && green.seconds > 18 && green.seconds < 24, JSON.stringify(green));
    const behind = losses.loss('safety_car');
    assert.ok(behind.seconds < green.seconds * 0.7, JSON.stringify(behind));
  });

  test('2020-belgium-race: crashed cars count as stopped, even if only their tire data shows it', () => {
    const numbers = racingStandings(followRace(framesOf('2020-belgium-race'))).map(({ car }) => car.number);
    assert.equal(numbers.length, 17);
    for (const crashed of ['99', '63', '55']) assert.ok(!numbers.includes(crashed), crashed);
  });

  test('Baku 2018: the three leaders are the fastest of the field from lap 20 to the safety car', () => {
    const emitted = pacesIn('2018-azerbaijan-race');
    for (let lap = 20; lap < 39; lap++) {
      const fastest = emitted
        .get(lap)!
        .filter(({ rank }) => rank <= 3)
        .map(({ tla }) => tla);
      assert.deepEqual(fastest.sort(), ['BOT', 'HAM', 'VET'], `lap ${lap}`);
    }
  });

  test('Baku 2018: paces change little from lap to lap', () => {
    const emitted = pacesIn('2018-azerbaijan-race');
    for (let lap = 12; lap < 39; lap++) {
      for (const { tla, offsetSeconds } of emitted.get(lap)!) {
        const next = emitted.get(lap + 1)?.find((driver) => driver.tla === tla);
        if (next !== undefined) assert.ok(Math.abs(next.offsetSeconds - offsetSeconds) < 0.9, `${lap} ${tla}`);
      }
    }
  });
});
