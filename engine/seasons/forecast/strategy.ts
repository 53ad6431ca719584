// Expected number, timing and duration of pit stops. Based on past races on the circuit, where newer ones weigh more,
// filled up with recent races on other circuits.

import { PIT_LANE_MS_MAX } from '#engine/racing/race-events/pit-stops.ts';
import type { RaceKind } from '#engine/racing/race-kind.ts';
import type { PitStopRecord, RaceWeekend } from '#engine/seasons/history/history.ts';
import type { Quartiles, StrategyForecast } from './forecast.ts';

/** The highest number of stops listed. It includes all higher numbers. */
const STOPS_LISTED_MAX = 4;
/** Weight of a race on the circuit after each year, and the total weight of all recent races elsewhere. */
const YEAR_WEIGHT = 0.75;
const ELSEWHERE_WEIGHT = 2;
/** Races elsewhere are recent within this many seasons, including the present one. */
const ELSEWHERE_SEASONS = 2;

interface Weighted {
  readonly value: number;
  readonly weight: number;
}

/** A sprint is too short for a stop, and the history lists none. */
const SPRINT: StrategyForecast = {
  stops: [{ stops: 0, probability: 1 }],
  meanStops: 0,
  firstStopLap: null,
  pitLaneSeconds: null,
  basis: { races: 0, circuitRaces: 0, stops: 0 },
};

/** The strategy forecast of `weekend`, from the weekends before it. */
export function strategyOf(before: readonly RaceWeekend[], weekend: RaceWeekend, kind: RaceKind): StrategyForecast {
  if (kind === 'sprint') return SPRINT;
  const known = before.filter(({ pitStops }) => pitStops.length > 0);
  const here = known.filter(({ circuitId }) => circuitId === weekend.circuitId);
  const elsewhere = known.filter(
    ({ circuitId, season }) => circuitId !== weekend.circuitId && season > weekend.season - ELSEWHERE_SEASONS,
  );
  const counts: Weighted[] = [];
  const firstLaps: Weighted[] = [];
  const stays: { readonly here: Weighted[]; readonly elsewhere: Weighted[] } = { here: [], elsewhere: [] };
  const lapsPlanned = plannedLaps(weekend);
  const add = (race: RaceWeekend, weight: number, stayed: Weighted[]): void => {
    const stops = stopsByDriver(race);
    const finishers = race.results.filter(({ classification }) => classification.kind === 'classified');
    for (const { driverId } of finishers) {
      const own = stops.get(driverId) ?? [];
      const part = weight / finishers.length;
      counts.push({ value: own.length, weight: part });
      const first = Math.min(...own.map(({ lap }) => lap));
      if (own.length > 0) firstLaps.push({ value: (first / Math.max(1, race.laps)) * lapsPlanned, weight: part });
    }
    for (const { timeMs } of [...stops.values()].flat()) stayed.push({ value: timeMs / 1_000, weight });
  };
  for (const race of here) add(race, YEAR_WEIGHT ** (weekend.season - race.season), stays.here);
  for (const race of elsewhere) add(race, ELSEWHERE_WEIGHT / elsewhere.length, stays.elsewhere);
  // Pit lanes differ in length, so other circuits count only if this one has no data.
  const stayed = stays.here.length > 0 ? stays.here : stays.elsewhere;
  const firstStopLap = quartilesOf(firstLaps);
  return {
    ...stopShares(counts),
    firstStopLap: firstStopLap === null ? null : wholeLaps(firstStopLap),
    pitLaneSeconds: quartilesOf(stayed),
    basis: { races: here.length + elsewhere.length, circuitRaces: here.length, stops: stayed.length },
  };
}

/** The planned distance in laps, before any shortening. */
function plannedLaps({ laps, scheduledLaps }: RaceWeekend): number {
  return scheduledLaps ?? laps;
}

/** Leaves out stays that were not stops: repairs, and waiting while a race was interrupted. */
function stopsByDriver({ pitStops }: RaceWeekend): ReadonlyMap<string, readonly PitStopRecord[]> {
  return Map.groupBy(
    pitStops.filter(({ timeMs }) => timeMs <= PIT_LANE_MS_MAX),
    ({ driverId }) => driverId,
  );
}

function stopShares(counts: readonly Weighted[]): Pick<StrategyForecast, 'stops' | 'meanStops'> {
  const total = counts.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return { stops: [], meanStops: 0 };
  const stops = Array.from({ length: STOPS_LISTED_MAX + 1 }, (_, listed) => {
    const such = counts.filter(({ value }) => Math.min(value, STOPS_LISTED_MAX) === listed);
    return { stops: listed, probability: such.reduce((sum, { weight }) => sum + weight, 0) / total };
  });
  return { stops, meanStops: counts.reduce((sum, { value, weight }) => sum + value * weight, 0) / total };
}

function quartilesOf(values: readonly Weighted[]): Quartiles | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a.value - b.value || a.weight - b.weight);
  const total = sorted.reduce((sum, { weight }) => sum + weight, 0);
  const at = (share: number): number => {
    let sum = 0;
    for (const { value, weight } of sorted) {
      sum += weight;
      if (sum >= share * total) return value;
    }
    return sorted.at(-1)!.value;
  };
  return { lower: at(0.25), median: at(0.5), upper: at(0.75) };
}

function wholeLaps({ lower, median, upper }: Quartiles): Quartiles {
  const whole = (laps: number): number => Math.max(1, Math.round(laps));
  return { lower: whole(lower), median: whole(median), upper: whole(upper) };
}
