// The models' estimates for the golden race. The true values are known: how fast cars are, what tires and stops cost,
// and who wins.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Battle } from '#schemas/webhook/analytics-battle.ts';
import { contentAt, derived } from './derived-payloads.ts';
import { driver } from './entrants.ts';
import { RACE } from './golden-sessions.ts';
import { RACE_PLAN } from './race.ts';

// biome-ignore lint/suspicious/noExplicitAny: contents of many shapes, which the schemas describe.
type Content = any;

const modelAt = (model: string, seconds: number): Content => contentAt(RACE, `analytics.${model}`, seconds);
const carAt = (model: string, seconds: number, number: string): Content =>
  modelAt(model, seconds).drivers.find((one: Content) => one.number === number);
const allOf = (model: string): Content[] => derived(RACE, `analytics.${model}`) as Content[];
const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
const near = (value: number, expected: number, within: number) =>
  assert.ok(Math.abs(value - expected) <= within, `${value} is not within ${within} of ${expected}`);

/** Seconds at which models publish updates: at the start of a lap, or after an event. */
const LAP_8 = 577.8;
const LAP_10 = 709.2;
const STANDS = 780.7;

test('true pace: without fuel, tires and traffic, cars are as fast as in the script', () => {
  const { session, drivers } = modelAt('true-pace', LAP_10);
  assert.deepEqual(session, { referenceCompound: 'MEDIUM', lapDeviationSeconds: 0.257 });
  const table = drivers.map((one: Content) => [one.tla, one.rank, one.truePaceSeconds, one.offsetSeconds, one.laps]);
  assert.deepEqual(table, [
    ['OKE', 3, 61.722, 0.074, 7],
    ['MAR', 5, 61.938, 0.29, 7],
    ['LIN', 4, 61.845, 0.197, 7],
    ['HOL', 1, 61.648, 0, 4],
    ['NAV', 10, 62.972, 1.323, 7],
    ['ARA', 2, 61.721, 0.072, 5],
    ['VIR', 6, 62.164, 0.516, 6],
    ['DUN', 7, 62.426, 0.777, 5],
    ['SAT', 8, 62.473, 0.825, 6],
    ['BEZ', 9, 62.682, 1.034, 6],
  ]);
  for (const { number, offsetSeconds, uncertaintySeconds } of drivers) {
    const { pace } = RACE_PLAN.cars.find((car) => car.number === number)!;
    near(offsetSeconds, pace, 0.25);
    near(offsetSeconds, pace, uncertaintySeconds);
  }
  assert.deepEqual(carAt('true-pace', LAP_10, '66'), {
    ...driver('66', 3),
    truePaceSeconds: 61.845,
    nextLapsSeconds: 64.416,
    offsetSeconds: 0.197,
    uncertaintySeconds: 0.321,
    rank: 4,
    laps: 7,
    // 105 kg at 36 g a second, with 10.5 of 18 laps to go.
    latestLap: { lap: 8, lapSeconds: 64.369, fuelSeconds: 2.205, tireSeconds: 0.302, trafficSeconds: -0.006 },
  });
});

test('tire health falls with wear, new tires restore it, and one car is reported off the cliff', () => {
  assert.deepEqual(carAt('tire-health', 792.7, '27'), {
    ...driver('27', 4),
    compound: 'HARD',
    startedNew: true,
    ageLaps: 9,
    degradationSecondsPerLap: 0.083,
    degradationUncertaintySecondsPerLap: 0.043,
    lostToWearSeconds: 0.743,
    lostToWearUncertaintySeconds: 0.391,
    healthPercent: 50,
    lapsUntilWorn: null,
    cliff: true,
    stintLaps: 8,
    compoundLaps: 8,
  });
  const healthOf = (number: string) =>
    [447.1, LAP_8, LAP_10, 859.6, 1_321.3].map((seconds) => {
      const { compound, ageLaps, healthPercent } = carAt('tire-health', seconds, number);
      return `${compound} ${ageLaps}: ${healthPercent}`;
    });
  assert.deepEqual(healthOf('3'), ['SOFT 5: 84', 'SOFT 6: 77', 'HARD 1: 96', 'HARD 3: 80', 'HARD 10: 34']);
  const cliffs = allOf('tire-health').flatMap(({ lap, drivers }) =>
    drivers.filter(({ cliff }: Content) => cliff).map(({ tla }: Content) => `${lap} ${tla}`),
  );
  // Laps 7 to 9 of the car are all known on lap 11. Lap 15 adds nothing, and then the car stops.
  assert.deepEqual([...new Set(cliffs)], ['11 NAV', '12 NAV', '13 NAV', '14 NAV', '16 NAV']);
});

