// The golden race: its events and payloads agree with the script.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordedOutcome } from '#engine/racing/derive/recorded-outcome.ts';
import { F1 } from '#engine/racing/series/f1.ts';
import { contentAt, derived, eventRows } from './derived-payloads.ts';
import { driver, ENTRANTS } from './entrants.ts';
import { RACE } from './golden-sessions.ts';
import { RACE_ID, RACE_PLAN } from './race.ts';
import { EVENTS, PAYLOADS } from './race-expected.ts';
import { type Run, runRace, SECTORS } from './race-run.ts';

const runs = runRace(RACE_PLAN);
const tla = (number: string) => ENTRANTS.find((one) => one.number === number)!.tla;
const eventsOf = (type: string) => derived(RACE, 'events.race').filter(({ event }) => event === type);

/** Returns the lap times from the second lap on. The first lap starts on the grid. */
function lapTimes({ lines }: Run): { readonly lap: number; readonly ms: number }[] {
  const laps = Math.floor((lines.length - 1) / SECTORS);
  return Array.from({ length: Math.max(0, laps - 1) }, (_, index) => {
    const lap = index + 2;
    return { lap, ms: Math.round((lines[SECTORS * lap]! - lines[SECTORS * (lap - 1)]!) * 1000) };
  });
}

test('the race has exactly these events, at these times and about these drivers', () => {
  assert.deepEqual(eventRows(RACE), EVENTS.split('\n'));
});

for (const { feed, seconds, content } of PAYLOADS) {
  test(`${feed} at ${seconds} s has all that changed, and nothing else`, () => {
    assert.deepEqual(contentAt(RACE, feed, seconds), content);
  });
}

test('every payload names its session, and the sequence has no gaps', () => {
  const all = derived(RACE) as unknown as { sequence: number; sessionId: string; seriesId: string; utc: string }[];
  for (const [index, { sequence, sessionId, seriesId }] of all.entries()) {
    assert.deepEqual([sequence, sessionId, seriesId], [index + 1, RACE_ID, 'f1']);
  }
  assert.deepEqual([all[0]!.utc, all.at(-1)!.utc], ['2026-06-07T13:58:00.000Z', '2026-06-07T14:23:53.654Z']);
});

test('the first timing payload has all fields of every driver', () => {
  const off = { time: null, overallFastest: false, personalFastest: false };
  const segments = [
    { segment: 1, status: 0 },
    { segment: 2, status: 0 },
  ];
  const speed = { kph: null, overallFastest: false, personalFastest: false };
  const { session, drivers } = contentAt(RACE, 'timing.data', 2.1) as { session: object; drivers: object[] };
  assert.deepEqual(session, { withheld: false });
  assert.equal(drivers.length, RACE_PLAN.cars.length);
  assert.deepEqual(drivers[0], {
    ...driver('3', 1),
    gapToLeader: null,
    gapToAhead: null,
    catching: false,
    showPosition: true,
    retired: false,
    inPit: true,
    pitOut: false,
    stopped: false,
    statusFlags: 80,
    sectors: [1, 2, 3].map((sector) => ({ sector, ...off, stopped: false, segments })),
    speeds: { intermediate1: speed, intermediate2: speed, finishLine: speed, speedTrap: speed },
    bestLap: { time: null },
    lastLap: off,
  });
});

test('personal bests are the laps that beat all earlier laps of the driver, even if their time came late', () => {
  const expected = runs.flatMap((run) => {
    const laps = lapTimes(run);
    // The first timed lap has nothing to beat.
    const bests = laps.filter(({ ms }, index) => index > 0 && laps.slice(0, index).every((before) => ms < before.ms));
    return bests.map(({ lap, ms }) => `${tla(run.plan.number)} ${lap} ${ms}`);
  });
  const bests = eventsOf('personal_best').map(
    ({ drivers, data }) => `${drivers[0]!.tla} ${data.lap} ${(data.time as { ms: number }).ms}`,
  );
  assert.deepEqual(bests.toSorted(), expected.toSorted());
  assert.equal(bests.length, 85);
});

