// What is known about real sessions from elsewhere must come out of the updates.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { describeSession } from '#engine/racing/derive/describe-session.ts';
import { F1 } from '#engine/racing/series/f1.ts';
import {
  ALL_SESSIONS,
  dataPath,
  framesOf,
  payloadsOf,
  type TestPayload,
  timelineOf,
  WITHOUT_RECORDINGS,
} from './real-sessions.ts';

const SKIP = { skip: WITHOUT_RECORDINGS };

interface LastKnown {
  position: number;
  gap: { display: string; seconds: number | null } | null;
  laps: number;
}

/** Each driver as the updates of timing.data leave him. */
function lastKnown(payloads: readonly TestPayload[]): Map<string, LastKnown> {
  const drivers = new Map<string, LastKnown>();
  for (const { drivers: entries } of payloads) {
    for (const entry of entries) {
      const driver = drivers.get(entry.tla) ?? { position: 0, gap: null, laps: 0 };
      driver.position = entry.position as number;
      if (entry.gapToLeader !== undefined) driver.gap = entry.gapToLeader as LastKnown['gap'];
      driver.laps = (entry.lapsCompleted as number | undefined) ?? driver.laps;
      drivers.set(entry.tla, driver);
    }
  }
  return drivers;
}

function eventCounts(payloads: readonly TestPayload[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { event } of payloads) counts[event!] = (counts[event!] ?? 0) + 1;
  return counts;
}

/** Rows of the race history about one race, by column. */
function history(file: string, year: number, round: number): Readonly<Record<string, string>>[] {
  const [head, ...rows] = readFileSync(dataPath(`history/f1db/${file}`), 'utf8')
    .trim()
    .split('\n');
  const columns: string[] = head!.split(',').map((name) => JSON.parse(name));
  return rows
    .map((row) => row.split(',').map((field) => field.replaceAll('"', '')))
    .filter((row) => row[1] === String(year) && row[2] === String(round))
    .map((row) => Object.fromEntries(columns.map((name, index) => [name, row[index] ?? ''])));
}

function officialGaps(year: number, round: number): { number: string; gapMs: number }[] {
  return history('f1db-races-race-results.csv', year, round)
    .filter(({ laps }) => laps === '51')
    .map(({ driverNumber, gapMillis, timePenaltyMillis }) => ({
      number: driverNumber!,
      gapMs: Number(gapMillis) - Number(timePenaltyMillis),
    }));
}

test('every recording has the id under which it is known', SKIP, () => {
  for (const session of ALL_SESSIONS) assert.equal(describeSession(F1, framesOf(session)).sessionId, session);
});

test('a session is described as its SessionInfo says', SKIP, () => {
  assert.deepEqual(describeSession(F1, framesOf('2025-miami-sprint')), {
    sessionId: '2025-miami-sprint',
    seriesId: 'f1',
    name: 'Miami Grand Prix, Sprint',
    type: 'Sprint',
    circuitName: 'Miami',
    season: 2025,
    startUtcMs: Date.parse('2025-05-03T16:00:00Z'),
  });
});

test('Baku 2018 ends in the order and with the gaps of the official results, penalties aside', SKIP, () => {
  const timeline = timelineOf('2018-azerbaijan-race');
  const payloads = payloadsOf(timeline, 'timing.data');
  const numbers = new Map(payloads.flatMap(({ drivers }) => drivers.map(({ tla, number }) => [tla, number] as const)));
  const finishers = [...lastKnown(payloads)]
    .filter(([, driver]) => driver.laps === 51)
    .sort(([, a], [, b]) => a.position - b.position)
    .map(([tla, { gap }]) => ({ number: numbers.get(tla)!, gapMs: Math.round(gap!.seconds! * 1000) }));
  assert.equal(finishers.length, 13);
  assert.deepEqual(finishers, officialGaps(2018, 4));
});

test('Baku 2018 has 841 completed laps and 584 positions told', SKIP, () => {
  const payloads = payloadsOf(timelineOf('2018-azerbaijan-race'), 'timing.data');
  const laps = [...lastKnown(payloads).values()].reduce((sum, { laps }) => sum + laps, 0);
  const grid = payloads[0]!.drivers.length;
  const moves = payloads
    .flatMap(({ drivers }) => drivers)
    .filter(({ previousPosition }) => previousPosition !== undefined);
  assert.equal(laps, 841);
  assert.equal(grid + moves.length, 584);
});