test('pit window: before any stop what an average circuit costs, then what the stops of this race cost, and less under a safety car', () => {
  const sessions = [LAP_8, LAP_10, 783.3, 832.3, 912.1, 1_321.4].map(
    (seconds) => modelAt('pit-window', seconds).session,
  );
  assert.deepEqual(
    sessions.map(({ status, pitLossSeconds, pitLossUncertaintySeconds, stopsMeasured, savedSeconds }) => [
      status,
      pitLossSeconds,
      pitLossUncertaintySeconds,
      stopsMeasured,
      savedSeconds,
    ]),
    [
      ['green', 22.93, 3.33, 0, 0],
      ['green', 17.93, 2.06, 3, 0],
      ['virtual_safety_car', 12.8, 6.18, 0, 5.13],
      ['green', 17.63, 1.95, 6, 0],
      ['safety_car', 14.21, 10.62, 0, 3.33],
      ['green', 17.54, 1.9, 9, 0],
    ],
  );
  // A stop costs 15 s, and as long as the car stands: 2.5 s for most.
  near(sessions.at(-1).pitLossSeconds, 15 + 2.5, 0.1);
  assert.deepEqual(carAt('pit-window', LAP_10, '66'), {
    ...driver('66', 3),
    rejoin: {
      position: 6,
      position10: 5,
      position90: 8,
      aheadNumber: '11',
      gapToAheadSeconds: 1,
      behindNumber: '18',
      gapToBehindSeconds: 0.88,
      isInTraffic: true,
    },
    window: { state: 'not_yet', fromLap: 11, toLap: 14, uncertaintyLaps: 2 },
    undercut: { number: '22', gapSeconds: 0.554, gainSeconds: -0.11, uncertaintySeconds: 1.2, probability: 0.291 },
    threat: null,
  });
});

test('strategy: a driver who has used only one compound is certain to stop, and the chances add up', () => {
  for (const { drivers } of allOf('strategy')) {
    for (const { noStopProbability, oneStopProbability, moreStopsProbability, anotherCompoundRequired } of drivers) {
      near(noStopProbability + oneStopProbability + moreStopsProbability, 1, 1e-9);
      if (anotherCompoundRequired) assert.equal(noStopProbability, 0);
    }
  }
  assert.deepEqual(carAt('strategy', LAP_10, '11'), {
    ...driver('11', 6),
    stopsDone: 1,
    noStopProbability: 0.909,
    oneStopProbability: 0.089,
    moreStopsProbability: 0.002,
    nextStopLap: { p25: 13, p50: 14, p75: 16 },
    compoundsUsed: ['SOFT', 'HARD'],
    anotherCompoundRequired: false,
    tireAgeLaps: 2,
    typicalStintLaps: 10,
    typicalStintDeviationLaps: 2.5,
    stints: [
      { stint: 1, compound: 'SOFT', isNew: true, fromLap: 1, tireAgeLaps: 6 },
      { stint: 2, compound: 'HARD', isNew: true, fromLap: 7, tireAgeLaps: 2 },
    ],
  });
  assert.deepEqual(modelAt('strategy', LAP_10).session, { lapsLeft: 9, stintsLearnedFrom: 8 });
  const { nextStopLap, noStopProbability } = carAt('strategy', 189.1, '3');
  assert.deepEqual([noStopProbability, nextStopLap], [0, { p25: 8, p50: 10, p75: 12 }]);
});

