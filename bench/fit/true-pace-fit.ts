// Fits how far a car's next laps follow the model, and how far its latest three laps, to the Grands Prix of 2018 to 2021: the
// share with the least error, each race counted once.

import { LAPS_FROM, LAPS_TO, readRaces } from '#bench/laps/lap-tables.ts';
import { type PaceCase, paceCases } from '#bench/models/pace-cases.ts';
import { mean } from '#bench/models/scoring.ts';
import { type Fit, LAP_TABLES } from './fit.ts';

const STEPS = 20;

export const TRUE_PACE_FIT: Fit = {
  summary: 'next laps of a car from its true pace and its latest laps, from laps of 2018 to 2021',
  file: 'engine/racing/analytics/coefficients/true-pace.json',
  sources: [LAP_TABLES],
  method:
    'The share of the model beside the mean of the latest three laps, in steps of 0.05, with the least mean error of the ' +
    'next three laps, each race counted once.',
  fit({ laps: folder }, progress) {
    const races = readRaces(folder, LAPS_FROM, LAPS_TO)
      .filter(({ isSprint }) => !isSprint)
      .map(paceCases)
      .filter((cases) => cases.length > 0);
    progress(`${races.reduce((sum, { length }) => sum + length, 0)} forecasts`);
    return { seasons: `${LAPS_FROM} to ${LAPS_TO}`, values: { modelShare: bestShare(races) } };
  },
};

export function bestShare(races: readonly (readonly PaceCase[])[]): number {
  let best = { share: 0, error: Number.POSITIVE_INFINITY };
  for (let step = 0; step <= STEPS; step++) {
    const share = step / STEPS;
    const errorOf = ({ real, modelled, latest }: PaceCase) => Math.abs(share * modelled + (1 - share) * latest - real);
    const error = mean(races.map((cases) => mean(cases.map(errorOf))));
    if (error < best.error) best = { share, error };
  }
  return best.share;
}
