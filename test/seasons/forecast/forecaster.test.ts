import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { seededRandom } from '#engine/base/random.ts';
import type { EventForecast, ForecastQuestion } from '#engine/seasons/forecast/forecast.ts';
import { Forecaster } from '#engine/seasons/forecast/forecaster.ts';
import { strengthsMessage } from '#engine/seasons/forecast/strengths-frame.ts';
import type { History, RaceWeekend } from '#engine/seasons/history/history.ts';
import { DRIVERS, inventedHistory } from '#test/support/invented-history.ts';
import { realHistory } from '#test/support/real-history.ts';
import { WITHOUT_HISTORY } from '#test/support/shared-data.ts';

const invented = inventedHistory();
const forecaster = new Forecaster(invented);

function question(eventId: string, changes: Partial<ForecastQuestion> = {}): ForecastQuestion {
  return { eventId, race: 'grand_prix', grid: null, simulations: 400, seed: 7, ...changes };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function assertClose(actual: number, expected: number, what: string): void {
  assert.ok(Math.abs(actual - expected) < 1e-9, `${what}: ${actual} instead of ${expected}`);
}

function assertValid({ drivers, qualifying, strategy, championship }: EventForecast): void {
  const field = drivers.length;
  const chances = [
    ...drivers.flatMap(({ win, podium, points, retirement }) => [win, podium, points, retirement]),
    ...qualifying.flatMap(({ pole, topThree, topTen }) => [pole, topThree, topTen]),
    ...strategy.stops.map(({ probability }) => probability),
    ...championship.drivers.map(({ titleProbability }) => titleProbability),
    ...championship.constructors.map(({ titleProbability }) => titleProbability),
  ];
  assert.ok(chances.every((chance) => chance >= 0 && chance <= 1 + 1e-9));
  assertClose(sum(drivers.map(({ win }) => win)), 1, 'wins');
  assertClose(sum(drivers.map(({ podium }) => podium)), Math.min(3, field), 'podiums');
  assertClose(sum(drivers.map(({ expectedPosition }) => expectedPosition)), (field * (field + 1)) / 2, 'places');
  assertClose(sum(qualifying.map(({ pole }) => pole)), 1, 'poles');
  assertClose(sum(qualifying.map(({ topTen }) => topTen)), Math.min(10, field), 'top tens');
  assertClose(sum(championship.drivers.map(({ titleProbability }) => titleProbability)), 1, 'titles');
  assertClose(sum(championship.constructors.map(({ titleProbability }) => titleProbability)), 1, 'team titles');
  if (strategy.stops.length > 0) assertClose(sum(strategy.stops.map(({ probability }) => probability)), 1, 'stops');
}

/** The history as it was before a session of the weekend: the qualifying that sets the grid, the sprint, or the race. */
function before(history: History, eventId: string, session: 'qualifying' | 'sprint' | 'race' = 'race'): History {
  const index = history.weekends.findIndex((weekend) => weekend.eventId === eventId);
  const { season, round } = history.weekends[index]!;
  const entries = history.entries
    .filter((entry) => entry.season <= season)
    .map((entry) => ({ ...entry, rounds: entry.rounds.filter((held) => entry.season < season || held <= round) }));
  const unraced = { results: [], fastestLaps: [], pitStops: [], driverStandings: [], constructorStandings: [] };
  const unqualified = { qualifying: [], grid: [] };
  const unsprinted = { sprintQualifying: [], sprintGrid: [], sprintResults: [] };
  const weekends = history.weekends.map((weekend, place): RaceWeekend => {
    if (place < index) return weekend;
    const cut = { ...weekend, ...unraced };
    if (place > index) return { ...cut, ...unqualified, ...unsprinted, practice: [] };
    if (session === 'race') return cut;
    if (session === 'sprint') return { ...cut, ...unqualified, sprintResults: [] };
    // Since 2024 the sprint comes before the qualifying of the Grand Prix, as the first practice always does.
    const practice = weekend.practice.filter(({ session }) => !weekend.hasSprint || session === 1);
    return { ...cut, ...unqualified, practice, ...(season < 2024 ? unsprinted : {}) };
  });
  return { ...history, entries, weekends };
}

function shuffled<Value>(values: readonly Value[], seed: number): Value[] {
  const random = seededRandom(seed);
  return values
    .map((value) => ({ value, key: random.next() }))
    .sort((a, b) => a.key - b.key)
    .map(({ value }) => value);
}

test('probabilities are between 0 and 1 and sum to the number of places to win, whatever the grid', () => {
  const ids = DRIVERS.map(({ driverId }) => driverId);
  fc.assert(
    fc.property(
      fc.constantFrom(...invented.weekends.map(({ eventId }) => eventId)),
      fc.constantFrom('grand_prix' as const, 'sprint' as const),
      fc.option(fc.shuffledSubarray([...ids, 'newcomer', 'other-newcomer'])),
      fc.integer({ min: 1, max: 500 }),
      fc.integer(),
      (eventId, race, grid, simulations, seed) => {
        const forecast = forecaster.forecast({ eventId, race, grid, simulations, seed });
        assertValid(forecast);
        if (grid !== null && grid.length > 0) {
          const placed = forecast.drivers.toSorted((a, b) => a.gridPosition! - b.gridPosition!);
          assert.deepEqual(
            placed.map(({ driverId }) => driverId),
            grid,
          );
        }
      },
    ),
    { numRuns: 60 },
  );
});

test('the same history, question and seed give the same forecast, another seed another one', () => {
  const asked = question('2020-circuit-5');
  const answer = JSON.stringify(forecaster.forecast(asked));
  forecaster.forecast(question('2019-circuit-2'));
  assert.equal(JSON.stringify(forecaster.forecast(asked)), answer);
  assert.equal(JSON.stringify(new Forecaster(inventedHistory()).forecast(asked)), answer);
  const [one, other] = [forecaster.forecast(asked), forecaster.forecast({ ...asked, seed: 8 })];
  assert.notDeepEqual(other.drivers, one.drivers);
  assert.notDeepEqual(other.qualifying, one.qualifying);
  assert.notDeepEqual(other.championship, one.championship);
});

test('a forecast uses what came before the race, and nothing later', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...invented.weekends.map(({ eventId }) => eventId)),
      fc.constantFrom(null, []),
      (eventId, grid) => {
        const asked = question(eventId, { grid });
        const unknowing = new Forecaster(before(invented, eventId));
        assert.deepEqual(unknowing.forecast(asked), forecaster.forecast(asked));
      },
    ),
    { numRuns: 20 },
  );
});