test('gap projection: a faster car closes in and is to catch the car ahead; no projection under neutralisation', () => {
  const chaser = carAt('gap-projection', 578, '11');
  assert.deepEqual([chaser.aheadNumber, chaser.paceLaps], ['27', 4]);
  assert.deepEqual(chaser.projections[0], {
    inLaps: 1,
    gapToLeader: { p10Seconds: 18.89, p50Seconds: 19.86, p90Seconds: 20.83 },
    gapToAhead: { p10Seconds: 3.19, p50Seconds: 4.23, p90Seconds: 5.26 },
  });
  assert.deepEqual(
    chaser.projections.map(({ inLaps, gapToAhead }: Content) => [inLaps, gapToAhead.p50Seconds]),
    [
      [1, 4.23],
      [3, 2.68],
      [5, 1.13],
      [10, -1.78],
    ],
  );
  assert.deepEqual(chaser.catchAhead, { probability: 0.717, lap: 13 });
  const neutralised = [
    [783.3, 832.3],
    [912.1, 1_133.2],
  ] as const;
  for (const { utc } of allOf('gap-projection')) {
    const seconds = (Date.parse(utc) - RACE.timeline.info.startUtcMs) / 1000;
    assert.ok(!neutralised.some(([from, to]) => seconds >= from && seconds < to), `${seconds}`);
  }
  // Near the end, projections stop at the last lap.
  assert.deepEqual(
    carAt('gap-projection', 1_321.5, '7').projections.map(({ inLaps }: Content) => inLaps),
    [1],
  );
});

test('race odds: rows and columns add up to one at every moment, and the favourite wins', () => {
  for (const { drivers } of allOf('race-odds')) {
    for (const [place, { positionProbabilities }] of drivers.entries()) {
      near(sumOf(positionProbabilities), 1, 1e-4);
      near(sumOf(drivers.map((one: Content) => one.positionProbabilities[place])), 1, 1e-4);
    }
  }
  const winOf = (number: string) =>
    [189.6, 447.3, 578, 860.1, 1_134.1, 1_321.5, 1_477].map(
      (seconds) => carAt('race-odds', seconds, number).winProbability,
    );
  assert.deepEqual(winOf('3'), [0.36291, 0.45621, 0.30306, 0.3299, 0.73241, 0.98756, 1]);
  assert.deepEqual(winOf('7'), [0.28019, 0.16873, 0.563, 0.08774, 0.22313, 0.01232, 0]);
  assert.deepEqual(carAt('race-odds', 578, '66'), {
    ...driver('66', 4),
    winProbability: 0.03837,
    podiumProbability: 0.43824,
    pointsProbability: 1,
    expectedPosition: 4.238,
    expectedPoints: 12.402,
    retirementProbability: 0.11613,
    teammateNumber: '27',
    beatsTeammateProbability: 0.88743,
    positionProbabilities: [0.03837, 0.13843, 0.26144, 0.26196, 0.12926, 0.04147, 0.01245, 0.01231, 0.03338, 0.07093],
  });
  assert.deepEqual(
    allOf('race-odds').map(({ session }) => session.lapsLeft),
    [18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 9, 9, 8, 8, 7, 7, 6, 5, 4, 3, 2, 1, 0],
  );
});

test('championship: expected points add up to the points table, and at the flag they are those of the places', () => {
  for (const { drivers, teams } of allOf('championship')) {
    const gained = (entries: Content) => sumOf(entries.map((one: Content) => one.pointsGainedExpected));
    // Ten cars take all 101 points. With fewer cars, the points of the last places are not given.
    const points = [25, 18, 15, 12, 10, 8, 6, 4, 2, 1];
    const racing = drivers.filter((one: Content) => one.pointsGainedHigh > 0 || one.pointsGainedExpected > 0).length;
    near(gained(drivers), sumOf(points.slice(0, racing)), 0.02);
    near(gained(teams), gained(drivers), 0.02);
  }
  assert.deepEqual(carAt('championship', 578.1, '3'), {
    ...driver('3', 2),
    pointsGainedExpected: 17.124,
    pointsGainedLow: 2,
    pointsGainedMedian: 18,
    pointsGainedHigh: 25,
    pointsBefore: 120,
    pointsAfterExpected: 137.124,
    championshipPositionBefore: 1,
    championshipPositionExpected: 1,
  });
  const { drivers, teams } = modelAt('championship', 1_477.7);
  assert.deepEqual(
    drivers.map((one: Content) => [
      one.tla,
      one.pointsGainedExpected,
      one.pointsAfterExpected,
      one.championshipPositionExpected,
    ]),
    [
      ['HOL', 25, 145, 1],
      ['OKE', 18, 130, 2],
      ['ARA', 15, 99, 3],
      ['LIN', 12, 45, 7],
      ['VIR', 10, 88, 4],
      ['DUN', 8, 49, 6],
      ['SAT', 6, 18, 8],
      ['NAV', 4, 6, 10],
      ['BEZ', 0, 9, 9],
      ['MAR', 0, 60, 5],
    ],
  );
  assert.deepEqual(
    teams.map((one: Content) => [
      one.team,
      one.constructorId,
      one.pointsGainedExpected,
      one.championshipPositionExpected,
    ]),
    [
      ['Aster Racing', 'aster-racing', 40, 1],
      ['Borealis', 'borealis', 28, 2],
      ['Everfield', 'everfield', 16, 4],
      ['Copperline GP', 'copperline-gp', 8, 3],
      ['Delta Marine', 'delta-marine', 6, 5],
    ],
  );
});

