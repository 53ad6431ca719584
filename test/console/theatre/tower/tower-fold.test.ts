// The timing tower over every update of the demo race.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statusOf, TowerFold } from '#api/console/app/pages/theatre/tower/tower-fold.ts';
import { anUpdate } from '../support/an-update.ts';
import { demoUpdates } from '../support/demo-updates.ts';

const VER = { number: '1', driverId: 'max', tla: 'VER', name: 'Max', team: 'Red', constructorId: 'red', position: 1 };
const HAM = { ...VER, number: '44', tla: 'HAM', name: 'Lewis', position: 2 };

function folded(...updates: Parameters<TowerFold['take']>[0][]): TowerFold {
  const fold = new TowerFold();
  fold.reset();
  for (const update of updates) fold.take(update);
  return fold;
}

test('after each update of the demo race the tower has every driver once, in the order of positions', () => {
  const fold = folded();
  for (const update of demoUpdates()) {
    fold.take(update);
    const { order } = fold;
    assert.equal(new Set(order.map(({ number }) => number)).size, order.length);
    const positions = order.map(({ position }) => position);
    const known = positions.filter((position) => position !== null);
    assert.deepEqual(
      known,
      known.toSorted((a, b) => a - b),
      `update ${update.sequence}`,
    );
    assert.equal(new Set(known).size, known.length, `update ${update.sequence}: two drivers have one position`);
  }
  assert.equal(fold.order.length, 20);
});

test('gaps of the demo race are not negative, tyres do not get younger in a stint, and stops are counted up', () => {
  const fold = folded();
  const before = new Map<string, { stops: number; stint: number; tyreAge: number }>();
  for (const update of demoUpdates()) {
    fold.take(update);
    for (const { number, gapSeconds, stops, stint, tyreAge } of fold.order) {
      assert.ok(gapSeconds === null || gapSeconds >= 0);
      const last = before.get(number);
      assert.ok(last === undefined || stops >= last.stops);
      assert.ok(last === undefined || stint > last.stint || (tyreAge ?? 0) >= last.tyreAge);
      before.set(number, { stops, stint, tyreAge: tyreAge ?? 0 });
    }
  }
});

test('at the end of the demo race each driver has a name, a colour, a tyre and a lap or is out', () => {
  const fold = folded(...demoUpdates());
  for (const driver of fold.order) {
    assert.match(driver.tla ?? '', /^[A-Z]{3}$/);
    assert.match(driver.teamColor ?? '', /^[\dA-F]{6}$/i);
    assert.ok(driver.compound !== null);
    assert.ok(statusOf(driver) !== null || driver.lastLap?.ms != null);
  }
});

test('what an update leaves out stays, and null takes it away', () => {
  const gap = { display: '+1.5', seconds: 1.5 };
  const fold = folded(
    anUpdate('timing.data', { drivers: [{ ...HAM, gapToLeader: gap, gapToAhead: gap, inPit: true }] }),
    anUpdate('timing.data', { drivers: [{ ...HAM, pitStops: 1 }] }),
  );
  const { gap: text, interval, inPit, stops } = fold.driver('44')!;
  assert.deepEqual([text, interval, inPit, stops], ['+1.5', '+1.5', true, 1]);
  fold.take(anUpdate('timing.data', { drivers: [{ ...HAM, gapToLeader: null, gapToAhead: null, inPit: false }] }));
  assert.deepEqual(
    [fold.driver('44')!.gap, fold.driver('44')!.interval, fold.driver('44')!.inPit],
    [null, null, false],
  );
});

test('the lap that recordings say of the leader is no gap', () => {
  const said = (display: string) => {
    const gap = { display, seconds: null, lapsBehind: 0 };
    return anUpdate('timing.data', { drivers: [{ ...VER, gapToLeader: gap, gapToAhead: gap }] });
  };
  const { gap, interval } = folded(said('+1.5'), said('LAP 36')).driver('1')!;
  assert.deepEqual([gap, interval], [null, null]);
});

const gapOf = (seconds: number) => ({ display: `+${seconds}`, seconds });
const NO_GAPS = { gapToFastest: null, gapToAhead: null };

