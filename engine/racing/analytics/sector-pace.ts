// analytics.sector-pace: how fast each car is in each sector, from its latest clean laps, and where it loses time.

import { median } from '#engine/base/median.ts';
import type { Content } from '#engine/racing/normalise/normaliser.ts';
import type { SessionState } from '#engine/racing/session/session-state.ts';
import type { SectorPaceDriver } from '#schemas/webhook/analytics-sector-pace.ts';
import type { RaceModel } from './analytics-model.ts';
import { isWetTire } from './compound-rule.ts';
import { LatestContent } from './latest-content.ts';
import type { Car, SectorTimes } from './race-car.ts';
import type { RacePicture } from './race-picture.ts';
import { rounded } from './rounded.ts';

/** A car's pace is the median of so many laps. */
const LATEST_LAPS = 3;
/** Older laps say nothing of now: the track, the fuel and the tires have changed. */
const OLDEST_LAPS = 6;
const SECTORS = [0, 1, 2] as const;

/** Silent as long as a car is on rain tires: laps on a track that gets wet or dry say nothing of the next. */
export class SectorPace implements RaceModel {
  readonly feed = 'analytics.sector-pace';
  readonly #latest = new LatestContent();

  emit(picture: RacePicture, state: SessionState): Content | null {
    const standings = picture.order();
    if (standings.some(({ car }) => isWetTire(car.stints.at(-1)?.compound ?? null))) return null;
    const paces = standings.flatMap(({ car }) => {
      const laps = latestSectors(car);
      return laps.length === 0
        ? []
        : [{ car, laps: laps.length, seconds: SECTORS.map((sector) => medianOf(laps, sector)) }];
    });
    if (paces.length === 0) return null;
    const sorted = SECTORS.map((sector) => paces.map(({ seconds }) => seconds[sector]!).sort((a, b) => a - b));
    const drivers = paces.map(
      ({ car, laps, seconds }): SectorPaceDriver => ({
        ...state.driver(car.number),
        laps,
        sectors: SECTORS.map((sector) => {
          const own = seconds[sector]!;
          const all = sorted[sector]!;
          return {
            sector: sector + 1,
            paceSeconds: rounded(own, 3),
            gapToBestSeconds: rounded(own - all[0]!, 3),
            rank: all.indexOf(own) + 1,
          };
        }),
      }),
    );
    return this.#latest.ifChanged({ drivers });
  }
}

/** Of the latest clean laps on the present tires, the newest last. */
function latestSectors({ laps, lapsCompleted, visits }: Car): readonly SectorTimes[] {
  const from = Math.max(visits.at(-1)?.inLap ?? 0, lapsCompleted - OLDEST_LAPS);
  return laps
    .slice(-OLDEST_LAPS)
    .flatMap(({ lap, clean, sectors }) => (clean && lap > from && sectors !== null ? [sectors] : []))
    .slice(-LATEST_LAPS);
}

function medianOf(laps: readonly SectorTimes[], sector: 0 | 1 | 2): number {
  return median(laps.map((sectors) => sectors[sector]));
}
