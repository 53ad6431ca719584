import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CircuitRecord } from '#engine/seasons/forecast/circuit-facts.ts';
import { MODEL_SETTINGS, type RetirementSettings } from '#engine/seasons/forecast/model-settings.ts';
import { qualifyingGaps, raceScores } from '#engine/seasons/forecast/performance.ts';
import { hasRetired, hasStarted } from '#engine/seasons/forecast/race-start.ts';
import { RetirementRecord } from '#engine/seasons/forecast/retirement-hazard.ts';
import { strategyOf } from '#engine/seasons/forecast/strategy.ts';
import type { RaceWeekend } from '#engine/seasons/history/history.ts';
import { inventedHistory } from '#test/support/invented-history.ts';
import { realHistory } from '#test/support/real-history.ts';
import { WITHOUT_HISTORY } from '#test/support/shared-data.ts';

const { weekends } = inventedHistory();
const held = weekends.filter(({ results }) => results.length > 0);
const planned = weekends.find(({ eventId }) => eventId === '2021-circuit-1')!;

function record(races: readonly RaceWeekend[]): CircuitRecord {
  const circuits = new CircuitRecord(4);
  for (const weekend of races) circuits.learn(weekend);
  return circuits;
}

test('facts of a circuit carry the counts behind them', () => {
  const here = held.filter(({ circuitId }) => circuitId === 'circuit-1');
  const { poleToWin, retirements, overtakingDifficulty } = record(held).facts({ circuitId: 'circuit-1', name: 'One' });
  const poleWins = here.filter(({ grid, results }) => grid[0]!.driverId === results[0]!.driverId).length;
  assert.deepEqual([poleToWin.count, poleToWin.races, overtakingDifficulty.races], [poleWins, 3, 3]);
  assert.equal(retirements.starts, 30);
  assert.equal(
    retirements.count,
    here.flatMap(({ results }) => results).filter(({ reasonRetired }) => reasonRetired !== null).length,
  );
});

/** Settings that forget nothing. */
function lasting(prior: number): RetirementSettings {
  const rate = { prior, halfLife: Number.MAX_SAFE_INTEGER };
  return { halfLife: Number.MAX_SAFE_INTEGER, driver: rate, team: rate, circuit: rate };
}

test('a disqualified driver has not retired', () => {
  const here = held.filter(({ circuitId }) => circuitId === 'circuit-1');
  const disqualified = here.map((weekend) => ({
    ...weekend,
    results: weekend.results.map((result, index) =>
      index === 0 ? { ...result, classification: { kind: 'not_classified', reason: 'DSQ' } as const } : result,
    ),
  }));
  const facts = (races: readonly RaceWeekend[]) => record(races).facts({ circuitId: 'circuit-1', name: '' });
  assert.deepEqual(facts(disqualified).retirements, facts(here).retirements);
  const hazard = (races: readonly RaceWeekend[]): number => {
    const retirements = new RetirementRecord(lasting(10));
    for (const weekend of races) retirements.learn(weekend);
    return retirements.hazard({ driverId: 'driver-0', constructorId: 'team-0' }, 'circuit-1', 'grand_prix');
  };
  assert.equal(hazard(disqualified), hazard(here));
});

test('a rate from few races is close to that of all circuits; without any race it equals that', () => {
  const circuits = record(held);
  const known = circuits.facts({ circuitId: 'circuit-1', name: '' }).poleToWin;
  const unknown = circuits.facts({ circuitId: 'nowhere', name: '' }).poleToWin;
  assert.deepEqual([unknown.count, unknown.races], [0, 0]);
  const own = known.count / known.races;
  assert.ok(Math.abs(known.rate - unknown.rate) <= Math.abs(own - unknown.rate));
  assert.equal(record([]).facts({ circuitId: 'nowhere', name: '' }).overtakingDifficulty.value, 0.5);
});

test('overtaking is difficult at a circuit where the grid order lasts', () => {
  const frozen = held.map((weekend) =>
    weekend.circuitId === 'circuit-1'
      ? { ...weekend, grid: weekend.results.map((result, index) => ({ ...result, position: index + 1 })) }
      : weekend,
  );
  const { overtakingDifficulty, poleToWin } = record(frozen).facts({ circuitId: 'circuit-1', name: '' });
  assert.ok(
    overtakingDifficulty.value > record(held).facts({ circuitId: 'circuit-1', name: '' }).overtakingDifficulty.value,
  );
  assert.deepEqual([overtakingDifficulty.meanPlacesMoved, poleToWin.count], [0, 3]);
});