test('a grid declared unknown is not used, and neither is its qualifying', () => {
  const weekends = invented.weekends.map((weekend) =>
    weekend.eventId === '2020-circuit-3' ? { ...weekend, grid: [], qualifying: [] } : weekend,
  );
  const asked = question('2020-circuit-3', { grid: [] });
  assert.equal(forecaster.forecast(asked).gridKnown, false);
  assert.deepEqual(new Forecaster({ ...invented, weekends }).forecast(asked), forecaster.forecast(asked));
});

test('the order of rows in the history does not matter', () => {
  const weekends = invented.weekends.map((weekend, index): RaceWeekend => {
    return {
      ...weekend,
      qualifying: shuffled(weekend.qualifying, index),
      grid: shuffled(weekend.grid, index + 1),
      results: shuffled(weekend.results, index + 2),
      fastestLaps: shuffled(weekend.fastestLaps, index + 3),
      driverStandings: shuffled(weekend.driverStandings, index + 4),
    };
  });
  const other = new Forecaster({ ...invented, entries: shuffled(invented.entries, 1), weekends });
  for (const eventId of ['2018-circuit-1', '2020-circuit-4', '2021-circuit-1']) {
    assert.deepEqual(other.forecast(question(eventId)), forecaster.forecast(question(eventId)));
  }
});

