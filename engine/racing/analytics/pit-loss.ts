// The time a car loses by stopping instead of staying out. Measured on the stops of this race: the in-lap and out-lap
// against the same two laps of cars that stayed out, corrected for their paces. The measurements are combined with what
// stops at this circuit cost in past seasons (circuit-costs.ts), and with a part of that behind a safety car, because the
// cars that stay out are slower then.

import { median } from '#engine/base/median.ts';
import { SAFETY_CAR_STOP, STOP_DEVIATION_SECONDS, stopCostAt, VIRTUAL_SAFETY_CAR_STOP } from './circuit-costs.ts';
import type { Car, PitVisit } from './race-car.ts';
import type { RacePicture } from './race-picture.ts';

export type RacingStatus = Exclude<PitVisit['status'], 'red_flag'>;

export interface PitLoss {
  readonly seconds: number;
  /** Standard deviation of the loss of the next stop. */
  readonly uncertaintySeconds: number;
  /** Stops of this race behind this estimate. */
  readonly stops: number;
}

const NEUTRALISED: Readonly<Record<Exclude<RacingStatus, 'green'>, typeof SAFETY_CAR_STOP>> = {
  safety_car: SAFETY_CAR_STOP,
  virtual_safety_car: VIRTUAL_SAFETY_CAR_STOP,
};
/** How far a race departs from the usual part behind a safety car. An assumption. */
const NEUTRALISED_DEVIATION_SECONDS = 4;
/** A longer loss counts as a repair. */
const LOSS_SECONDS_MAX = 45;
/** A stop is measured against at least this many cars that stayed out. */
const OTHERS_MIN = 3;
/** A stop is measured this many laps later, when every car has had time to complete both laps. */
const SETTLED_LAPS = 3;

export class PitLosses {
  readonly #seconds: Readonly<Record<RacingStatus, number[]>> = { green: [], safety_car: [], virtual_safety_car: [] };
  /** Number of visits processed, by racing number. */
  readonly #done = new Map<string, number>();
  #event: string | null = null;

  /** Measures the stops that are complete. */
  update(picture: RacePicture): void {
    this.#event = picture.event;
    for (const car of picture.cars()) {
      let done = this.#done.get(car.number) ?? 0;
      for (; done < car.visits.length; done++) {
        const visit = car.visits[done]!;
        if ((picture.lap ?? 0) < visit.inLap + SETTLED_LAPS) break;
        if (visit.status === 'red_flag') continue;
        const seconds = lossOf(car, visit.inLap, picture);
        if (seconds !== null) this.#seconds[visit.status].push(seconds);
      }
      this.#done.set(car.number, done);
    }
  }

  loss(status: RacingStatus): PitLoss {
    const { seconds: prior, deviation, stopDeviation } = this.#prior(status);
    const stops = this.#seconds[status];
    const priorWeight = 1 / deviation ** 2;
    const weight = stops.length / stopDeviation ** 2;
    const measured = stops.length === 0 ? 0 : median(stops);
    return {
      seconds: (priorWeight * prior + weight * measured) / (priorWeight + weight),
      uncertaintySeconds: Math.sqrt(1 / (priorWeight + weight) + stopDeviation ** 2),
      stops: stops.length,
    };
  }

  /** What is known before the first stop under this status. */
  #prior(status: RacingStatus): {
    readonly seconds: number;
    readonly deviation: number;
    readonly stopDeviation: number;
  } {
    if (status === 'green') return { ...stopCostAt(this.#event), stopDeviation: STOP_DEVIATION_SECONDS };
    const { part, stopDeviation } = NEUTRALISED[status];
    return { seconds: part * this.loss('green').seconds, deviation: NEUTRALISED_DEVIATION_SECONDS, stopDeviation };
  }
}

/** Null: the loss cannot be measured. */
function lossOf(car: Car, inLap: number, picture: RacePicture): number | null {
  const own = secondsOver(car, inLap);
  if (own === null || inLap < 2) return null;
  const { forms } = picture.lapTimes;
  const form = forms.get(car.number)?.seconds ?? 0;
  const losses: number[] = [];
  for (const other of picture.cars()) {
    if (other === car || other.visits.some((visit) => Math.abs(visit.inLap - inLap) <= 1)) continue;
    const seconds = secondsOver(other, inLap);
    if (seconds === null) continue;
    losses.push(own - seconds - 2 * (form - (forms.get(other.number)?.seconds ?? 0)));
  }
  if (losses.length < OTHERS_MIN) return null;
  const loss = median(losses);
  return loss > 0 && loss <= LOSS_SECONDS_MAX ? loss : null;
}

/** The time of the in-lap and out-lap together. */
function secondsOver({ laps }: Car, inLap: number): number | null {
  const index = laps.findLastIndex(({ lap }) => lap === inLap);
  const ms = laps[index]?.ms ?? null;
  const next = laps[index + 1];
  return ms === null || next === undefined || next.lap !== inLap + 1 || next.ms === null ? null : (ms + next.ms) / 1000;
}
