// Fits the deviation of the tire wear to the Grands Prix of 2018 to 2021: what the regression's own deviation leaves out.

import { LAPS_FROM, LAPS_TO, readRaces } from '#bench/laps/lap-tables.ts';
import { mean } from '#bench/models/scoring.ts';
import { type WearCase, wearCases } from '#bench/models/wear-cases.ts';
import { median } from '#engine/base/median.ts';
import { Z90 } from '#engine/racing/analytics/normal-distribution.ts';
import { wearDeviation } from '#engine/racing/analytics/tire-wear.ts';
import { type Fit, LAP_TABLES } from './fit.ts';

/** Of the 80 % interval. */
const HELD = 0.8;

export const TIRE_WEAR_FIT: Fit = {
  summary: 'deviation of the tire wear, from laps of 2018 to 2021',
  file: 'engine/racing/analytics/coefficients/tire-wear.json',
  sources: [LAP_TABLES],
  method:
    'The least deviation, added to that of the regression as variances are, with which the 80 % interval of the wear holds the ' +
    'median wear of the compound in the race, over five laps and corrected for fuel, in 80 % of the forecasts, each race counted once.',
  fit({ laps: folder }, progress) {
    const races = readRaces(folder, LAPS_FROM, LAPS_TO)
      .filter(({ isSprint }) => !isSprint)
      .map(wearCases)
      .filter((cases) => cases.length > 0);
    progress(`${races.flat().length} forecasts`);
    for (const [season, own] of Map.groupBy(races, ([first]) => first!.race.season)) {
      const added = addedDeviation(races.filter((race) => !own.includes(race)));
      progress(`${season} left out: ${added}, holds ${(100 * heldShare(own, added)).toFixed(1)} %`);
    }
    return { seasons: `${LAPS_FROM} to ${LAPS_TO}`, values: { addedDeviation: addedDeviation(races) } };
  },
};

/** Rounded up, so that the share is held. */
export function addedDeviation(races: readonly (readonly WearCase[])[]): number {
  const needed = races.flatMap((cases) => {
    const missed = missesOf(cases);
    return cases.map(({ fit }, index) => ({
      added: Math.sqrt(Math.max(0, (missed[index]! / Z90) ** 2 - fit.wearUncertaintySeconds ** 2)),
      weight: 1 / cases.length,
    }));
  });
  let missing = HELD * races.length;
  for (const { added, weight } of needed.sort((a, b) => a.added - b.added)) {
    missing -= weight;
    if (missing <= 1e-9) return Math.ceil(added * 10_000) / 10_000;
  }
  throw new Error('no forecast');
}

/** How often the 80 % interval holds the median, each race counted once. */
export function heldShare(races: readonly (readonly WearCase[])[], added: number): number {
  return mean(
    races.map((cases) => {
      const missed = missesOf(cases);
      return mean(
        cases.map(({ fit }, index) =>
          missed[index]! <= Z90 * wearDeviation(fit.wearUncertaintySeconds, added) ? 1 : 0,
        ),
      );
    }),
  );
}

/** From the median of the compound in the race. */
function missesOf(cases: readonly WearCase[]): readonly number[] {
  const medians = new Map(
    [...Map.groupBy(cases, ({ compound }) => compound)].map(([compound, own]) => [
      compound,
      median(own.map(({ real }) => real)),
    ]),
  );
  return cases.map(({ compound, fit }) => Math.abs(fit.wearSecondsPerLap - medians.get(compound)!));
}
