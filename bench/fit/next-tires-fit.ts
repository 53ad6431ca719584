// Fits which tires a car takes to the stops in the Grands Prix of 2018 to 2021. Features and the weight of a race's choices were
// chosen there, by leaving out a season at a time.

import { fitChoices } from '#bench/laps/choice-logit.ts';
import { LAPS_FROM, LAPS_TO, readRaces } from '#bench/laps/lap-tables.ts';
import { fitLogistic } from '#bench/laps/logistic.ts';
import { type TireChoiceCase, tireChoices } from '#bench/laps/tire-choices.ts';
import { isWetTire } from '#engine/racing/analytics/compound-rule.ts';
import { changeFeatures, dryFeatures, type NextTireWeights } from '#engine/racing/analytics/next-tires.ts';
import { DRY_KINDS, TIRE_KINDS } from '#engine/racing/analytics/tire-kinds.ts';
import { type Fit, LAP_TABLES } from './fit.ts';

/** 2, 4 and 8 were tried. */
const PRIOR_TAKEN = 4;

export const NEXT_TIRES_FIT: Fit = {
  summary: 'tires that a car takes when it stops, from laps of 2018 to 2021',
  file: 'engine/racing/analytics/coefficients/next-tires.json',
  sources: [LAP_TABLES],
  method:
    'A logit of changing between dry and rain tires by what the others drive on; among dry ones a logit of choices with a ' +
    'ridge. The share of wet tires among rain tires: counted, with one of each more. Features were chosen by log-loss, a ' +
    'season left out at a time.',
  fit({ laps: folder }, progress) {
    const cases = readRaces(folder, LAPS_FROM, LAPS_TO)
      .filter(({ isSprint }) => !isSprint)
      .flatMap(tireChoices);
    progress(`${cases.length} stops`);
    return { seasons: `${LAPS_FROM} to ${LAPS_TO}`, values: nextTireWeights(cases) };
  },
};

export function nextTireWeights(cases: readonly TireChoiceCase[]) {
  const change = (fromRain: boolean) => {
    const rows = cases
      .filter(({ choice }) => isWetTire(choice.from) === fromRain)
      .map(({ choice, taken }) => ({
        features: changeFeatures(choice),
        group: -1,
        happened: isWetTire(taken) !== fromRain,
      }));
    return fitLogistic(rows, 0, 0).weights.map(short);
  };
  const wet = TIRE_KINDS.map((from) => {
    const rain = cases.filter(({ choice, taken }) => choice.from === from && isWetTire(taken));
    return short((1 + rain.filter(({ taken }) => taken === 'WET').length) / (2 + rain.length));
  });
  const dry = fitChoices(
    cases
      .filter(({ taken }) => !isWetTire(taken))
      .map(({ choice, taken }) => ({
        alternatives: DRY_KINDS.map((_, kind) => dryFeatures(choice, kind, PRIOR_TAKEN)),
        taken: TIRE_KINDS.indexOf(taken),
      })),
  ).map(short);
  return {
    change: { toRain: change(false), toDry: change(true) },
    wet,
    dry,
    priorTaken: PRIOR_TAKEN,
  } satisfies NextTireWeights;
}

function short(value: number): number {
  return Number(value.toFixed(4));
}