test('Baku 2018 has the race events that are known of it', SKIP, () => {
  const events = payloadsOf(timelineOf('2018-azerbaijan-race'), 'events.race');
  const { position_gained, position_lost, battle_start, battle_end, tire_change, ...counts } = eventCounts(events);
  assert.deepEqual(counts, {
    session_start: 1,
    session_end: 1,
    yellow_flag: 10,
    track_clear: 10,
    safety_car_deployed: 2,
    safety_car_ending: 2,
    drs_enabled: 8,
    drs_disabled: 8,
    milestone: 4,
    pit_entry: 36,
    pit_exit: 36,
    pit_stop: 36,
    overtake: 48,
    lead_change: 2,
    fastest_lap: 33,
    personal_best: 275,
    stopped: 7,
    retirement: 6,
    investigation: 8,
    penalty: 2,
    blue_flag: 25,
    chequered_flag: 1,
  });
  // Nothing else tells these exactly: they are of the order of the stops that explain most of them.
  assert.ok(position_lost! >= 20 && position_lost! <= 40, `${position_lost} positions lost`);
  assert.ok(position_gained! >= 80 && position_gained! <= 140, `${position_gained} positions gained`);
  assert.equal(battle_end, battle_start);
  assert.ok(battle_start! >= 50 && battle_start! <= 100, `${battle_start} battles`);
  // Of 36 stops, five on the first lap came before the timing told any tires, and one was without new ones.
  assert.equal(tire_change, 30);
});

test('Baku 2018 has the pit stops, the fastest lap, the retirements and the winner of the race history', SKIP, () => {
  const timeline = timelineOf('2018-azerbaijan-race');
  const events = payloadsOf(timeline, 'events.race');
  const stops = events.filter(({ event }) => event === 'pit_stop');
  const off: number[] = [];
  for (const row of history('f1db-races-pit-stops.csv', 2018, 4)) {
    const stop = stops.find(
      ({ drivers, data }) => drivers[0]!.number === row.driverNumber && String(data.stop) === row.stop,
    );
    assert.ok(stop, `stop ${row.stop} of ${row.driverId}`);
    off.push(Math.abs((stop.data.pitLaneMs as number) - Number(row.timeMillis)));
  }
  off.sort((a, b) => a - b);
  assert.equal(off.length, stops.length);
  // The messages of entry and exit are sent late by up to two and a half seconds, rarely by more than half of one.
  assert.ok(off[18]! < 200, `half are within ${off[18]} ms`);
  assert.ok(off.at(-1)! < 2_500, `all are within ${off.at(-1)} ms`);
  const [fastest] = history('f1db-races-fastest-laps.csv', 2018, 4);
  const lap = events.filter(({ event }) => event === 'fastest_lap').at(-1)!;
  assert.equal(lap.drivers[0]!.number, fastest!.driverNumber);
  assert.deepEqual(
    [(lap.data.time as { ms: number }).ms, lap.data.lap],
    [Number(fastest!.timeMillis), Number(fastest!.lap)],
  );
  const results = history('f1db-races-race-results.csv', 2018, 4);
  assert.deepEqual(
    events
      .filter(({ event }) => event === 'retirement')
      .map(({ drivers, data }) => `${drivers[0]!.number} ${data.lapsCompleted}`)
      .sort(),
    results
      .filter(({ positionText }) => positionText === 'DNF')
      .map(({ driverNumber, laps }) => `${driverNumber} ${laps}`)
      .sort(),
  );
  const leader = events.filter(({ event }) => event === 'lead_change').at(-1)!.drivers[0]!.number;
  assert.equal(leader, results[0]!.driverNumber);
});

test('Baku 2018: Bottas took the lead from Vettel, lost it to Hamilton, and kept the fastest lap', SKIP, () => {
  const events = payloadsOf(timelineOf('2018-azerbaijan-race'), 'events.race');
  const of = (type: string) => events.filter(({ event }) => event === type);
  assert.deepEqual(
    of('lead_change').map(({ drivers }) => drivers.map(({ tla }) => tla)),
    [
      ['BOT', 'VET'],
      ['HAM', 'BOT'],
    ],
  );
  const fastest = of('fastest_lap').at(-1)!;
  assert.equal(fastest.drivers[0]!.tla, 'BOT');
  assert.deepEqual(fastest.data, { time: { display: '1:45.149', ms: 105_149 }, lap: 37 });
  assert.deepEqual(
    of('retirement').map(({ drivers }) => drivers[0]!.tla),
    ['OCO', 'SIR', 'HUL', 'RIC', 'VER', 'GRO'],
  );
});

test('Baku 2018: passes that everybody saw are overtakes, cars in trouble and corrections are not', SKIP, () => {
  const events = payloadsOf(timelineOf('2018-azerbaijan-race'), 'events.race');
  const passes = events
    .filter(({ event }) => event === 'overtake')
    .map(({ lap, drivers }) => `${lap} ${drivers.map(({ tla }) => tla).join(' ')}`);
  for (const pass of ['35 RIC VER', '48 HAM VET', '48 RAI VET', '49 PER VET']) assert.ok(passes.includes(pass), pass);
  // Hulkenberg hit the wall on lap 11, Bottas had a puncture on lap 49: nobody overtook them.
  assert.equal(passes.filter((pass) => pass.startsWith('49') && pass.endsWith('BOT')).length, 0);
  assert.ok(passes.filter((pass) => pass.startsWith('11') && pass.endsWith('HUL')).length <= 1);
  assert.equal(new Set(passes).size, passes.length);
});

