// analytics.tire-health: how worn each car's tires are, measured by the lap time lost to wear.

import { median } from '#engine/base/median.ts';
import type { Content } from '#engine/racing/normalise/normaliser.ts';
import type { SessionState } from '#engine/racing/session/session-state.ts';
import type { TireHealthDriver } from '#schemas/webhook/analytics-tire-health.ts';
import type { RaceModel } from './analytics-model.ts';
import type { FormLap } from './lap-time-model.ts';
import { LatestContent } from './latest-content.ts';
import type { Car } from './race-car.ts';
import type { RacePicture } from './race-picture.ts';
import { rounded } from './rounded.ts';
import { type TireWear, tireWear } from './tire-wear.ts';

/** Tires that cost this much per lap have a health of 0 %. */
const WORN_SECONDS = 1.5;
/** Below this wear per lap no worn-out lap is predicted. */
const WEAR_SECONDS_MIN = 0.005;
/**
 * A cliff: this many laps in a row, each slower than the stint's earlier laps by both limits (seconds and lap scatter).
 */
const CLIFF_LAPS = 3;
const CLIFF_BEFORE_LAPS = 5;
const CLIFF_SECONDS = 0.6;
const CLIFF_DEVIATIONS = 2;

export class TireHealth implements RaceModel {
  readonly feed = 'analytics.tire-health';
  readonly #latest = new LatestContent();

  emit(picture: RacePicture, state: SessionState): Content | null {
    const drivers: TireHealthDriver[] = [];
    for (const { car } of picture.order()) {
      const wear = tireWear(car, picture);
      if (wear === null) continue;
      const { compound, isNew } = car.stints.at(-1)!;
      const laps = stintLaps(car, picture);
      drivers.push({
        ...state.driver(car.number),
        compound: compound!,
        startedNew: isNew,
        ageLaps: wear.age,
        degradationSecondsPerLap: rounded(wear.secondsPerLap, 3),
        degradationUncertaintySecondsPerLap: rounded(wear.uncertaintySeconds, 3),
        lostToWearSeconds: rounded(wear.lostSeconds, 3),
        lostToWearUncertaintySeconds: rounded(wear.uncertaintySeconds * wear.age, 3),
        healthPercent: healthOf(wear),
        lapsUntilWorn: lapsUntilWorn(wear, picture.lapsLeft),
        cliff: isCliff(laps, picture.lapTimes.scatterSeconds),
        stintLaps: laps.length,
        compoundLaps: picture.lapTimes.tire(compound)!.laps,
      });
    }
    return drivers.length === 0 ? null : this.#latest.ifChanged({ session: { wornSeconds: WORN_SECONDS }, drivers });
  }
}

/** The latest clean laps on the present tires. */
function stintLaps({ number, stints, visits }: Car, picture: RacePicture): readonly FormLap[] {
  const compound = stints.at(-1)?.compound ?? null;
  const since = visits.at(-1)?.inLap ?? 0;
  const latest = picture.lapTimes.forms.get(number)?.latest ?? [];
  return latest.filter(({ lap }) => lap.lap > since && lap.compound === compound && lap.tireAge !== null);
}

function healthOf({ lostSeconds }: TireWear): number {
  return rounded(100 * Math.min(1, Math.max(0, 1 - lostSeconds / WORN_SECONDS)), 0);
}

function lapsUntilWorn({ secondsPerLap, lostSeconds }: TireWear, lapsLeft: number | null): number | null {
  if (lostSeconds >= WORN_SECONDS) return 0;
  if (secondsPerLap < WEAR_SECONDS_MIN) return null;
  const laps = Math.ceil((WORN_SECONDS - lostSeconds) / secondsPerLap);
  return lapsLeft !== null && laps > lapsLeft ? null : laps;
}

function isCliff(laps: readonly FormLap[], scatterSeconds: number): boolean {
  if (laps.length < CLIFF_BEFORE_LAPS + CLIFF_LAPS) return false;
  const usual = median(laps.slice(0, -CLIFF_LAPS).map(({ deviationSeconds }) => deviationSeconds));
  const limit = usual + Math.max(CLIFF_SECONDS, CLIFF_DEVIATIONS * scatterSeconds);
  return laps.slice(-CLIFF_LAPS).every(({ deviationSeconds }) => deviationSeconds > limit);
}
