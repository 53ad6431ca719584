// The model behind a forecast and its measured quality, shown beside the numbers.

import type { Static } from 'typebox';
import type { WeekendKnown } from '#engine/seasons/forecast/forecast.ts';
import {
  FORECAST_METHOD,
  FORECAST_MODEL_VERSION,
  MEASURED,
  type MeasuredQuality,
} from '#engine/seasons/forecast/measured-quality.ts';
import type { Preview } from '#schemas/http/previews.ts';

type Card = Static<typeof Preview>['model'];

export function modelCard(known: WeekendKnown): Card {
  const { all, bySeason } = MEASURED[known];
  const { baselines: _, seasons, ...quality } = all;
  return {
    version: FORECAST_MODEL_VERSION,
    method: FORECAST_METHOD,
    baseline: hardest(all),
    quality: {
      seasons: [...seasons],
      gridKnown: known === 'grid' || known === 'qualifying',
      known,
      ...quality,
      bySeason: bySeason.map((one) => ({
        season: one.seasons[0]!,
        races: one.races,
        winnerLogLoss: one.winnerLogLoss,
        favourites: one.favourites,
        baseline: hardest(one),
      })),
    },
  };
}

/** The simple rule that was best on these races. */
function hardest({ baselines }: MeasuredQuality): Card['baseline'] {
  return baselines.toSorted((a, b) => a.winnerLogLoss - b.winnerLogLoss)[0]!;
}