test('safety car: a stopped car raises the chance; while a safety car is out, this lap can have no other', () => {
  const chances = [578.1, STANDS, 785.7, 924, 1_322].map((seconds) => {
    const { deployed, deployments, nextLap, untilEnd, expectedLaps, yellowFlag, standingCar } = modelAt(
      'safety-car',
      seconds,
    ).data;
    return [deployed, deployments, nextLap.probability, untilEnd.probability, expectedLaps, yellowFlag, standingCar];
  });
  assert.deepEqual(chances, [
    ['none', 0, 0.0262, 0.2536, 1.17, false, false],
    ['none', 0, 0.1742, 0.3181, 1.53, true, true],
    ['virtual', 1, 0.1742, 0.3181, 1.53, false, true],
    ['real', 2, 0, 0.1198, 2.51, false, true],
    ['none', 2, 0.021, 0.021, 0.09, false, false],
  ]);
  assert.deepEqual(modelAt('safety-car', 578.1).data, {
    deployed: 'none',
    deployments: 0,
    nextLap: { probability: 0.0262, lower: 0.0221, upper: 0.0311 },
    nextFiveLaps: { probability: 0.1245, lower: 0.1056, upper: 0.1459 },
    untilEnd: { probability: 0.2536, lower: 0.2177, upper: 0.2932 },
    expectedLaps: 1.17,
    yellowFlag: false,
    standingCar: false,
    rainChanged: false,
  });
});

test('battles: cars within two seconds, with closing speed, and a high chance for a car that does pass', () => {
  const { drivers, session } = modelAt('battle', 578.7) as { drivers: Content[]; session: { battles: Battle[] } };
  assert.deepEqual(
    drivers.map(({ tla }) => tla),
    ['MAR', 'LIN', 'VIR', 'DUN', 'SAT'],
  );
  assert.deepEqual(session.battles[0], {
    ahead: '22',
    behind: '66',
    position: 3,
    gapSeconds: 0.793,
    withinOneSecond: true,
    closingSecondsPerLap: 0.129,
    closingDeviationSecondsPerLap: 0.352,
    lapsTogether: 3,
    tireAgeDifferenceLaps: 0,
    compoundAhead: 'MEDIUM',
    compoundBehind: 'MEDIUM',
    passWithinOneLap: { probability: 0.0513, lower: 0.0279, upper: 0.0924 },
    passWithinThreeLaps: { probability: 0.1236, lower: 0.0627, upper: 0.2292 },
    passWithinFiveLaps: { probability: 0.1701, lower: 0.0887, upper: 0.3014 },
  });
  // A car gains two seconds a lap on the car with worn-out tires, and passes it on the next lap.
  const [pass] = modelAt('battle', 1_134.4).session.battles.filter((one: Battle) => one.ahead === '27');
  assert.deepEqual(
    [pass.behind, pass.gapSeconds, pass.closingSecondsPerLap, pass.passWithinThreeLaps.probability],
    ['66', 1.092, 2.448, 0.6599],
  );
  const empty = allOf('battle').filter(({ session: { battles } }) => battles.length === 0);
  assert.deepEqual(
    empty.map(({ lap }) => lap),
    [10, 12],
  );
});
