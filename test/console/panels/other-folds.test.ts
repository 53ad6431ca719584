// Chances, tires, race events and raw updates, folded from the demo race.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GapsByLap } from '#api/console/app/pages/theatre/panels/gaps-by-lap.ts';
import { PositionsByLap } from '#api/console/app/pages/theatre/panels/positions-by-lap.ts';
import { GROUP_OF, RaceEventLog, whoOf } from '#api/console/app/pages/theatre/panels/race-event-log.ts';
import { TyreStrategies } from '#api/console/app/pages/theatre/panels/tyre-strategies.ts';
import { UpdateLog } from '#api/console/app/pages/theatre/panels/update-log.ts';
import { WinChances } from '#api/console/app/pages/theatre/panels/win-chances.ts';
import { panels as words } from '#api/console/app/text/en/panels.ts';
import { RACE_EVENT_TYPES } from '#schemas/webhook/race-event-types.ts';
import { demoUpdates, madeUp } from './shown-updates.ts';

test('the chances of a win have a row for each report of the model, and the best come first', () => {
  const fold = new WinChances();
  for (const update of demoUpdates()) fold.take(update);
  assert.equal(fold.rows.length, demoUpdates().filter(({ feed }) => feed === 'analytics.race-odds').length);
  assert.ok(fold.rows.length > 10);
  const best = fold.favourites(6);
  assert.equal(best.length, 6);
  // At the end the odds are the order.
  assert.equal(fold.rows.at(-1)!.chances.get(best[0]!.number), 1);
  assert.equal(best[0]!.position, 1);
});

test('the rows of chances are bounded', () => {
  const fold = new WinChances();
  for (let lap = 1; lap <= 600; lap++) fold.take(madeUp('analytics.race-odds', { lap, drivers: [] }, lap));
  assert.equal(fold.rows.length, 500);
  assert.equal(fold.rows[0]!.lap, 101);
});

test('tyre strategies add up to the laps that were driven, in the order of the race', () => {
  const fold = new TyreStrategies();
  for (const update of demoUpdates()) fold.take(update);
  const strategies = fold.strategies();
  assert.equal(fold.totalLaps, 10);
  assert.equal(strategies.length, 20);
  assert.equal(strategies[0]!.entrant.position, 1);
  for (const { stints } of strategies) {
    assert.ok(stints.length >= 1);
    assert.ok(stints.every(({ compound }) => compound !== 'unknown'));
  }
  const { stints } = strategies[0]!;
  assert.equal(
    stints.reduce((sum, { laps }) => sum + laps, 0),
    10,
  );
});

test('a stint of unknown or old tyres has a name, and laps on used tyres are not counted as driven', () => {
  const fold = new TyreStrategies();
  const driver = { number: '1', tla: 'VER', name: null, team: null, position: 1 };
  const stints = [
    { stint: 1, compound: 'HYPERSOFT', startLaps: 4, totalLaps: 15, isNew: false },
    { stint: 2, compound: null },
  ];
  fold.take(madeUp('tire.stints', { drivers: [{ ...driver, stints }] }));
  const stops = [{ stop: 1, utc: null, stationaryTime: { display: '2.4', ms: 2_400 }, pitLaneTime: null, lap: 11 }];
  fold.take(madeUp('pit-lane.stops', { drivers: [{ ...driver, stops }] }));
  const [strategy] = fold.strategies();
  assert.deepEqual(strategy!.stints, [
    { compound: 'hypersoft', isNew: false, laps: 11 },
    { compound: 'unknown', isNew: null, laps: 0 },
  ]);
  assert.deepEqual(strategy!.stops, ['2.4']);
});

test('tires that are fitted after the flag are no stop; those on which a car retired, or of qualifying, are shown', () => {
  const driver = { number: '1', tla: 'VER', name: null, team: null, position: 1 };
  const stints = [
    { stint: 1, compound: 'SOFT', startLaps: 0, totalLaps: 44, isNew: true },
    { stint: 2, compound: 'HARD', startLaps: 3, totalLaps: 3, isNew: false },
  ];
  const tires = madeUp('tire.stints', { drivers: [{ ...driver, stints }] });
  const laps = madeUp('lap.count', { data: { currentLap: 44, totalLaps: 44 } });
  const status = (name: string) => madeUp('session.status', { data: { status: name } });
  const timing = (flags: object) => madeUp('timing.data', { drivers: [{ ...driver, ...flags }] });
  for (const [updates, shown] of [
    [[laps, status('started'), tires], 2],
    [[laps, status('finished'), tires], 1],
    [[tires, laps, status('ends')], 1],
    [[laps, timing({ retired: true }), tires, status('finished')], 2],
    [[laps, timing({ stopped: true }), tires, status('finished')], 2],
    [[laps, status('finished'), tires, timing({ stopped: true })], 1],
    [[status('finished'), tires], 2],
  ] as const) {
    const fold = new TyreStrategies();
    for (const update of updates) fold.take(update);
    assert.equal(fold.strategies()[0]!.stints.length, shown, updates.map(({ feed }) => feed).join());
  }
});

