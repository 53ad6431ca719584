// analytics.qualifying: how the current part of qualifying may end, and the grid.
//
// A driver's next lap is his best of this part, or of an earlier one, less what the track gains, with a scatter. Gain,
// scatter, the chance of a first time in a part and how often something happens that no lap time foresees are fitted to
// the history (qualifying-settings.ts). Whether a driver completes another lap depends on the clock and on whether he is
// in the pits; those chances are assumptions.
//
// Within a part more is gained than between parts, because first laps are slow, and single laps scatter more. How much
// was chosen on six recordings of 2023 to 2026, as the history has no laps.

import { DRIVERS_MAX } from '#engine/base/limits.ts';
import { median } from '#engine/base/median.ts';
import type { Content } from '#engine/racing/normalise/normaliser.ts';
import type { SessionState } from '#engine/racing/session/session-state.ts';
import type { QualifyingDriver } from '#schemas/webhook/analytics-qualifying.ts';
import type { QualifyingModel } from './analytics-model.ts';
import { PositionDistribution } from './position-distribution.ts';
import type { QualifyingEntry, QualifyingPicture } from './qualifying-picture.ts';
import {
  QUALIFYING_SETTINGS,
  type QualifyingSettings,
  SECTOR_SETTINGS,
  type SectorSettings,
} from './qualifying-settings.ts';
import { type ComingLap, type ComingLaps, QualifyingTimes } from './qualifying-times.ts';
import { rounded } from './rounded.ts';
import { isFast } from './sector-shares.ts';

/** Gain over a whole part, in gains from this part to the next. Chosen on recordings. */
const GAIN_WITHIN_PART = 3;
/** With a whole part to come, laps scatter more by this share. Chosen on recordings. */
const EARLY_SCATTER = 2;
/**
 * Grid points for a lap of the part. A time that stands makes a step in the chances of the others: they pass it or they
 * do not. A coarse grid misjudges by a hundredth who passes it, and so takes a slower driver for the safer one.
 */
const PART_NODES = 31;
/** Scatter of a driver without any time, around the typical time of the others. */
const UNKNOWN_SCATTER = 0.008;
/**
 * Chance of another lap with plenty of time left, and for a car on the track when time runs out. It falls over
 * `LATE_SECONDS`.
 */
const CHANCE_EARLY = 0.9;
const CHANCE_LATE = 0.5;
const LATE_SECONDS = 180;
/** Duration of an out-lap. */
const OUT_LAP_SECONDS = 100;
/** Past the end of the part, a lap under way has ended or been aborted after this many typical lap times. */
const SLOW_LAP = 1.1;
/** Bisection steps for a quantile of the cut-off time. */
const HALVINGS = 24;

export class QualifyingOdds implements QualifyingModel {
  readonly feed = 'analytics.qualifying';
  readonly #part = new QualifyingTimes(DRIVERS_MAX, PART_NODES);
  readonly #grid = new QualifyingTimes(DRIVERS_MAX);
  readonly #partPositions = new PositionDistribution(DRIVERS_MAX);
  readonly #gridPositions = new PositionDistribution(DRIVERS_MAX);
  readonly #settings: QualifyingSettings;
  readonly #sectors: SectorSettings;

  constructor(settings: QualifyingSettings = QUALIFYING_SETTINGS, sectors: SectorSettings = SECTOR_SETTINGS) {
    this.#settings = settings;
    this.#sectors = sectors;
  }

