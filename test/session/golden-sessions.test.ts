// What is known about real sessions from elsewhere must come out of the updates.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { describeSession } from '#engine/session/describe-session.ts';
import {
  ALL_SESSIONS,
  dataPath,
  framesOf,
  payloadsOf,
  type TestPayload,
  timelineOf,
  WITHOUT_RECORDINGS,
} from '#test/session/real-sessions.ts';

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

function officialGaps(year: number, round: number): { number: string; gapMs: number }[] {
  const [head, ...rows] = readFileSync(dataPath('history/f1db/f1db-races-race-results.csv'), 'utf8').trim().split('\n');
  const columns = head!.split(',').map((name) => JSON.parse(name));
  return rows
    .map((row) => row.split(','))
    .filter((row) => row[1] === String(year) && row[2] === String(round))
    .map((row) => (name: string) => row[columns.indexOf(name)] ?? '')
    .filter((field) => field('laps') === '51')
    .map((field) => ({
      number: field('driverNumber').replaceAll('"', ''),
      gapMs: Number(field('gapMillis')) - Number(field('timePenaltyMillis')),
    }));
}

test('every recording has the id under which it is known', SKIP, () => {
  for (const session of ALL_SESSIONS) assert.equal(describeSession(framesOf(session)).sessionId, session);
});

test('a session is described as its SessionInfo says', SKIP, () => {
  assert.deepEqual(describeSession(framesOf('2025-miami-sprint')), {
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
  const { overtake, fastest_lap, ...counts } = eventCounts(events);
  assert.deepEqual(counts, {
    session_start: 1,
    session_end: 1,
    yellow_flag: 10,
    track_clear: 10,
    safety_car_deployed: 2,
    safety_car_ending: 2,
    pit_entry: 36,
    pit_exit: 36,
    lead_change: 2,
    retirement: 6,
    chequered_flag: 1,
  });
  assert.equal(overtake, 57);
  assert.equal(fastest_lap, 33);
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