test('a stronger driver is expected further ahead, and a season is more open before it starts', () => {
  const { drivers, qualifying, championship } = forecaster.forecast(question('2020-circuit-8', { simulations: 4_000 }));
  assert.equal(drivers[0]!.constructorId, 'team-0');
  assert.equal(qualifying[0]!.constructorId, 'team-0');
  assert.ok(drivers.at(-1)!.expectedPosition > drivers[0]!.expectedPosition + 3);
  const leader = championship.drivers[0]!;
  assert.equal(leader.position, 1);
  assert.equal(championship.racesLeft, 1);
  assert.ok(leader.titleProbability > 0.8, `${leader.titleProbability}`);
  const early = forecaster.forecast(question('2021-circuit-1')).championship;
  assert.equal(early.drivers[0]!.position, null);
  assert.ok(Math.max(...early.drivers.map(({ titleProbability }) => titleProbability)) < leader.titleProbability);
});

test('rounds without results in the history are simulated for the title, like future ones', () => {
  const last = forecaster.forecast(question('2021-circuit-8')).championship;
  const first = forecaster.forecast(question('2021-circuit-1')).championship;
  assert.deepEqual([last.racesLeft, first.racesLeft], [8, 8]);
  // No driver has points, so the title is as open as at the start of the season.
  const best = ({ drivers }: EventForecast['championship']) =>
    Math.max(...drivers.map(({ titleProbability }) => titleProbability));
  assert.ok(Math.abs(best(last) - best(first)) < 0.15, `${best(last)} and ${best(first)}`);
});

test('a better grid position helps the same driver', () => {
  const order = DRIVERS.map(({ driverId }) => driverId);
  const chance = (grid: readonly string[]): number => {
    const { drivers } = forecaster.forecast(question('2020-circuit-6', { grid, simulations: 4_000 }));
    return drivers.find(({ driverId }) => driverId === 'driver-0')!.win;
  };
  assert.ok(chance(order) > chance([...order.slice(1), 'driver-0']));
});

test('an unknown driver gets the free seat, and the chances of a rookie in that car', () => {
  const grid = DRIVERS.map(({ driverId }) => (driverId === 'driver-3' ? 'newcomer' : driverId));
  const { drivers } = forecaster.forecast(question('2020-circuit-6', { grid }));
  const newcomer = drivers.find(({ driverId }) => driverId === 'newcomer')!;
  assert.equal(newcomer.constructorId, 'team-1');
  assert.ok(newcomer.expectedPosition > 1 && newcomer.retirement > 0);
  const [one, many] = [['nobody'], [...grid, 'nobody']];
  assert.equal(forecaster.forecast(question('2018-circuit-1', { grid: one })).drivers[0]!.win, 1);
  assert.equal(forecaster.forecast(question('2020-circuit-6', { grid: many })).drivers.length, 11);
});

test('the entered drivers are expected, even after a missed race; otherwise those of the latest race', () => {
  const missed = invented.weekends.findIndex(({ eventId }) => eventId === '2020-circuit-3');
  const weekends = invented.weekends.map((weekend, index): RaceWeekend => {
    if (index !== missed) return weekend;
    return { ...weekend, results: weekend.results.filter(({ driverId }) => driverId !== 'driver-0') };
  });
  const field = (history: History): readonly string[] =>
    new Forecaster(history).forecast(question('2020-circuit-4', { grid: [] })).drivers.map(({ driverId }) => driverId);
  assert.ok(!field({ ...invented, weekends }).includes('driver-0'));
  const entries = invented.entries.map((entry) => ({ ...entry, rounds: entry.season === 2020 ? [3, 4] : [] }));
  assert.ok(field({ ...invented, entries, weekends }).includes('driver-0'));
});