  emit(picture: QualifyingPicture, state: SessionState): Content | null {
    const settings = this.#settings;
    const entries = picture.entries();
    const { part, partsLeft, cutOffPosition: cutOff } = picture;
    const typical = typicalSeconds(entries);
    if (part === null || typical === null) return null;
    // The last part decides the grid.
    const gridPositions = partsLeft === 0 ? this.#partPositions : this.#gridPositions;
    let unforeseen = 0;
    for (const [index, entry] of entries.entries()) {
      const further = furtherLap(entry, picture, part, typical, settings);
      const coming = comingLaps(entry, further, picture.secondsLeft, typical, this.#sectors);
      // It fades as the last laps end, so the final order is certain.
      const { chance } = coming.laps[0].chance > 0 ? further : coming.laps[1];
      unforeseen = Math.max(unforeseen, settings.unforeseen * Math.min(1, chance / CHANCE_EARLY));
      this.#part.set(index, coming);
      if (partsLeft > 0) this.#grid.set(index, afterLaterParts(coming, partsLeft, part, settings));
    }
    this.#partPositions.compute(entries.length, [{ chance: 1, retirement: null, times: this.#part }]);
    if (partsLeft > 0)
      this.#gridPositions.compute(entries.length, [{ chance: 1, retirement: null, times: this.#grid }]);
    const baseRate = cutOff === null ? 0 : Math.max(0, entries.length - cutOff) / entries.length;
    const drivers = entries.map((entry, index): QualifyingDriver => {
      const own = summed(this.#partPositions, index, entries.length, cutOff);
      const grid = summed(gridPositions, index, entries.length, null);
      return {
        ...state.driver(entry.number),
        bestTimeMs: entry.bestSeconds === null ? null : Math.round(entry.bestSeconds * 1000),
        eliminationProbability: cutOff === null ? null : rounded(own.beyond + unforeseen * (baseRate - own.beyond), 4),
        expectedPartPosition: rounded(own.mean, 2),
        expectedGridPosition: rounded(grid.mean, 2),
        frontRowProbability: rounded(grid.frontRow, 4),
        poleProbability: rounded(grid.first, 4),
      };
    });
    const clock = picture.clockSeconds;
    const session = {
      part,
      timeLeftSeconds: clock === null ? null : Math.round(clock),
      cutOffPosition: cutOff,
      cutOffTime: cutOff === null || cutOff >= entries.length ? null : this.#cutOffTime(entries.length, cutOff),
    };
    return { drivers, session };
  }

  /**
   * Quantiles of the slowest time that advances, in milliseconds. Null while too few drivers are likely to set a time.
   */
  #cutOffTime(drivers: number, cutOff: number): { lowMs: number; medianMs: number; highMs: number } | null {
    const times: number[] = [];
    for (let driver = 0; driver < drivers; driver++) {
      for (const node of this.#part.ends) times.push(this.#part.time(driver, node));
    }
    const low = Math.min(...times);
    const high = Math.max(...times);
    if (this.#chanceOfTimes(drivers, cutOff, high) < 0.9) return null;
    const at = (chance: number) => {
      let [below, above] = [low, high];
      for (let halving = 0; halving < HALVINGS; halving++) {
        const middle = (below + above) / 2;
        if (this.#chanceOfTimes(drivers, cutOff, middle) < chance) below = middle;
        else above = middle;
      }
      return Math.round(above * 1000);
    };
    return { lowMs: at(0.1), medianMs: at(0.5), highMs: at(0.9) };
  }

  /** The chance that at least `wanted` drivers finish with `seconds` or less. */
  #chanceOfTimes(drivers: number, wanted: number, seconds: number): number {
    this.#part.fillChancesOf(seconds, drivers, chances);
    counts.fill(0, 0, wanted + 1);
    counts[0] = 1;
    for (let driver = 0; driver < drivers; driver++) {
      const chance = chances[driver]!;
      counts[wanted]! += counts[wanted - 1]! * chance;
      for (let count = Math.min(driver + 1, wanted - 1); count > 0; count--) {
        counts[count] = counts[count]! * (1 - chance) + counts[count - 1]! * chance;
      }
      counts[0]! *= 1 - chance;
    }
    return counts[wanted]!;
  }
}

/** Scratch space: chances of each number of fast enough drivers. The last entry in use means "this many or more". */
const counts = new Float64Array(DRIVERS_MAX + 1);
const chances = new Float64Array(DRIVERS_MAX);

/** The median of the drivers' best times. Null: no driver has one. */
function typicalSeconds(entries: readonly QualifyingEntry[]): number | null {
  const times = entries.flatMap(({ bestSeconds, earlier }) => bestSeconds ?? earlier?.bestSeconds ?? []);
  return times.length === 0 ? null : median(times);
}

/** Without what the sectors of a lap under way tell. */
function furtherLap(
  entry: QualifyingEntry,
  picture: QualifyingPicture,
  part: number,
  typical: number,
  settings: QualifyingSettings,
): ComingLap {
  const { scatter, chanceOfTime } = settings;
  const { bestSeconds, earlier } = entry;
  const ofLap = chanceOfLap(entry, picture.secondsLeft, SLOW_LAP * typical);
  const chance = bestSeconds === null ? (ofLap * chanceOfTime) / CHANCE_EARLY : ofLap;
  const toCome = Math.min(1, Math.max(0, picture.secondsLeft / picture.lengthSeconds));
  const gain = gainFrom(part, settings) * GAIN_WITHIN_PART * toCome;
  if (bestSeconds !== null) {
    const deviationSeconds = bestSeconds * scatter * (1 + EARLY_SCATTER * toCome);
    return { chance, meanSeconds: bestSeconds * (1 - gain), deviationSeconds };
  }
  if (earlier === null) {
    return { chance, meanSeconds: typical * (1 - gain), deviationSeconds: typical * UNKNOWN_SCATTER };
  }
  let meanSeconds = earlier.bestSeconds;
  for (let from = part - earlier.parts; from < part; from++) meanSeconds *= 1 - gainFrom(from, settings);
  return { chance, meanSeconds, deviationSeconds: meanSeconds * scatter * Math.sqrt(earlier.parts) };
}

/** A car that is known to be on a lap first ends that one; a further one takes a way through or past the pits. */
function comingLaps(
  { bestSeconds, earlier, lap }: QualifyingEntry,
  further: ComingLap,
  secondsLeft: number,
  typical: number,
  sectors: SectorSettings,
): ComingLaps {
  const none: ComingLap = { ...further, chance: 0 };
  if (lap === null) return { bestSeconds, laps: [none, further] };
  const later = { ...further, chance: Math.min(further.chance, chanceFromPits(secondsLeft)) };
  const { projectedSeconds } = lap;
  if (!isFast(projectedSeconds, bestSeconds ?? earlier?.bestSeconds ?? typical))
    return { bestSeconds, laps: [none, later] };
  const { scatter, chance } = sectors[lap.sectors - 1]!;
  const underWay = { chance, meanSeconds: projectedSeconds, deviationSeconds: projectedSeconds * scatter };
  return { bestSeconds, laps: [underWay, later] };
}

function gainFrom(part: number, { gainToNext }: QualifyingSettings): number {
  return gainToNext[part - 1] ?? gainToNext.at(-1)!;
}

/** Continuous in the time left, so the odds do not jump. */
function chanceOfLap({ place }: QualifyingEntry, secondsLeft: number, lapSeconds: number): number {
  if (place === 'out') return 0;
  if (place === 'pits') return chanceFromPits(secondsLeft);
  if (secondsLeft <= 0) return CHANCE_LATE * shareOf(secondsLeft + lapSeconds, lapSeconds);
  return CHANCE_LATE + (CHANCE_EARLY - CHANCE_LATE) * shareOf(secondsLeft, LATE_SECONDS);
}

function chanceFromPits(secondsLeft: number): number {
  return CHANCE_EARLY * shareOf(secondsLeft - OUT_LAP_SECONDS / 2, LATE_SECONDS - OUT_LAP_SECONDS / 2);
}

function shareOf(value: number, whole: number): number {
  return Math.min(1, Math.max(0, value / whole));
}

/**
 * The last part decides the grid, so this projects the lap through the parts to come and drops the times of this one.
 */
function afterLaterParts(
  { bestSeconds, laps }: ComingLaps,
  partsLeft: number,
  part: number,
  settings: QualifyingSettings,
): ComingLaps {
  const [, further] = laps;
  let seconds = bestSeconds;
  for (const { chance, meanSeconds } of laps) {
    if (chance > 0) seconds = seconds === null ? meanSeconds : seconds + chance * Math.min(0, meanSeconds - seconds);
  }
  const chance = bestSeconds === null ? 1 - (1 - laps[0].chance) * (1 - further.chance) : 1;
  let meanSeconds = seconds ?? further.meanSeconds;
  for (let from = part; from < part + partsLeft; from++) meanSeconds *= 1 - gainFrom(from, settings);
  const deviationSeconds = Math.hypot(further.deviationSeconds, meanSeconds * settings.scatter * Math.sqrt(partsLeft));
  const lap = { chance, meanSeconds, deviationSeconds };
  return { bestSeconds: null, laps: [{ ...lap, chance: 0 }, lap] };
}

function summed(
  positions: PositionDistribution,
  index: number,
  drivers: number,
  cutOff: number | null,
): { readonly mean: number; readonly first: number; readonly frontRow: number; readonly beyond: number } {
  let mean = 0;
  let frontRow = 0;
  let beyond = 0;
  for (let position = 1; position <= drivers; position++) {
    const chance = positions.chance(index, position);
    mean += position * chance;
    if (position <= 2) frontRow += chance;
    if (cutOff !== null && position > cutOff) beyond += chance;
  }
  return { mean, first: positions.chance(index, 1), frontRow, beyond };
}
