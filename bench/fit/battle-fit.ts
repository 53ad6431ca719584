// Fits the chance of a pass to the battles in the Grands Prix of 2018 to 2021: a logit for each number of laps, with an
// effect of the circuit that is drawn towards none. Features and how far circuits may differ were chosen there, by leaving
// out a season at a time.

import { type BattleCase, battleCases, PASS_LAPS } from '#bench/laps/battle-cases.ts';
import { byEvent, LAPS_FROM, LAPS_TO, readRaces, trackOf } from '#bench/laps/lap-tables.ts';
import { fitLogistic } from '#bench/laps/logistic.ts';
import { passFeatures } from '#engine/racing/analytics/pass-chance.ts';
import { type Fit, LAP_TABLES } from './fit.ts';

/** In logits: 0, 0.4 and 0.8 were tried. */
const CIRCUIT_DEVIATION = 0.4;

export const BATTLE_FIT: Fit = {
  summary: 'chance of a pass by gap, closing speed, tires and circuit, from laps of 2018 to 2021',
  file: 'engine/racing/analytics/coefficients/battle.json',
  sources: [LAP_TABLES],
  method:
    'Logit with a ridge for each number of laps, on cars within two seconds of the car ahead, green laps without stops. ' +
    'Features and the deviation of circuits were chosen by the Brier score of passes within three laps, a season left ' +
    'out at a time.',
  fit({ laps: folder }, progress) {
    const cases = readRaces(folder, LAPS_FROM, LAPS_TO)
      .filter(({ isSprint }) => !isSprint)
      .flatMap(battleCases);
    progress(`${cases.length} battles`);
    const horizons = PASS_LAPS.map((laps) => horizonOf(cases, laps));
    return { seasons: `${LAPS_FROM} to ${LAPS_TO}`, values: { horizons } };
  },
};

/** The logit of a pass within so many laps. */
export function horizonOf(cases: readonly BattleCase[], laps: number) {
  const tracks = [...new Set(cases.map(({ race }) => trackOf(race.event)))].sort();
  const rows = cases.flatMap(({ pursuit, passed, race }) => {
    const happened = passed.get(laps) ?? null;
    return happened === null
      ? []
      : [{ features: passFeatures(pursuit), group: tracks.indexOf(trackOf(race.event)), happened }];
  });
  const { weights, groups, groupDeviations } = fitLogistic(rows, tracks.length, CIRCUIT_DEVIATION);
  const circuits = tracks.map((track, index) => [track, [groups[index]!, groupDeviations[index]!].map(short)] as const);
  return {
    laps,
    weights: weights.map(short),
    circuitDeviation: CIRCUIT_DEVIATION,
    circuits: byEvent(Object.fromEntries(circuits)),
  };
}

function short(value: number): number {
  return Number(value.toFixed(4));
}