test('without any results the chances are even', () => {
  const empty = { results: [], qualifying: [], grid: [], fastestLaps: [], pitStops: [], sprintResults: [] };
  const planned: History = {
    ...invented,
    weekends: invented.weekends.map((weekend) => {
      return { ...weekend, ...empty, driverStandings: [], constructorStandings: [] };
    }),
  };
  const unlearnt = new Forecaster(planned);
  const forecast = unlearnt.forecast(question('2021-circuit-1', { simulations: 20_000 }));
  assertValid(forecast);
  assert.equal(forecast.learntTo, null);
  for (const { win } of forecast.drivers) assert.ok(Math.abs(win - 0.1) < 0.015, `${win}`);
  const nobody = new Forecaster({ ...planned, entries: [] }).forecast(question('2021-circuit-1'));
  assert.deepEqual([nobody.drivers, nobody.championship.drivers], [[], []]);
  const none = new Forecaster({ ...planned, entries: [], weekends: [] });
  assert.equal(none.knows('2021-circuit-1'), false);
  assert.equal(unlearnt.knows('2021-circuit-1'), true);
});

test('the rest of a season is simulated with its sprints, and the race in question with its grid', () => {
  const index = invented.weekends.findLastIndex(({ season }) => season === 2020);
  const { eventId, driverStandings } = invented.weekends[index]!;
  const [leader, second] = driverStandings;
  const chance = (lead: number, hasSprint: boolean, grid: readonly string[]): number => {
    const weekends = invented.weekends.map((weekend, place): RaceWeekend => {
      if (place === index) return { ...weekend, hasSprint };
      if (place !== index - 1) return weekend;
      const standings = [
        { ...leader!, points: 200 + lead },
        { ...second!, points: 200 },
      ];
      return { ...weekend, driverStandings: standings };
    });
    const asked = question(eventId, { grid, simulations: 4_000 });
    const { drivers, sprintsLeft } = new Forecaster({ ...invented, weekends }).forecast(asked).championship;
    assert.equal(sprintsLeft, hasSprint ? 1 : 0);
    return drivers.find(({ driverId }) => driverId === leader!.driverId)!.titleProbability;
  };
  // A race alone cannot make up 28 points; a race and a sprint can.
  assert.equal(chance(28, false, []), 1);
  assert.ok(chance(28, true, []) < 1);
  const others = DRIVERS.map(({ driverId }) => driverId).filter((driverId) => driverId !== leader!.driverId);
  const ahead = chance(0, false, [leader!.driverId, ...others]);
  assert.ok(ahead > chance(0, false, [...others, leader!.driverId]) + 0.05, `${ahead}`);
});

