// Splits a lap time into its parts: the car, the compound and age of its tires, traffic, fuel (assumed known), and what
// all cars share at the time, such as track conditions. Fitted on the clean laps of the race so far.
//
// Laps completed while the leader was on the same lap form a group: they were driven under the same conditions. The
// shared part of a group is eliminated from its rows, so the fit does not grow with the race. A group enters the fit
// once, when it is complete, and its laps are dropped some laps later. On a dry track the shared part should be small
// next to the fuel effect, so wear shows in the common trend. In the rain, or when it is large, the shared part is
// unconstrained. Laps far from the rest of their group count less, and so do groups with a large scatter. A car's
// present form comes from its latest laps; newer laps weigh more.

import { DRIVERS_MAX, LAP_GROUPS_KEPT_MAX, TIRE_COMPOUNDS_MAX } from '#engine/base/limits.ts';
import { median } from '#engine/base/median.ts';
import { isWetTire } from './compound-rule.ts';
import type { LapRecord } from './race-car.ts';
import { RidgeRegression, type SparseRow } from './ridge-regression.ts';

/** What the model knows of a compound, in seconds per lap. */
export interface TireFit {
  /** A new tire of this compound, relative to the other compounds. */
  readonly baseSeconds: number;
  readonly wearSecondsPerLap: number;
  readonly wearUncertaintySeconds: number;
  /** Clean laps on this compound. */
  readonly laps: number;
}

/** A clean lap of a car, compared with the other laps of its group. */
export interface FormLap {
  readonly lap: LapRecord;
  /** Seconds slower than the model expected. Negative: faster. */
  readonly deviationSeconds: number;
  readonly fuelSeconds: number;
  readonly trafficSeconds: number;
}

/** What the model knows of a car, with tires and traffic taken out. */
export interface CarForm {
  /** Seconds per lap. Only differences between cars mean anything: 0 is an arbitrary origin. */
  readonly seconds: number;
  readonly uncertaintySeconds: number;
  /** Clean laps behind this estimate. */
  readonly laps: number;
  /** The latest of them, in order. */
  readonly latest: readonly FormLap[];
}

interface Entry {
  readonly number: string;
  readonly lap: LapRecord;
  readonly fuelSeconds: number;
  readonly row: SparseRow;
  readonly traffic: number;
}

interface Group {
  readonly leaderLap: number;
  readonly isWet: boolean;
  readonly entries: Entry[];
  isAdded: boolean;
  /** Median time of the first `medianLaps` laps. */
  medianMs: number;
  medianLaps: number;
}

/** Prior: standard deviation of a car's clean laps. */
const LAP_SECONDS = 0.5;
/** Prior: how far cars differ, and how far a car's present form departs from its average over the race. */
const CARS_SECONDS = 1;
const STRAY_SECONDS = 0.3;
/** Prior: time lost to wear per lap of tire age. */
const WEAR_SECONDS = 0.05;
const WEAR_DEVIATION_SECONDS = 0.04;
/** Prior: how far compounds differ. */
const COMPOUND_DEVIATION_SECONDS = 0.5;
/**
 * Within this gap the car ahead slows its follower, the more the closer it is. The prior is the loss right behind it.
 */
const TRAFFIC_GAP_SECONDS = 2;
const TRAFFIC_SECONDS = 0.3;
/** On a dry track, a group whose shared part is larger than this was driven under other conditions. */
const SHARED_SECONDS_MAX = 1.5;
/** A group with a larger scatter is ignored. A lap more than `OUTLIER` scatters off is ignored too. */
const GROUP_SCATTER_SECONDS_MAX = 3;
const OUTLIER = 5;
const HUBER = 1.5;
/** A group with fewer laps is ignored. */
const GROUP_LAPS_MIN = 3;
/** A lap slower than recent laps by this factor was not driven at racing speed. */
const SLOW_LAP_FACTOR = 1.12;
/** After so many laps a lap weighs half as much in the car's form. */
const FORM_HALF_LIFE_LAPS = 5;
/** The present base lap time is the median over this many latest groups. */
const SHARED_GROUPS = 3;
/** The prior of the lap scatter weighs as much as this many laps. */
const SCATTER_PRIOR_LAPS = 20;

