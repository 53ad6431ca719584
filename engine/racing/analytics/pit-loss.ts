// What a stop costs: the time that a car loses against one that drives on. Measured on the stops of this race: the two laps of
// the stop against the same two laps of cars that stayed out, their paces set off. Until there are some, and beside them, a
// prior speaks: 21 s under green; behind a safety car half of what green costs, behind a virtual one two thirds, because those
// who stay out are slower.

import { median } from '#engine/base/median.ts';
import type { Car, PitVisit } from './race-car.ts';
import type { RacePicture } from './race-picture.ts';

export type RacingStatus = Exclude<PitVisit['status'], 'red_flag'>;

export interface PitLoss {
  readonly seconds: number;
  /** Standard deviation of what the next stop will cost. */
  readonly uncertaintySeconds: number;
  /** Stops of this race that it is drawn from. */
  readonly stops: number;
}

const GREEN_SECONDS = 21;
const GREEN_DEVIATION_SECONDS = 3;
/** Parts of the loss under green, and how far the loss strays from that. */
const PARTS: Readonly<Record<RacingStatus, number>> = { green: 1, safety_car: 0.5, virtual_safety_car: 0.65 };
const NEUTRALISED_DEVIATION_SECONDS = 4;
/** How single stops scatter: the work at the car; where on the lap a car was when the safety car came. */
const STOP_DEVIATION_SECONDS = 2;
const NEUTRALISED_STOP_DEVIATION_SECONDS = 5;
/** A longer loss was a repair. */
const LOSS_SECONDS_MAX = 45;
/** Cars that stayed out which a stop is held against. */
const OTHERS_MIN = 3;
/** Laps after which all cars that will complete the laps of a stop have done so. */
const SETTLED_LAPS = 3;

export class PitLosses {
  readonly #seconds: Readonly<Record<RacingStatus, number[]>> = { green: [], safety_car: [], virtual_safety_car: [] };
  /** Visits that were looked at, by racing number. */
  readonly #done = new Map<string, number>();

  /** Measures the stops that are complete. */
  update(picture: RacePicture): void {
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
    const isGreen = status === 'green';
    const prior = isGreen ? GREEN_SECONDS : PARTS[status] * this.loss('green').seconds;
    const priorDeviation = isGreen ? GREEN_DEVIATION_SECONDS : NEUTRALISED_DEVIATION_SECONDS;
    const stopDeviation = isGreen ? STOP_DEVIATION_SECONDS : NEUTRALISED_STOP_DEVIATION_SECONDS;
    const stops = this.#seconds[status];
    const priorWeight = 1 / priorDeviation ** 2;
    const weight = stops.length / stopDeviation ** 2;
    const measured = stops.length === 0 ? 0 : median([...stops]);
    return {
      seconds: (priorWeight * prior + weight * measured) / (priorWeight + weight),
      uncertaintySeconds: Math.sqrt(1 / (priorWeight + weight) + stopDeviation ** 2),
      stops: stops.length,
    };
  }
}

/** Null: it can't be told. */
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

/** The lap into the pits and the one out of them. */
function secondsOver({ laps }: Car, inLap: number): number | null {
  const index = laps.findLastIndex(({ lap }) => lap === inLap);
  const ms = laps[index]?.ms ?? null;
  const next = laps[index + 1];
  return ms === null || next === undefined || next.lap !== inLap + 1 || next.ms === null ? null : (ms + next.ms) / 1000;
}
