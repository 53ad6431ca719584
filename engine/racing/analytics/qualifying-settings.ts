// The fitted numbers of the qualifying odds (bench/fit/qualifying-fit.ts and sectors-fit.ts).

import qualifying from './coefficients/qualifying.json' with { type: 'json' };
import sectors from './coefficients/sectors.json' with { type: 'json' };

export interface QualifyingSettings {
  /** The track's gain from each part to the next, as a fraction of the lap time. */
  readonly gainToNext: readonly number[];
  /** Deviation of a driver's next lap, as a fraction of the lap time. */
  readonly scatter: number;
  /**
   * Share of the chances of elimination that is the same for all drivers while laps are to come: a crash, traffic, a
   * deleted lap.
   */
  readonly unforeseen: number;
  /** The chance that a driver without a time in this part sets one, with plenty of time left. */
  readonly chanceOfTime: number;
}

export const QUALIFYING_SETTINGS: QualifyingSettings = qualifying.values;

/** What is known of a lap under way after its first sector, and after its second. */
export type SectorSettings = readonly {
  /** Deviation of the lap from what its sectors project, as a fraction of it. */
  readonly scatter: number;
  /** The chance that the lap is ended and counts. */
  readonly chance: number;
}[];

export const SECTOR_SETTINGS: SectorSettings = sectors.values.sectors;
