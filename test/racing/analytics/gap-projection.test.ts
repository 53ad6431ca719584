import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GapProjection } from '#engine/racing/analytics/gap-projection.ts';
import type { GapProjectionDriver } from '#schemas/webhook/analytics-gap-projection.ts';
import { framesOf } from '#test/racing/real-sessions.ts';
import { WITHOUT_RECORDINGS } from '#test/support/shared-data.ts';
import { followRace } from './followed-race.ts';
import { SCRIPTED_NUMBERS, scriptedRace } from './scripted-race.ts';

const SKIP = { skip: WITHOUT_RECORDINGS };

/** What was told at the beginning of each lap, by lap and racing number. */
function toldIn(frames: Parameters<typeof followRace>[0]): Map<number, Map<string, GapProjectionDriver>> {
  const model = new GapProjection();
  const told = new Map<number, Map<string, GapProjectionDriver>>();
  followRace(frames, (picture, state, isNewLap) => {
    if (!isNewLap) return;
    const content = model.tell(picture, state) as { drivers: GapProjectionDriver[] } | null;
    if (content !== null) told.set(picture.lap!, new Map(content.drivers.map((driver) => [driver.number, driver])));
  });
  return told;
}

/** How often the real gap some laps later was within what was projected, cars that stopped and laps behind a safety car aside. */
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
    const content = model.tell(picture, state) as { drivers: GapProjectionDriver[] } | null;
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

test('Baku 2018: 70 to 95 % of the gaps five laps later are within what was projected', SKIP, () => {
  for (const kind of ['gapToLeader', 'gapToAhead'] as const) {
    const { part, total, ...counts } = coverage('2018-azerbaijan-race', 5, kind);
    assert.ok(total > 200, `${total}`);
    assert.ok(part >= 0.7 && part <= 0.95, `${kind}: ${part} of ${total}, ${JSON.stringify(counts)}`);
  }
});

test('the Miami sprint of 2025: the same of the gaps to the leader three laps later', SKIP, () => {
  const { part, total } = coverage('2025-miami-sprint', 3, 'gapToLeader');
  assert.ok(total > 40 && part >= 0.7 && part <= 0.95, `${part} of ${total}`);
});

test('a faster car comes nearer, and is to catch the one ahead when it does', () => {
  const cars = SCRIPTED_NUMBERS.map((number, index) => ({ number, seconds: index === 1 ? 0 : 0.3 + index * 0.3 }));
  const told = toldIn(
    scriptedRace({ cars: [{ number: 1, seconds: 0.3 }, ...cars.slice(1)], laps: 40, noiseSeconds: 0.05 }),
  );
  const early = told.get(10)!.get(String(SCRIPTED_NUMBERS[2]))!;
  const [next, , later] = early.projections;
  assert.ok(later!.gapToLeader!.p50Seconds > next!.gapToLeader!.p50Seconds);
  for (const { projections } of told.get(10)!.values()) {
    for (const { gapToLeader, gapToAhead } of projections) {
      for (const quantiles of [gapToLeader, gapToAhead]) {
        if (quantiles === null) continue;
        assert.ok(quantiles.p10Seconds <= quantiles.p50Seconds && quantiles.p50Seconds <= quantiles.p90Seconds);
      }
    }
  }
});

test('a lapped car has no projection to the leader, and a race that is not green has none at all', SKIP, () => {
  const model = new GapProjection();
  let lapped = 0;
  followRace(framesOf('2018-azerbaijan-race'), (picture, state, isNewLap) => {
    if (!isNewLap) return;
    const content = model.tell(picture, state) as { drivers: GapProjectionDriver[] } | null;
    if (!picture.isGreen) assert.equal(content, null);
    for (const { car, lapsBehind } of picture.order()) {
      const driver = content?.drivers.find(({ number }) => number === car.number);
      if (lapsBehind === 0 || driver === undefined) continue;
      lapped++;
      assert.ok(driver.projections.every(({ gapToLeader }) => gapToLeader === null));
    }
  });
  assert.ok(lapped > 0);
});

test('near the end gaps are projected to the end', () => {
  const cars = SCRIPTED_NUMBERS.map((number, index) => ({ number, seconds: index * 0.2 }));
  const told = toldIn(scriptedRace({ cars, laps: 12 }));
  const [driver] = told.get(11)!.values();
  assert.deepEqual(
    driver!.projections.map(({ inLaps }) => inLaps),
    [1, 2],
  );
});

test('of the car behind the leader both gaps are the same', () => {
  const cars = SCRIPTED_NUMBERS.map((number, index) => ({ number, seconds: index === 0 ? 0.5 : 0 }));
  const told = toldIn(scriptedRace({ cars, laps: 14, totalLaps: 40, noiseSeconds: 0.05 }));
  let held = 0;
  for (const drivers of told.values()) {
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