export class LapTimeModel {
  readonly #fit = new RidgeRegression(2 + DRIVERS_MAX + 2 * TIRE_COMPOUNDS_MAX, LAP_SECONDS);
  /** A lap on new tires and an empty tank, without any car's own part, relative to the origin. */
  readonly #intercept = this.#fit.coefficient(0, 5)!;
  readonly #traffic = this.#fit.coefficient(TRAFFIC_SECONDS, TRAFFIC_SECONDS)!;
  readonly #cars = new Map<string, number>();
  readonly #compounds = new Map<string, { readonly base: number; readonly wear: number; laps: number }>();
  /** The latest groups, oldest first. */
  readonly #groups: Group[] = [];
  readonly #lapsOf = new Map<string, number>();
  #originSeconds: number | null = null;
  #forms: ReadonlyMap<string, CarForm> | null = null;
  #sharedSeconds = 0;
  #scatterSeconds = LAP_SECONDS;

  /** Adds a clean lap. It counts while its `clean` flag stays set. */
  add(number: string, lap: LapRecord, fuelSeconds: number): void {
    const { compound, tireAge, aheadSeconds, leaderLap } = lap;
    const isWet = isWetTire(compound);
    const car = this.#car(number);
    if (car === null || lap.ms === null) return;
    const columns = [car];
    const values = [1];
    if (!isWet) {
      columns.push(this.#intercept);
      values.push(1);
    }
    const traffic = aheadSeconds === null ? 0 : Math.max(0, 1 - aheadSeconds / TRAFFIC_GAP_SECONDS);
    if (traffic > 0) {
      columns.push(this.#traffic);
      values.push(traffic);
    }
    const tire = this.#compound(compound);
    if (tire !== null && tireAge !== null) {
      columns.push(tire.base, tire.wear);
      values.push(1, tireAge);
    }
    const seconds = lap.ms / 1000 - fuelSeconds;
    this.#originSeconds ??= seconds;
    const row = { columns, values, target: seconds - this.#originSeconds };
    this.#groupOf(leaderLap, isWet).entries.push({ number, lap, fuelSeconds, row, traffic });
  }

  /**
   * The leader has started `leaderLap`: adds groups older than the previous lap to the fit and recomputes forms on
   * demand.
   */
  close(leaderLap: number): void {
    for (const group of this.#groups) {
      if (group.isAdded || group.leaderLap >= leaderLap - 1) continue;
      group.isAdded = true;
      this.#learn(group);
    }
    this.#forms = null;
  }

  /** By racing number, for the cars with clean laps. */
  get forms(): ReadonlyMap<string, CarForm> {
    this.#forms ??= this.#computeForms();
    return this.#forms;
  }

  /** Standard deviation of clean laps around the time the model expects. */
  get scatterSeconds(): number {
    void this.forms;
    return this.#scatterSeconds;
  }

  /**
   * The present lap time with an empty tank and new tires, without any car's or compound's part. Null: no clean laps
   * yet.
   */
  get baseSeconds(): number | null {
    void this.forms;
    return this.#originSeconds === null ? null : this.#originSeconds + this.#sharedSeconds;
  }

  /** Null: no lap on that compound yet. */
  tire(compound: string | null): TireFit | null {
    const known = compound === null ? undefined : this.#compounds.get(compound);
    if (known === undefined) return null;
    return {
      baseSeconds: this.#fit.value(known.base),
      wearSecondsPerLap: this.#fit.value(known.wear),
      wearUncertaintySeconds: Math.sqrt(this.#fit.covariance(known.wear, known.wear)),
      laps: known.laps,
    };
  }

  /** Seconds that these tires add to `baseSeconds`. */
  tireSeconds(compound: string | null, age: number | null): number {
    const tire = this.tire(compound);
    return tire === null ? 0 : tire.baseSeconds + tire.wearSecondsPerLap * (age ?? 0);
  }

  /** The compound of most recent clean laps. Null: not known. */
  get usualCompound(): string | null {
    const counts = new Map<string, number>();
    let usual: string | null = null;
    for (const { entries } of this.#groups) {
      for (const { lap } of entries) {
        if (lap.compound === null) continue;
        counts.set(lap.compound, (counts.get(lap.compound) ?? 0) + 1);
        if (usual === null || counts.get(lap.compound)! > counts.get(usual)!) usual = lap.compound;
      }
    }
    return usual;
  }

  #learn(group: Group): void {
    const entries = racingLapsOf(group, this.#racingLapMsMax());
    if (entries.length < GROUP_LAPS_MIN) return;
    const residuals = entries.map(({ row }) => row.target - this.#fit.predict(row));
    const shared = median(residuals);
    const scatter = scatterOf(residuals, shared);
    if (scatter > GROUP_SCATTER_SECONDS_MAX) return;
    const groupWeight = (LAP_SECONDS / scatter) ** 2;
    const weights = entries.map(({ row }, index) => {
      const car = row.columns[0]!;
      const expected = Math.sqrt(scatter ** 2 + this.#fit.covariance(car, car));
      return groupWeight * weightOf(Math.abs(residuals[index]! - shared) / expected);
    });
    const isFree = group.isWet || Math.abs(shared) > SHARED_SECONDS_MAX;
    this.#fit.addGroup(
      entries.map(({ row }) => row),
      weights,
      isFree ? 0 : 1,
    );
    this.#fit.solve();
    for (const { number, lap } of entries) {
      this.#lapsOf.set(number, (this.#lapsOf.get(number) ?? 0) + 1);
      const tire = lap.compound === null ? undefined : this.#compounds.get(lap.compound);
      if (tire !== undefined) tire.laps++;
    }
  }

  /** From the latest laps of each car, compared with the other laps of their group. */
  #computeForms(): ReadonlyMap<string, CarForm> {
    const found = new Map<string, { weights: number; sum: number; pending: number; latest: FormLap[] }>();
    const strays: number[] = [];
    const lately: number[] = [];
    const latestLap = this.#groups.at(-1)?.leaderLap ?? 0;
    const msMax = this.#racingLapMsMax();
    for (const group of this.#groups) {
      const entries = racingLapsOf(group, msMax);
      if (entries.length < GROUP_LAPS_MIN) continue;
      const residuals = entries.map(({ row }) => row.target - this.#fit.predict(row));
      const shared = median(residuals);
      const scatter = scatterOf(residuals, shared);
      lately.push(shared + (group.isWet ? 0 : this.#fit.value(this.#intercept)));
      if (scatter > GROUP_SCATTER_SECONDS_MAX) continue;
      const age = latestLap - group.leaderLap;
      const groupWeight = 0.5 ** (age / FORM_HALF_LIFE_LAPS) * (LAP_SECONDS / scatter) ** 2;
      entries.forEach(({ number, lap, fuelSeconds, traffic }, index) => {
        const deviationSeconds = residuals[index]! - shared;
        let form = found.get(number);
        if (form === undefined) {
          form = { weights: 0, sum: 0, pending: 0, latest: [] };
          found.set(number, form);
        }
        const weight = groupWeight * weightOf(Math.abs(deviationSeconds) / scatter);
        form.weights += weight;
        form.sum += weight * deviationSeconds;
        if (!group.isAdded) form.pending++;
        const trafficSeconds = traffic * this.#fit.value(this.#traffic);
        form.latest.push({ lap, deviationSeconds, fuelSeconds, trafficSeconds });
        strays.push(Math.abs(deviationSeconds));
      });
    }
    if (lately.length > 0) this.#sharedSeconds = median(lately.slice(-SHARED_GROUPS));
    const own = strays.length === 0 ? LAP_SECONDS : 1.4826 * median(strays);
    const count = strays.length + SCATTER_PRIOR_LAPS;
    this.#scatterSeconds = Math.sqrt((strays.length * own ** 2 + SCATTER_PRIOR_LAPS * LAP_SECONDS ** 2) / count);
    const forms = new Map<string, CarForm>();
    const strayWeight = (LAP_SECONDS / STRAY_SECONDS) ** 2;
    const spreads = this.#spreads();
    let index = 0;
    for (const [number, car] of this.#cars) {
      const spread = spreads[index++]!;
      const form = found.get(number) ?? { weights: 0, sum: 0, pending: 0, latest: [] };
      const laps = (this.#lapsOf.get(number) ?? 0) + form.pending;
      if (laps === 0) continue;
      const weights = form.weights + strayWeight;
      forms.set(number, {
        seconds: this.#fit.value(car) + form.sum / weights,
        uncertaintySeconds: Math.sqrt(LAP_SECONDS ** 2 / weights + spread),
        laps,
        latest: form.latest,
      });
    }
    return forms;
  }

  /**
   * Variance of each car relative to the mean of all cars. Uncertainty that all cars share cancels out between them.
   */
  #spreads(): number[] {
    const columns = [...this.#cars.values()];
    const rows = columns.map((car) => columns.reduce((sum, other) => sum + this.#fit.covariance(car, other), 0));
    const n = columns.length;
    const all = rows.reduce((sum, row) => sum + row, 0) / n ** 2;
    return columns.map((car, index) => Math.max(0, this.#fit.covariance(car, car) - (2 * rows[index]!) / n + all));
  }

  /** The slowest lap that still counts as racing speed, judged by recent laps. */
  #racingLapMsMax(): number {
    let fastest = Number.POSITIVE_INFINITY;
    for (const group of this.#groups) {
      if (group.entries.length < GROUP_LAPS_MIN) continue;
      if (group.medianLaps !== group.entries.length) {
        group.medianLaps = group.entries.length;
        group.medianMs = median(group.entries.map(({ lap }) => lap.ms!));
      }
      fastest = Math.min(fastest, group.medianMs);
    }
    return fastest * SLOW_LAP_FACTOR;
  }

  #car(number: string): number | null {
    let column = this.#cars.get(number) ?? null;
    if (column === null) {
      column = this.#cars.size < DRIVERS_MAX ? this.#fit.coefficient(0, CARS_SECONDS) : null;
      if (column !== null) this.#cars.set(number, column);
    }
    return column;
  }

  #compound(compound: string | null): { readonly base: number; readonly wear: number } | null {
    if (compound === null) return null;
    let known = this.#compounds.get(compound) ?? null;
    if (known === null && this.#compounds.size < TIRE_COMPOUNDS_MAX) {
      const base = this.#fit.coefficient(0, COMPOUND_DEVIATION_SECONDS)!;
      const wear = this.#fit.coefficient(WEAR_SECONDS, WEAR_DEVIATION_SECONDS)!;
      known = { base, wear, laps: 0 };
      this.#compounds.set(compound, known);
    }
    return known;
  }

  #groupOf(leaderLap: number, isWet: boolean): Group {
    let group = this.#groups.findLast((one) => one.leaderLap === leaderLap && one.isWet === isWet);
    if (group === undefined) {
      group = { leaderLap, isWet, entries: [], isAdded: false, medianMs: 0, medianLaps: 0 };
      this.#groups.push(group);
      if (this.#groups.length > LAP_GROUPS_KEPT_MAX) {
        const [oldest] = this.#groups.splice(0, 1);
        if (!oldest!.isAdded) this.#learn(oldest!);
      }
    }
    return group;
  }
}

/** The laps that are still clean and were driven at racing speed. */
function racingLapsOf({ entries }: Group, msMax: number): Entry[] {
  return entries.filter(({ lap }) => lap.clean && lap.ms! <= msMax);
}

/** A robust standard deviation, at least the prior's. */
function scatterOf(residuals: readonly number[], shared: number): number {
  return Math.max(LAP_SECONDS, 1.4826 * median(residuals.map((residual) => Math.abs(residual - shared))));
}

/** Huber weight. Outliers weigh nothing. */
function weightOf(deviations: number): number {
  if (deviations > OUTLIER) return 0;
  return deviations <= HUBER ? 1 : HUBER / deviations;
}