test('stops on the circuit give number, lap and duration; waiting in an interrupted race is not a stop', () => {
  const interrupted = held.map((weekend) => ({
    ...weekend,
    pitStops: [
      ...weekend.pitStops,
      ...weekend.pitStops.map((stop) => ({ ...stop, stop: 2, lap: 30, timeMs: 1_800_000 })),
    ],
  }));
  const { stops, meanStops, firstStopLap, pitLaneSeconds, basis } = strategyOf(interrupted, planned, 'grand_prix');
  assert.equal(meanStops, 1);
  assert.equal(stops[1]!.probability, 1);
  assert.ok(firstStopLap!.lower >= 20 && firstStopLap!.upper <= 30 && firstStopLap!.lower < firstStopLap!.upper);
  assert.ok(pitLaneSeconds!.lower >= 22 && pitLaneSeconds!.upper < 23);
  const own = held.filter(({ circuitId }) => circuitId === planned.circuitId);
  assert.equal(basis.circuitRaces, 3);
  assert.equal(
    basis.stops,
    own.reduce((sum, { pitStops }) => sum + pitStops.length, 0),
  );
  assert.equal(strategyOf([], planned, 'grand_prix').firstStopLap, null);
});

test('older stops count less, laps scale to the planned distance, other circuits count briefly and little', () => {
  const [older, newer] = [2019, 2020].map((season) => held.find((one) => one.season === season && one.round === 1)!);
  const finisher = older!.results.find(({ classification }) => classification.kind === 'classified')!;
  const stopping = (weekend: RaceWeekend, stops: number): RaceWeekend => ({
    ...weekend,
    results: [{ ...finisher, classification: { kind: 'classified', position: 1 } }],
    pitStops: Array.from({ length: stops }, (_, index) => {
      return { ...finisher, stop: index + 1, lap: 10 * (index + 1), timeMs: 20_000 };
    }),
  });
  const meanStops = (races: readonly RaceWeekend[]): number => strategyOf(races, planned, 'grand_prix').meanStops;
  const both = [stopping(older!, 1), stopping(newer!, 2)];
  assert.ok(Math.abs(meanStops(both) - (0.75 + 2) / 1.75) < 1e-9);
  const elsewhere = held.filter(({ season, round }) => season === 2020 && round > 1).map((one) => stopping(one, 3));
  assert.ok(
    Math.abs(meanStops([...both, ...elsewhere]) - (0.75 ** 2 + 2 * 0.75 + 2 * 3) / (0.75 ** 2 + 0.75 + 2)) < 1e-9,
  );
  const longAgo = held.filter(({ season, round }) => season === 2019 && round > 1).map((one) => stopping(one, 3));
  assert.equal(meanStops([...longAgo, ...both]), meanStops(both));
  const shortened = { ...stopping(newer!, 1), laps: newer!.laps / 2, scheduledLaps: newer!.laps };
  const firstLap = (races: readonly RaceWeekend[], weekend: RaceWeekend): number | undefined =>
    strategyOf(races, weekend, 'grand_prix').firstStopLap?.median;
  assert.equal(firstLap([shortened], planned), 20);
  assert.equal(firstLap([stopping(newer!, 1)], { ...planned, laps: 5, scheduledLaps: planned.laps }), 10);
});

test('a driver who retires often is more likely to retire, and less so in a sprint than in a Grand Prix', () => {
  const retirements = new RetirementRecord(lasting(10));
  for (const weekend of held) {
    const results = weekend.results.map((result) => ({
      ...result,
      classification:
        result.driverId === 'driver-1'
          ? ({ kind: 'not_classified', reason: 'DNF' } as const)
          : ({ kind: 'classified', position: 1 } as const),
    }));
    retirements.learn({ ...weekend, results });
  }
  const [often, never] = ['driver-1', 'driver-9'].map((driverId) => {
    return { driverId, constructorId: driverId === 'driver-1' ? 'team-0' : 'team-4' };
  });
  const hazard = retirements.hazard(often!, 'circuit-1', 'grand_prix');
  assert.ok(hazard > 3 * retirements.hazard(never!, 'circuit-1', 'grand_prix'));
  assert.ok(retirements.hazard(often!, 'circuit-1', 'sprint') <= hazard);
  const mean = new RetirementRecord(lasting(10)).hazard(never!, 'circuit-1', 'grand_prix');
  assert.ok(Math.abs(mean - 0.15) < 1e-12);
  assert.ok(new RetirementRecord(lasting(10)).hazard(never!, 'circuit-1', 'sprint') < mean);
});

