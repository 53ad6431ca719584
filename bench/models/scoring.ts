// Scores for probabilities, given what happened. Lower is better for all of them.

/** The forecast of an event, and whether it happened. */
export interface BinaryOutcome {
  readonly probability: number;
  readonly happened: boolean;
}

export interface ReliabilityBin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  /** Mean forecast chance, and the share that happened. */
  readonly forecast: number;
  readonly observed: number;
}

export interface Calibration {
  /** Expected calibration error: the distance between forecast and share, averaged over all forecasts. */
  readonly error: number;
  readonly bins: readonly ReliabilityBin[];
}

export interface PairedDifference {
  readonly mean: number;
  readonly standardError: number;
}

/** Lower bound of chances in the log-loss. A share of simulations can be zero although the chance is not. */
const PROBABILITY_MIN = 1e-5;
/** Bins are narrow where most chances lie. */
const BIN_EDGES = [0, 0.01, 0.03, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1];

/** `probability`: the forecast chance of what happened. */
export function logLoss(probability: number): number {
  return Math.log(1 / Math.max(PROBABILITY_MIN, probability));
}

/** Brier score over all possible winners, between 0 and 2. */
export function brierScore(probabilities: readonly number[], winner: number): number {
  return probabilities.reduce((sum, probability, index) => sum + (probability - (index === winner ? 1 : 0)) ** 2, 0);
}

/** Ranked probability score of a place, between 0 and 1. Missing by one place costs less than missing by ten. */
export function rankedProbabilityScore(places: readonly number[], place: number): number {
  let cumulative = 0;
  let sum = 0;
  for (let index = 0; index < places.length - 1; index++) {
    cumulative += places[index]!;
    sum += (cumulative - (place <= index ? 1 : 0)) ** 2;
  }
  return places.length < 2 ? 0 : sum / (places.length - 1);
}

export function calibrationOf(outcomes: readonly BinaryOutcome[]): Calibration {
  const bins = BIN_EDGES.slice(1).flatMap((to, index): ReliabilityBin[] => {
    const from = BIN_EDGES[index]!;
    const inside = outcomes.filter(
      ({ probability }) => probability >= from && (probability < to || (to === 1 && probability === 1)),
    );
    if (inside.length === 0) return [];
    return [
      {
        from,
        to,
        count: inside.length,
        forecast: mean(inside.map(({ probability }) => probability)),
        observed: inside.filter(({ happened }) => happened).length / inside.length,
      },
    ];
  });
  const distance = bins.reduce((sum, { count, forecast, observed }) => sum + count * Math.abs(forecast - observed), 0);
  return { error: distance / Math.max(1, outcomes.length), bins };
}

/** The mean difference of two forecasters on the same races. Negative: the first is better. */
export function pairedDifference(first: readonly number[], second: readonly number[]): PairedDifference {
  const differences = first.map((loss, index) => loss - second[index]!);
  const average = mean(differences);
  const squares = differences.reduce((sum, difference) => sum + (difference - average) ** 2, 0);
  return { mean: average, standardError: Math.sqrt(squares / (differences.length - 1) / differences.length) };
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
