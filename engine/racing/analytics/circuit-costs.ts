// What a stop and a pass cost at a circuit, as far as laps of past seasons tell (bench/fit/pit-loss-fit.ts and
// battle-fit.ts). Circuits go by the name of their event; one that is not known is an average one.

import battle from './coefficients/battle.json' with { type: 'json' };
import pitLoss from './coefficients/pit-loss.json' with { type: 'json' };

export interface StopCost {
  /** Seconds lost under green, before any stop of the race. */
  readonly seconds: number;
  readonly deviation: number;
}

interface NeutralisedStop {
  /** The cost as a part of that under green. */
  readonly part: number;
  readonly stopDeviation: number;
}

const { seconds, deviation, safetyCar, virtualSafetyCar, stopDeviation } = pitLoss.values;
const STOPS: Readonly<Record<string, readonly number[]>> = pitLoss.values.circuits;
const ANY_STOP: StopCost = { seconds, deviation };
/** Of passes within three laps. */
const PASSES: Readonly<Record<string, readonly number[]>> = battle.values.horizons[1]!.circuits;

/** Deviation of single stops under green. */
export const STOP_DEVIATION_SECONDS = stopDeviation;
export const SAFETY_CAR_STOP: NeutralisedStop = safetyCar;
export const VIRTUAL_SAFETY_CAR_STOP: NeutralisedStop = virtualSafetyCar;

/** Null: the name of the event is not known. */
export function stopCostAt(event: string | null): StopCost {
  const known = ownOf(STOPS, event);
  return known === null ? ANY_STOP : { seconds: known[0]!, deviation: known[1]! };
}

/** The cost of a stop there, relative to an average circuit. */
export function stopPartAt(event: string | null): number {
  return stopCostAt(event).seconds / ANY_STOP.seconds;
}

/** How much easier passes are there than on average, in logits. */
export function passEaseAt(event: string | null): number {
  return ownOf(PASSES, event)?.[0] ?? 0;
}

function ownOf(list: Readonly<Record<string, readonly number[]>>, event: string | null): readonly number[] | null {
  return event !== null && Object.hasOwn(list, event) ? list[event]! : null;
}
