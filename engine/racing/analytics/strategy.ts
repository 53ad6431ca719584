// analytics.strategy: how many stops each car has left, and when the next one is due.

import type { Content } from '#engine/racing/normalise/normaliser.ts';
import type { SessionState } from '#engine/racing/session/session-state.ts';
import type { StrategyDriver } from '#schemas/webhook/analytics-strategy.ts';
import type { RaceModel } from './analytics-model.ts';
import { compoundsUsed, owesCompound } from './compound-rule.ts';
import { LatestContent } from './latest-content.ts';
import type { Car } from './race-car.ts';
import { racingStandings } from './race-field.ts';
import { type RacePicture, tireAgeOf } from './race-picture.ts';
import { rounded } from './rounded.ts';
import { LAST_LAPS } from './stops-due.ts';
import { type TireLife, TireLives } from './tire-life.ts';

/** Below this chance of a stop no lap is given. */
const STOP_CHANCE_MIN = 0.05;
/** Scale of a logistic distribution with a standard deviation of 1. */
const LOGISTIC_SCALE = Math.sqrt(3) / Math.PI;

interface Prospect {
  readonly none: number;
  readonly one: number;
  readonly more: number;
  /** Quartiles of the next stop, given that there is one, in laps from now. 1 is the current lap. */
  readonly quartiles: readonly number[] | null;
}

export class Strategy implements RaceModel {
  readonly feed = 'analytics.strategy';
  readonly #latest = new LatestContent();

  emit(picture: RacePicture, state: SessionState): Content | null {
    const { lap, totalLaps, lapsLeft, isFinished } = picture;
    if (lap === null || totalLaps === null || totalLaps < 1 || lapsLeft === null || isFinished) return null;
    const lives = new TireLives(picture, totalLaps);
    const drivers: StrategyDriver[] = [];
    for (const { car } of racingStandings(picture)) {
      const tire = car.stints.at(-1);
      const age = tireAgeOf(car);
      if (tire === undefined || age === null) continue;
      const owes = owesCompound(car, picture) ?? false;
      const life = lives.life(tire.compound);
      const { none, one, more, quartiles } = prospectOf(age, life, longestLife(car, lives), lapsLeft, owes);
      const onLap = (laps: number): number => lap + laps - 1;
      drivers.push({
        ...state.driver(car.number),
        // Stops before the recording began show only in the tires.
        stopsDone: Math.max(car.stops, car.stints.length - 1),
        noStopProbability: none,
        oneStopProbability: one,
        moreStopsProbability: more,
        nextStopLap:
          quartiles === null
            ? null
            : { p25: onLap(quartiles[0]!), p50: onLap(quartiles[1]!), p75: onLap(quartiles[2]!) },
        compoundsUsed: compoundsUsed(car),
        anotherCompoundRequired: owes,
        tireAgeLaps: age,
        typicalStintLaps: rounded(life.laps, 1),
        typicalStintDeviationLaps: rounded(life.deviationLaps, 1),
        stints: stintsOf(car, age),
      });
    }
    if (drivers.length === 0) return null;
    return this.#latest.ifChanged({ session: { lapsLeft, stintsLearnedFrom: lives.stints }, drivers });
  }
}

function stintsOf({ stints }: Car, age: number): StrategyDriver['stints'] {
  return stints.map(({ compound, isNew, fromLap, tireAge }, index) => ({
    stint: index + 1,
    compound,
    isNew,
    fromLap,
    tireAgeLaps: index === stints.length - 1 ? age : tireAge,
  }));
}

/** The longest life among the compounds used so far and a typical one: a car that stops picks tires that last. */
function longestLife(car: Car, lives: TireLives): TireLife {
  return [null, ...compoundsUsed(car)]
    .map((compound) => lives.life(compound))
    .reduce((a, b) => (b.laps > a.laps ? b : a));
}

/** The chances are rounded so that they sum to one. */
function prospectOf(age: number, life: TireLife, next: TireLife, lapsLeft: number, owes: boolean): Prospect {
  const last = Math.max(owes ? Math.min(1, lapsLeft) : 0, lapsLeft - LAST_LAPS);
  const alive = survival(age, life);
  const chances: number[] = [];
  let stops = 0;
  let again = 0;
  let before = alive;
  for (let laps = 1; laps <= last; laps++) {
    const after = survival(age + laps, life);
    const chance = (before - after) / alive;
    chances.push(chance);
    stops += chance;
    again += chance * (1 - survival(lapsLeft - laps - LAST_LAPS, next) / survival(0, next));
    before = after;
  }
  if (stops < Number.MIN_VALUE) return { none: 1, one: 0, more: 0, quartiles: null };
  const any = owes ? 1 : stops;
  const more = rounded((Math.max(0, again) / stops) * any, 3);
  const none = rounded(1 - any, 3);
  const quartiles = [0.25, 0.5, 0.75].map((part) => lapReaching(part * stops, chances));
  return { none, one: rounded(1 - none - more, 3), more, quartiles: any < STOP_CHANCE_MIN ? null : quartiles };
}

/** Laps from now until the chances sum to `sum`. */
function lapReaching(sum: number, chances: readonly number[]): number {
  let total = 0;
  const index = chances.findIndex((chance) => {
    total += chance;
    return total >= sum;
  });
  return index === -1 ? chances.length : index + 1;
}

/** The fraction of stints that last longer than `laps` laps. */
function survival(laps: number, { laps: usual, deviationLaps }: TireLife): number {
  return 1 / (1 + Math.exp((Math.max(0, laps) - usual) / (LOGISTIC_SCALE * deviationLaps)));
}