test('in qualifying each driver has the gap of the part that he is in, or was last in, and the fastest has none', () => {
  const said = (part: number, drivers: object[]) => anUpdate('timing.data', { session: { part }, drivers });
  const of = (driver: object, part: number, gaps: object, more: object = {}) => ({
    ...driver,
    ...more,
    qualifyingParts: [{ part, ...gaps }],
  });
  const behind = { gapToFastest: gapOf(0.9), gapToAhead: gapOf(0.2) };
  const shown = (number: string) => [fold.driver(number)!.gap, fold.driver(number)!.interval];
  const empty: object[] = [1, 2, 3].map((part) => ({ part, ...NO_GAPS }));
  const fold = folded(
    said(1, [
      { ...VER, qualifyingParts: empty },
      { ...HAM, qualifyingParts: empty },
    ]),
    said(1, [of(VER, 1, behind), of(HAM, 1, behind)]),
  );
  assert.deepEqual(shown('44'), ['+0.9', '+0.2'], 'although later parts were named before');
  fold.take(said(1, [of(VER, 1, NO_GAPS)]));
  assert.deepEqual(shown('1'), [null, null], 'the fastest has none any more');
  fold.take(said(1, [of(VER, 1, { gapToFastest: gapOf(0.1) })]));
  fold.take(said(2, [{ ...VER }, { ...HAM, knockedOut: true }]));
  assert.deepEqual(shown('1'), [null, null], 'no time of this part yet');
  assert.deepEqual(shown('44'), ['+0.9', '+0.2'], 'he is out: that of his last part stays');
  fold.take(said(2, [of(HAM, 1, { gapToAhead: gapOf(0.3) }), of(VER, 1, { gapToAhead: gapOf(0.4) })]));
  assert.deepEqual([...shown('44'), ...shown('1')], ['+0.9', '+0.3', null, null], 'a correction of an earlier part');

  const moved = folded(
    said(2, [
      { ...VER, knockedOut: false, qualifyingParts: empty.with(0, { part: 1, ...behind }) },
      { ...HAM, knockedOut: true, qualifyingParts: empty.with(0, { part: 1, ...behind }) },
    ]),
  );
  assert.deepEqual([moved.driver('1')!.gap, moved.driver('44')!.gap], [null, '+0.9'], 'after a move');
});

test('after a move no driver looks unchanged who was drawn before it', () => {
  const update = anUpdate('timing.data', { drivers: [VER, HAM] });
  const fold = folded(update, update, update);
  const before = new Set(fold.order.map(({ version }) => version));
  for (let updates = 1; updates <= 6; updates++) {
    fold.reset();
    for (let taken = 0; taken < updates; taken++) fold.take(update);
    for (const { number, version } of fold.order) {
      assert.ok(!before.has(version), `driver ${number} after ${updates}`);
      before.add(version);
    }
  }
});

test('an overtake changes the order at once', () => {
  const fold = folded(anUpdate('timing.data', { drivers: [VER, HAM] }));
  const before = fold.order;
  fold.take(
    anUpdate('timing.data', {
      drivers: [
        { ...HAM, position: 1 },
        { ...VER, position: 2 },
      ],
    }),
  );
  assert.deepEqual(
    fold.order.map(({ number }) => number),
    ['44', '1'],
  );
  assert.notEqual(fold.order, before);
});

test('a driver without a position comes last', () => {
  const fold = folded(anUpdate('timing.data', { drivers: [{ ...VER, position: null }, HAM] }));
  assert.deepEqual(
    fold.order.map(({ number }) => number),
    ['44', '1'],
  );
});

test('a time keeps its merit until another one is said', () => {
  const sector = (said: object) =>
    anUpdate('timing.data', { drivers: [{ ...VER, sectors: [{ sector: 2, ...said }] }] });
  const fold = folded(sector({ time: { display: '30.1', ms: 30_100 }, overallFastest: true, personalFastest: true }));
  assert.deepEqual(
    fold.driver('1')!.sectors.map(({ merit }) => merit),
    ['none', 'overall'],
  );
  fold.take(sector({ overallFastest: false }));
  assert.equal(fold.driver('1')!.sectors[1]!.merit, 'personal');
  fold.take(sector({ personalFastest: false }));
  assert.equal(fold.driver('1')!.sectors[1]!.merit, 'none');
  assert.equal(fold.driver('1')!.sectors[1]!.time?.ms, 30_100);
});

test('mini-sectors are kept by their place', () => {
  const said = (segments: object[]) =>
    anUpdate('timing.data', { drivers: [{ ...VER, sectors: [{ sector: 1, segments }] }] });
  const fold = folded(said([{ segment: 3, status: 2049 }]), said([{ segment: 1, status: 2051 }]));
  assert.deepEqual(fold.driver('1')!.sectors[0]!.segments, [2051, 0, 2049]);
});

test('a colour that is none never gets into the page', () => {
  const fold = folded(anUpdate('timing.driver-info', { drivers: [{ ...VER, teamColor: 'red;background:url(x)' }] }));
  assert.equal(fold.driver('1')!.teamColor, null);
  fold.take(anUpdate('timing.driver-info', { drivers: [{ ...VER, teamColor: '3671C6' }] }));
  assert.equal(fold.driver('1')!.teamColor, '3671C6');
});

test('the tyre is that of the last stint, and a correction of an older one changes nothing', () => {
  const said = (stints: object[]) => anUpdate('tire.stints', { drivers: [{ ...VER, stints }] });
  const fold = folded(
    said([{ stint: 1, compound: 'SOFT', isNew: true, totalLaps: 12 }]),
    said([{ stint: 2, compound: 'HARD', isNew: false }]),
    said([{ stint: 1, totalLaps: 13 }]),
  );
  const { compound, isNewTyre, tyreAge } = fold.driver('1')!;
  assert.deepEqual([compound, isNewTyre, tyreAge], ['HARD', false, null]);
});

test('the tower holds a bounded number of drivers', () => {
  const drivers = Array.from({ length: 500 }, (_, index) => ({ ...VER, number: String(index), position: index + 1 }));
  assert.equal(folded(anUpdate('timing.data', { drivers })).order.length, 100);
});