test('a qualifying gap is that of the driver’s closest segment; an unclassified driver has no race score', () => {
  const entrant = { constructorId: 'team', number: '1', classification: { kind: 'classified', position: 1 } } as const;
  const gaps = qualifyingGaps([
    { ...entrant, driverId: 'pole', q1Ms: 101_000, q2Ms: 100_000, q3Ms: 90_000 },
    { ...entrant, driverId: 'second', q1Ms: 100_000, q2Ms: 101_000, q3Ms: 91_800 },
    { ...entrant, driverId: 'out', q1Ms: 102_000, q2Ms: null, q3Ms: null },
    { ...entrant, driverId: 'none', q1Ms: null, q2Ms: null, q3Ms: null },
  ]);
  assert.deepEqual(
    gaps.map(({ driverId, value }) => [driverId, Number(value.toFixed(6))]),
    [
      ['pole', 0],
      ['second', 0],
      ['out', 2],
    ],
  );
  const finished = raceScores(held[0]!.results);
  assert.equal(finished.length, held[0]!.results.filter(({ timeMs }) => timeMs !== null).length);
  assert.ok(finished[0]!.value === 0 && finished[1]!.value < 0);
});

describe('circuits of the real history', { skip: WITHOUT_HISTORY }, () => {
  test('retirement chances predict better than a single rate, and match the frequency of retirements', () => {
    const single = lasting(Number.MAX_SAFE_INTEGER);
    const [own, common] = [
      MODEL_SETTINGS.retirements,
      { ...single, halfLife: MODEL_SETTINGS.retirements.halfLife },
    ].map((settings) => {
      const retirements = new RetirementRecord(settings);
      let [loss, forecast, happened, starts] = [0, 0, 0, 0];
      for (const weekend of realHistory().weekends) {
        for (const result of weekend.season < 2017 ? [] : weekend.results.filter((one) => hasStarted(one))) {
          const hazard = retirements.hazard(result, weekend.circuitId, 'grand_prix');
          loss -= Math.log(hasRetired(result) ? hazard : 1 - hazard);
          forecast += hazard;
          happened += hasRetired(result) ? 1 : 0;
          starts++;
        }
        retirements.learn(weekend);
      }
      return { loss: loss / starts, bias: (forecast - happened) / starts };
    });
    assert.ok(own!.loss < common!.loss, `${own!.loss} and ${common!.loss}`);
    assert.ok(Math.abs(own!.bias) < 0.015, `${own!.bias}`);
  });

  test('passing is hardest in Monaco, and the win rate from pole there matches the record', () => {
    const { weekends: real, circuits } = realHistory();
    const facts = [...circuits.values()].map((circuit) => record(real).facts(circuit));
    const raced = facts.filter(({ overtakingDifficulty }) => overtakingDifficulty.races >= 5);
    const hardest = raced.toSorted((a, b) => b.overtakingDifficulty.value - a.overtakingDifficulty.value)[0]!;
    assert.equal(hardest.circuitId, 'monaco');
    const monaco = real.filter(({ circuitId, results }) => circuitId === 'monaco' && results.length > 0);
    const poleWins = monaco.filter(({ grid, results }) => grid[0]!.driverId === results[0]!.driverId);
    assert.deepEqual([hardest.poleToWin.count, hardest.poleToWin.races], [poleWins.length, monaco.length]);
  });

  test('the safety car of Baku in 2018 shows in how slow the race was', () => {
    const baku = realHistory().weekends.filter(({ eventId }) => eventId === '2018-azerbaijan');
    assert.deepEqual(
      { ...record(baku).facts({ circuitId: 'baku', name: 'Baku' }).safetyCar, rate: null },
      { rate: null, count: 1, races: 1 },
    );
  });
});
