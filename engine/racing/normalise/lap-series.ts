// timing.lap-series: positions by completed laps. Index 0 of the upstream's list is the start.

import { integerOf, objectOf } from '#engine/base/json-value.ts';
import { racingNumbers } from '#engine/racing/session/session-state.ts';
import type { LapPosition, LapSeriesDriver } from '#schemas/webhook/timing-lap-series.ts';
import { NOTHING, type Normalise } from './normaliser.ts';
import { places } from './places.ts';

export const lapSeries: Normalise = (changes, state) => {
  const drivers: LapSeriesDriver[] = [];
  for (const number of racingNumbers(changes)) {
    const changed = objectOf(objectOf(changes[number]).LapPosition);
    const lapPositions: LapPosition[] = [];
    for (const [lapsCompleted] of places(changed)) {
      lapPositions.push({ lapsCompleted, position: integerOf(changed[lapsCompleted]) });
    }
    if (lapPositions.length > 0) drivers.push({ ...state.driver(number), lapPositions });
  }
  return drivers.length === 0 ? NOTHING : [{ drivers }];
};
