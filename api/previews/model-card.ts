// The model behind a forecast and its measured quality, shown beside the numbers.

import type { Static } from 'typebox';
import {
  FORECAST_METHOD,
  FORECAST_MODEL_VERSION,
  MEASURED_BEFORE_QUALIFYING,
  MEASURED_RACES,
  MEASURED_SEASONS,
  MEASURED_WITH_GRID,
} from '#engine/seasons/forecast/measured-quality.ts';
import type { Preview } from '#schemas/http/previews.ts';

export function modelCard(gridKnown: boolean): Static<typeof Preview>['model'] {
  const { baselines, ...quality } = gridKnown ? MEASURED_WITH_GRID : MEASURED_BEFORE_QUALIFYING;
  const [hardest] = baselines.toSorted((a, b) => a.winnerLogLoss - b.winnerLogLoss);
  return {
    version: FORECAST_MODEL_VERSION,
    method: FORECAST_METHOD,
    baseline: hardest!,
    quality: { seasons: [...MEASURED_SEASONS], races: MEASURED_RACES, gridKnown, ...quality },
  };
}