describe('forecasts from the real history', { skip: WITHOUT_HISTORY }, () => {
  test('sums are right, and a history cut before the session gives the same forecast', () => {
    const history = realHistory('f1db-2026-06');
    const real = new Forecaster(history);
    const sprints = ['2021-sao-paulo', '2023-sao-paulo', '2025-miami', '2026-china'];
    for (const eventId of ['2014-australia', '2016-brazil', '2020-sakhir', '2022-bahrain', '2026-monaco', ...sprints]) {
      for (const [session, grid] of [
        ['race', null],
        ['qualifying', []],
      ] as const) {
        const forecast = real.forecast(question(eventId, { grid }));
        assertValid(forecast);
        const cut = new Forecaster(before(history, eventId, session));
        assert.deepEqual(cut.forecast(question(eventId, { grid })), forecast, `${eventId} ${session}`);
      }
      if (!sprints.includes(eventId)) continue;
      const asked = question(eventId, { race: 'sprint' });
      const cut = new Forecaster(before(history, eventId, 'sprint'));
      assert.deepEqual(cut.forecast(asked), real.forecast(asked), `${eventId} sprint`);
    }
  });

  test('what is known of the weekend is used and named', () => {
    const history = realHistory();
    const weekend = history.weekends.find(({ eventId }) => eventId === '2025-italy')!;
    const real = new Forecaster(history);
    const grid = weekend.grid.map(({ driverId }) => driverId);
    const unpractised = new Forecaster({
      ...history,
      weekends: history.weekends.map((one) => (one === weekend ? { ...one, practice: [] } : one)),
    });
    const asked = [
      ['qualifying', real, null],
      ['practice', real, []],
      ['grid', real, grid],
      ['nothing', unpractised, []],
    ] as const;
    const forecasts = asked.map(([known, forecaster, given]) => {
      const forecast = forecaster.forecast(question('2025-italy', { grid: given }));
      assert.equal(forecast.known, known);
      return JSON.stringify(forecast.drivers.map(({ driverId, win }) => [driverId, win]));
    });
    assert.equal(new Set(forecasts).size, asked.length);
    // A grid that is given stands alone: neither practice nor times go in with it.
    assert.deepEqual(
      unpractised.forecast(question('2025-italy', { grid })),
      real.forecast(question('2025-italy', { grid })),
    );
  });

  test('it forecasts sprints, and a season with only calendar and entries', () => {
    const real = new Forecaster(realHistory());
    const sprint = real.forecast(question('2025-miami', { race: 'sprint' }));
    assertValid(sprint);
    assert.equal(sprint.gridKnown, true);
    assert.ok(sprint.drivers[0]!.expectedPoints < 8);
    assert.ok(sprint.drivers[0]!.retirement < real.forecast(question('2025-miami')).drivers[0]!.retirement + 0.1);
    const planned = realHistory().weekends.filter(({ season }) => season === 2026);
    for (const { eventId } of [planned[0]!, planned.at(-1)!]) {
      const forecast = real.forecast(question(eventId));
      assertValid(forecast);
      assert.equal(forecast.drivers.length, 22);
      assert.equal(forecast.gridKnown, false);
      assert.equal(forecast.learntTo, '2025-abu-dhabi');
    }
  });

  test('a title that cannot be lost is certain', () => {
    const { championship } = new Forecaster(realHistory()).forecast(question('2023-abu-dhabi'));
    assert.equal(championship.drivers[0]!.driverId, 'max-verstappen');
    assert.equal(championship.drivers[0]!.titleProbability, 1);
    assert.equal(championship.constructors[0]!.titleProbability, 1);
    assert.equal(championship.drivers[0]!.latest.length, 5);
  });
});

test('strengths are those of before the weekend: a history that ends there says the same, and they sum to nothing', () => {
  const { weekends } = invented;
  for (const { eventId } of weekends.filter(({ results }) => results.length > 0).slice(-6)) {
    const { drivers, learntTo } = forecaster.strengths(eventId);
    assertClose(sum([...drivers.values()]), 0, 'strengths');
    const index = weekends.findIndex((weekend) => weekend.eventId === eventId);
    assert.equal(learntTo, weekends[index - 1]!.eventId);
    assert.deepEqual(new Forecaster(before(invented, eventId, 'qualifying')).strengths(eventId).drivers, drivers);
    const { retirements } = new Forecaster(before(invented, eventId, 'qualifying')).strengths(eventId);
    assert.deepEqual(retirements, forecaster.strengths(eventId).retirements);
  }
});

test('the message of strengths names drivers as live timing does; without a past there is none', () => {
  const { eventId } = invented.weekends.at(-1)!;
  const message = strengthsMessage(forecaster, eventId)!;
  assert.deepEqual(Object.keys(message.Strengths).sort(), [...forecaster.strengths(eventId).drivers.keys()].sort());
  assert.deepEqual(Object.keys(message.Retirements!), Object.keys(message.Strengths));
  for (const chance of Object.values(message.Retirements!)) assert.ok(chance > 0 && chance < 1);
  assert.equal(strengthsMessage(forecaster, '1999-nowhere'), null);
  assert.equal(strengthsMessage(forecaster, invented.weekends[0]!.eventId), null);
});
