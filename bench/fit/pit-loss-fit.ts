// Fits what a stop costs to the stops in the Grands Prix of 2018 to 2021: under green by circuit, drawn towards all circuits,
// and behind safety cars as a part of that.

import { byEvent, LAPS_FROM, LAPS_TO, readRaces, trackOf } from '#bench/laps/lap-tables.ts';
import { type StopCase, stopCases } from '#bench/laps/stop-cases.ts';
import { mean } from '#bench/models/scoring.ts';
import { assert } from '#engine/base/assert.ts';
import { median } from '#engine/base/median.ts';
import { type Fit, LAP_TABLES } from './fit.ts';

/** A race with fewer stops does not tell its loss. */
const STOPS_MIN = 5;
/** The deviation of a normal distribution is so many times the median distance from its middle. */
const NORMAL = 1.4826;
/** The variance of a median is so many times that of a mean. */
const OF_MEDIAN = Math.PI / 2;

interface RaceLoss {
  readonly track: string;
  readonly seconds: number;
  /** Of `seconds`, from the scatter of the stops. */
  readonly variance: number;
}

export const PIT_LOSS_FIT: Fit = {
  summary: 'cost of a stop by circuit, and behind safety cars, from laps of 2018 to 2021',
  file: 'engine/racing/analytics/coefficients/pit-loss.json',
  sources: [LAP_TABLES],
  method:
    'Each stop on dry tires against the cars that stayed out, corrected for their paces; the median of each race. Circuits ' +
    'are drawn towards their mean by the variance between circuits and between races at one. Scatter of stops: the median ' +
    'distance from the median. Behind safety cars: the median part of the loss under green in the same race.',
  fit({ laps: folder }, progress) {
    const cases = readRaces(folder, LAPS_FROM, LAPS_TO)
      .filter(({ isSprint }) => !isSprint)
      .flatMap(stopCases);
    progress(`${cases.length} stops`);
    return { seasons: `${LAPS_FROM} to ${LAPS_TO}`, values: pitLossOf(cases) };
  },
};

export function pitLossOf(cases: readonly StopCase[]) {
  const green = [...Map.groupBy(withStatus(cases, 'green'), ({ race }) => race)].filter(
    ([, stops]) => stops.length >= STOPS_MIN,
  );
  const losses = new Map(green.map(([race, stops]) => [race, median(secondsOf(stops))]));
  const stopDeviation =
    NORMAL *
    median(green.flatMap(([race, stops]) => stops.map(({ lossSeconds }) => Math.abs(lossSeconds - losses.get(race)!))));
  const races = green.map(
    ([race, stops]): RaceLoss => ({
      track: trackOf(race.event),
      seconds: losses.get(race)!,
      variance: (OF_MEDIAN * stopDeviation ** 2) / stops.length,
    }),
  );
  const tracks = [...Map.groupBy(races, ({ track }) => track)];
  const raceVariance = varianceWithin(tracks.map(([, all]) => all));
  const means = tracks.map(([track, all]) => ({
    track,
    seconds: mean(all.map(({ seconds }) => seconds)),
    variance: mean(all.map(({ variance }) => variance + raceVariance)) / all.length,
  }));
  const seconds = mean(means.map((one) => one.seconds));
  const spread = mean(means.map((one) => (one.seconds - seconds) ** 2));
  const circuitVariance = Math.max(0, spread - mean(means.map(({ variance }) => variance)));
  const circuits = means.map(({ track, seconds: own, variance }) => {
    const share = circuitVariance / (circuitVariance + variance);
    const drawn = seconds + share * (own - seconds);
    return [track, [drawn, Math.sqrt(share * variance + raceVariance)].map(short)] as const;
  });
  const neutralised = (status: 'safety_car' | 'virtual_safety_car') => {
    const stops = withStatus(cases, status).filter(({ race }) => losses.has(race));
    const parts = stops.map(({ race, lossSeconds }) => lossSeconds / losses.get(race)!);
    const part = median(parts);
    const distances = stops.map(({ race, lossSeconds }) => Math.abs(lossSeconds - part * losses.get(race)!));
    return { part: short(part), stopDeviation: short(NORMAL * median(distances)), stops: stops.length };
  };
  return {
    seconds: short(seconds),
    deviation: short(Math.sqrt(circuitVariance + raceVariance)),
    stopDeviation: short(stopDeviation),
    safetyCar: neutralised('safety_car'),
    virtualSafetyCar: neutralised('virtual_safety_car'),
    circuits: byEvent(Object.fromEntries(circuits.sort(([a], [b]) => (a < b ? -1 : 1)))),
  };
}

function withStatus(cases: readonly StopCase[], status: StopCase['status']): readonly StopCase[] {
  return cases.filter((one) => one.status === status);
}

function secondsOf(stops: readonly StopCase[]): number[] {
  return stops.map(({ lossSeconds }) => lossSeconds);
}

/** Between races at one circuit, without what the scatter of stops explains. */
function varianceWithin(tracks: readonly (readonly RaceLoss[])[]): number {
  let squares = 0;
  let free = 0;
  for (const races of tracks) {
    const middle = mean(races.map(({ seconds }) => seconds));
    for (const { seconds, variance } of races) squares += (seconds - middle) ** 2 - variance * (1 - 1 / races.length);
    free += races.length - 1;
  }
  assert(free > 0, 'a circuit had two races');
  return Math.max(0, squares / free);
}

function short(value: number): number {
  return Number(value.toFixed(3));
}
