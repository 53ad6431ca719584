// Fits the chance of a stop for tires on a lap to the Grands Prix of 2018 to 2021. Features and how far circuits may differ
// were chosen there, by leaving out a season at a time.

import { byEvent, LAPS_FROM, LAPS_TO, readRaces, trackOf } from '#bench/laps/lap-tables.ts';
import { fitLogistic } from '#bench/laps/logistic.ts';
import { type StintCase, stintCases } from '#bench/laps/stint-cases.ts';
import { laterFeatures, type StopWeights, stopFeatures } from '#engine/racing/analytics/stop-hazard.ts';
import { type Fit, LAP_TABLES } from './fit.ts';

/** In logits: 0.2, 0.3 and 0.6 were tried. */
const CIRCUIT_DEVIATION = 0.2;

export const STOPS_FIT: Fit = {
  summary: 'chance of a stop on a lap by tires, laps left and circuit, from laps of 2018 to 2021',
  file: 'engine/racing/analytics/coefficients/stops.json',
  sources: [LAP_TABLES],
  method:
    'Two logits with a ridge on every lap of every car, for the lap that begins with its flags and stops and for later laps ' +
    'without, each with an effect of the circuit that is drawn towards none. Races whose ' +
    'tables do not tell when tires were changed are left out. Features and the deviation of circuits were chosen by the ' +
    'log-loss of the number of stops left, a season left out at a time.',
  fit({ laps: folder }, progress) {
    const cases = readRaces(folder, LAPS_FROM, LAPS_TO)
      .filter(({ isSprint }) => !isSprint)
      .flatMap(stintCases);
    progress(`${cases.length} laps`);
    return { seasons: `${LAPS_FROM} to ${LAPS_TO}`, values: stopWeights(cases) };
  },
};

export function stopWeights(cases: readonly StintCase[]) {
  const tracks = [...new Set(cases.map(({ race }) => trackOf(race.event)))].sort();
  const [now, later] = [stopFeatures, laterFeatures].map((featuresOf) =>
    fitLogistic(
      cases.map(({ race, known, stops }) => ({
        features: featuresOf(known),
        group: tracks.indexOf(trackOf(race.event)),
        happened: stops,
      })),
      tracks.length,
      CIRCUIT_DEVIATION,
    ),
  );
  const circuits = tracks.map((track, index) => [track, [now!, later!].map(({ groups }) => short(groups[index]!))]);
  return {
    now: now!.weights.map(short),
    later: later!.weights.map(short),
    circuits: byEvent(Object.fromEntries(circuits)),
  } satisfies StopWeights;
}

function short(value: number): number {
  return Number(value.toFixed(4));
}