test('every type of race event has a group and words', () => {
  assert.deepEqual(Object.keys(GROUP_OF).sort(), [...RACE_EVENT_TYPES].sort());
  assert.deepEqual(Object.keys(words.eventWords).sort(), [...RACE_EVENT_TYPES].sort());
});

test('each event of the demo race is told in words, the newest first, and the log is bounded', () => {
  const fold = new RaceEventLog();
  for (const update of demoUpdates()) {
    fold.take(update);
    if (update.feed !== 'events.race') continue;
    const { event, data, drivers } = fold.newest(1, null)[0]!.payload;
    assert.equal(event, update.payload.event);
    const tell = words.eventWords[event] as (data: unknown, who: string, code: (number: string) => string) => string;
    const told = tell(data, drivers[0]?.tla ?? '', (number) => fold.codeOf(number));
    assert.match(told, /^[A-Z]/);
    assert.doesNotMatch(told, /undefined|null|NaN|\[object| {2}|,,/, event);
  }
  const all = fold.newest(1_000, null);
  assert.equal(all.length, 300);
  assert.ok(all[0]!.sequence > all[1]!.sequence);
  const pits = fold.newest(5, 'pits');
  assert.equal(pits.length, 5);
  assert.ok(pits.every(({ payload }) => GROUP_OF[payload.event] === 'pits'));
});

test('an incident names every driver that race control names, if any', () => {
  const data = { message: '', stage: 'noted', turn: 3 } as const;
  const drivers = [
    { number: '1', tla: 'VER' },
    { number: '63', tla: null },
  ];
  const told = (named: typeof drivers) =>
    words.eventWords.investigation(data, whoOf({ event: 'investigation', drivers: named }), String);
  assert.equal(told([]), 'Incident noted at turn 3');
  assert.equal(told(drivers), 'VER, 63: incident noted at turn 3');
  assert.equal(whoOf({ event: 'overtake', drivers }), 'VER');
});

test('the log of updates keeps the last 500, and of each feed the last 50', () => {
  const fold = new UpdateLog();
  for (const update of demoUpdates()) fold.take(update);
  const all = fold.newest(10_000, null);
  assert.equal(all.length, 100);
  assert.deepEqual(
    all.map(({ sequence }) => sequence),
    demoUpdates()
      .slice(-100)
      .reverse()
      .map(({ sequence }) => sequence),
  );
  assert.equal(fold.newest(10_000, 'timing.data').length, 10);
  assert.equal(fold.newest(10_000, 'session.info').length, 1);
  assert.deepEqual(fold.newest(10, 'no.feed'), []);
  assert.ok(fold.feeds().includes('lap.count'));
  fold.reset();
  assert.deepEqual(fold.newest(10, null), []);
});

test('after a move back each panel shows what it showed at that time', () => {
  const updates = demoUpdates();
  const place = Math.floor(updates.length / 2);
  const toMs = updates[place]!.atMs;
  const [before, moved] = [makeFolds(), makeFolds()];
  const upTo = updates.filter(({ atMs }) => atMs <= toMs);
  for (const fold of Object.values(before)) for (const update of upTo) fold.take(update);
  for (const fold of Object.values(moved)) {
    for (const update of updates) fold.take(update);
    fold.rewind(toMs);
  }
  const columns = ({ table }: PositionsByLap | GapsByLap) => [table.lastLap, table.column('9')];
  assert.ok(before.positions.table.lastLap > 2);
  assert.deepEqual(columns(moved.positions), columns(before.positions));
  assert.deepEqual(columns(moved.gaps), columns(before.gaps));
  assert.ok(before.chances.rows.length > 2);
  assert.deepEqual(moved.chances.rows, before.chances.rows);
  const events = (fold: RaceEventLog) => fold.newest(5, null).map(({ sequence }) => sequence);
  assert.deepEqual(events(moved.events), events(before.events));
});

test('the state of a place corrects nothing that was known at the line, and is no update in the list', () => {
  const { positions, updates } = makeFolds();
  const driver = { number: '1', tla: 'VER', name: 'Max Verstappen', team: 'Red Bull' };
  positions.take(madeUp('timing.data', { drivers: [{ ...driver, position: 2, lapsCompleted: 5 }] }));
  const state = madeUp('timing.data', { drivers: [{ ...driver, position: 7, lapsCompleted: 5 }] });
  positions.take({ ...state, isState: true });
  assert.equal(positions.table.at('1', 5), 2);
  updates.take({ ...state, isState: true });
  assert.equal(updates.newest(1, null).length, 0);
});

function makeFolds() {
  return {
    positions: new PositionsByLap(),
    gaps: new GapsByLap(),
    chances: new WinChances(),
    events: new RaceEventLog(),
    updates: new UpdateLog(),
  };
}