test('the last fastest_lap of the race is the fastest of all laps', () => {
  const all = runs.flatMap((run) => lapTimes(run).map((lap) => ({ ...lap, number: run.plan.number })));
  const fastest = all.toSorted((a, b) => a.ms - b.ms)[0]!;
  const { drivers, data } = eventsOf('fastest_lap').at(-1)!;
  assert.deepEqual(
    [drivers[0]!.number, data.lap, (data.time as { ms: number }).ms],
    [fastest.number, fastest.lap, fastest.ms],
  );
});

test('the pit stops are those of the script, with number, stationary time and source', () => {
  const stops = eventsOf('pit_stop').map(
    ({ drivers, data: { stop, stationaryMs, source } }) => `${drivers[0]!.tla} ${stop} ${stationaryMs} ${source}`,
  );
  const expected = RACE_PLAN.cars.flatMap(({ number, stops: planned = [] }) =>
    planned.map(({ stands, publishedIn: topics = [] }, index) => {
      if (topics.includes('PitStopSeries'))
        return `${tla(number)} ${index + 1} ${Math.round(stands * 1000)} pit_stop_series`;
      return `${tla(number)} ${index + 1} undefined ${topics.length === 0 ? 'timing' : 'pit_lane_times'}`;
    }),
  );
  // Car 11 stops before PitStopSeries has its first message, so its stop does not wait for a stationary time.
  const early = expected.map((text) => (text.startsWith('ARA') ? 'ARA 1 undefined pit_lane_times' : text));
  assert.deepEqual(stops.toSorted(), early.toSorted());
});

test('the outcome has the order at the flag, with lapped and retired cars, and the fastest lap', () => {
  const outcome = recordedOutcome(F1, RACE.frames)!;
  assert.deepEqual(
    [outcome.phase, outcome.currentLap, outcome.totalLaps, outcome.fastestLap],
    ['finished', 18, 18, '7'],
  );
  assert.deepEqual(
    outcome.cars.map((car) => [car.position, car.tla, car.driver, car.gridPlace, car.lapsCompleted, car.out]),
    [
      [1, 'HOL', 'nils-holmvik', 1, 18, false],
      [2, 'OKE', 'tunde-okelwa', 2, 18, false],
      [3, 'ARA', 'ines-arandela', 3, 18, false],
      [4, 'LIN', 'greta-lindhage', 9, 18, false],
      [5, 'VIR', 'aino-virtasalo', 5, 18, false],
      [6, 'DUN', 'callum-dunbrae', 6, 18, false],
      [7, 'SAT', 'haru-satomine', 7, 18, false],
      [8, 'NAV', 'rafael-navas-gil', 10, 17, false],
      [9, 'MAR', 'leo-marchesin', 4, 11, true],
      [10, 'BEZ', 'petr-bezdrov', 8, 9, true],
    ],
  );
  assert.equal(outcome.stops.length, 12);
  assert.deepEqual(outcome.stops[0], { number: '11', lap: 6, pitLaneMs: 15_400 });
});

test('two topics have the laps of the tires: they rise one by one, and no update repeats one', () => {
  const laps = new Map<string, number[]>();
  for (const { drivers } of derived(RACE, 'tire.stints')) {
    for (const { tla, stints } of drivers) {
      for (const { stint, totalLaps } of stints as { stint: number; totalLaps?: number }[]) {
        const of = `${tla} ${stint}`;
        if (totalLaps !== undefined) laps.set(of, [...(laps.get(of) ?? []), totalLaps]);
      }
    }
  }
  assert.equal(laps.size, 22);
  for (const [of, all] of laps) {
    assert.deepEqual(
      all,
      all.map((_, index) => all[0]! + index),
      of,
    );
  }
});

test('a sample whose clock is an hour ahead does not suppress later samples', () => {
  const speeds = derived(RACE, 'car.telemetry').map(({ drivers: [one], ...rest }) => [
    (rest as unknown as { sampleUtc: string }).sampleUtc.slice(11, 19),
    `${one!.tla} ${one!.speedKph}`,
  ]);
  assert.deepEqual(speeds, [
    ['14:02:17', 'HOL 298'],
    ['14:02:18', 'HOL 121'],
    ['14:02:19', 'DUN 96'],
    ['15:02:22', 'HOL 301'],
    ['14:02:23', 'HOL 302'],
  ]);
});