test('the Miami sprint of 2025 has 21 stops, though cars entered the pits 61 times and left for the grid', SKIP, () => {
  const timeline = timelineOf('2025-miami-sprint');
  const counts = eventCounts(payloadsOf(timeline, 'events.race'));
  const inPit = payloadsOf(timeline, 'timing.data')
    .flatMap(({ drivers }) => drivers)
    .filter((entry) => entry.inPit === true).length;
  assert.equal(inPit, 61);
  assert.equal(counts.pit_entry, 21);
  // Sainz stopped in the pits and retired there.
  assert.equal(counts.pit_exit, 20);
  assert.equal(counts.pit_stop, 20);
  // All went from intermediates to slicks; Antonelli, who stopped twice, has one change.
  assert.ok(counts.tire_change! >= 18 && counts.tire_change! <= 20, `${counts.tire_change} changes of tires`);
  assert.equal(counts.double_stack, 2);
});

test(
  'the Miami sprint of 2025: one safety car, one red flag, and nobody overtakes on the lap of the start',
  SKIP,
  () => {
    const events = payloadsOf(timelineOf('2025-miami-sprint'), 'events.race');
    const counts = eventCounts(events);
    assert.equal(counts.safety_car_deployed, 1);
    assert.equal(counts.safety_car_ending, 1);
    assert.equal(counts.red_flag, 1);
    assert.deepEqual(
      events.filter(({ event }) => event === 'lead_change').map(({ drivers }) => drivers[0]!.tla),
      ['PIA', 'NOR'],
    );
    assert.deepEqual(
      events
        .filter(({ event }) => event === 'retirement')
        .map(({ drivers, data }) => [drivers[0]!.tla, data.announced]),
      [
        ['LEC', false],
        ['SAI', true],
        ['ALO', false],
      ],
    );
    assert.equal(events.filter(({ event, lap }) => event === 'overtake' && lap! <= 3).length, 0);
  },
);

test('safety cars are out for as long as race control says', SKIP, () => {
  for (const session of [
    '2018-azerbaijan-race',
    '2025-miami-sprint',
    '2025-australia-race',
    '2025-mexico-race',
    '2020-belgium-race',
  ]) {
    const timeline = timelineOf(session);
    const said = payloadsOf(timeline, 'race-control.messages')
      .filter(({ data }) => data.mode === 'SAFETY CAR' && (data.status === 'DEPLOYED' || data.status === 'IN THIS LAP'))
      .map(({ utc, data }) => ({ utcMs: Date.parse(utc), type: data.status === 'DEPLOYED' ? 'deployed' : 'ending' }));
    const told = payloadsOf(timeline, 'events.race')
      .filter(({ event }) => event === 'safety_car_deployed' || event === 'safety_car_ending')
      .map(({ utc, event }) => ({ utcMs: Date.parse(utc), type: event!.replace('safety_car_', '') }));
    assert.deepEqual(
      told.map(({ type }) => type),
      said.map(({ type }) => type),
      session,
    );
    for (const [index, { utcMs }] of told.entries()) {
      assert.ok(Math.abs(utcMs - said[index]!.utcMs) < 10_000, `${session}: ${utcMs - said[index]!.utcMs} ms apart`);
    }
  }
});

test('no session is flooded with events, and each kind has only its own', SKIP, () => {
  const RACE_ONLY = [
    'overtake',
    'position_gained',
    'position_lost',
    'pit_stop',
    'battle_start',
    'milestone',
    'lead_change',
  ];
  for (const session of ALL_SESSIONS) {
    const counts = eventCounts(payloadsOf(timelineOf(session), 'events.race'));
    const isRace = /race|sprint/.test(session);
    for (const type of isRace ? ['segment_start', 'knocked_out'] : RACE_ONLY)
      assert.equal(counts[type], undefined, type);
    if (isRace) assert.equal(counts.milestone, 4, session);
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
    assert.ok(total < 1_000, `${session}: ${total}`);
  }
});

test('qualifying and practice have no overtakes, no leaders and no retirements, and start once', SKIP, () => {
  for (const session of ['2023-azerbaijan-qualifying', '2024-britain-practice-1', '2025-mexico-qualifying']) {
    const counts = eventCounts(payloadsOf(timelineOf(session), 'events.race'));
    assert.equal(counts.overtake ?? counts.lead_change ?? counts.retirement, undefined);
    assert.equal(counts.session_start, 1);
    assert.equal(counts.session_end, 1);
    assert.equal(counts.chequered_flag, session.endsWith('qualifying') ? 3 : 1);
  }
});

test('the virtual safety car of Mexico 2025 has one deployment and one ending', SKIP, () => {
  const counts = eventCounts(payloadsOf(timelineOf('2025-mexico-race'), 'events.race'));
  assert.equal(counts.virtual_safety_car_deployed, 1);
  assert.equal(counts.virtual_safety_car_ending, 1);
});
