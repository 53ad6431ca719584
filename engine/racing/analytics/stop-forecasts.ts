// The stops to come of every car that races, for the models that speak of stops. Cars in the pits are left out: what they
// drive on next is not known yet.

import nextTiresFile from './coefficients/next-tires.json' with { type: 'json' };
import stopsFile from './coefficients/stops.json' with { type: 'json' };
import { isWetTire, owesCompound } from './compound-rule.ts';
import { nextTires, type TireChoice } from './next-tires.ts';
import type { Car } from './race-car.ts';
import { fullDistance, racingStandings } from './race-field.ts';
import { type RacePicture, tireAgeOf } from './race-picture.ts';
import { StopHazard, type StopWeights, stopOdds } from './stop-hazard.ts';
import { StopProspecting, type StopProspects } from './stop-prospects.ts';
import { DRY_KINDS, TIRE_KINDS, type TireKind, type TireNames, tireNames } from './tire-kinds.ts';

export interface CarStops extends StopProspects {
  readonly car: Car;
  readonly ageLaps: number;
  readonly owes: boolean;
  readonly stopsDone: number;
  /** The chance of each of TIRE_KINDS as the next tires, for a stop that leaves so many laps. */
  nextKinds(lapsLeft: number): readonly number[];
}

export interface FieldStops {
  /** The leader's current lap, and the laps left with it. */
  readonly lap: number;
  readonly lapsLeft: number;
  readonly names: TireNames;
  /** By racing number. Cars whose tires are not known are left out. */
  readonly cars: ReadonlyMap<string, CarStops>;
}

const WEIGHTS: StopWeights = stopsFile.values;

/** Which tires come next is worked out for so many parts of a race. */
const CHOICE_PARTS = 16;

export class StopForecasts {
  #key = '';
  #field: FieldStops | null = null;
  #prospecting: StopProspecting | null = null;
  #race = '';
  /** Room for `next` of every car. Each field overwrites that of the field before. */
  #next = new Float64Array(0);
  /** By the tires of a car: which come next. Cars with the same share it, as long as the field's tires stay. */
  readonly #choices = new Map<string, CarStops['nextKinds']>();
  #choicesFor = '';

  /** Worked out once for a lap, a flag or a change of tires. Null: the laps are not known, or the race is over. */
  at(picture: RacePicture): FieldStops | null {
    const { lap, totalLaps, lapsLeft, isFinished } = picture;
    if (lap === null || totalLaps === null || lapsLeft === null || lapsLeft < 1 || isFinished) return null;
    const key = keyOf(picture);
    if (key === this.#key) return this.#field;
    this.#key = key;
    this.#field = this.#fieldOf(picture, lap, lapsLeft, totalLaps);
    return this.#field;
  }

  #fieldOf(picture: RacePicture, lap: number, lapsLeft: number, totalLaps: number): FieldStops {
    const fullLaps = fullDistance(picture);
    const race = `${picture.event} ${totalLaps} ${fullLaps}`;
    if (race !== this.#race || this.#prospecting === null) {
      this.#race = race;
      const hazard = new StopHazard(WEIGHTS.later, circuitsOf(picture.event)[1], totalLaps, fullLaps);
      this.#prospecting = new StopProspecting(hazard, totalLaps);
    }
    const prospecting = this.#prospecting;
    const all = [...picture.cars()];
    const names = tireNames(compoundsOf(all));
    const racing = racingStandings(picture).map(({ car }) => car);
    const wet =
      racing.filter((car) => isWetTire(car.stints.at(-1)?.compound ?? null)).length / Math.max(1, racing.length);
    const stopping = racing.filter((car) => car.visits.at(-1)?.inLap === lap - 1).length / Math.max(1, racing.length);
    const taken = takenKinds(all, names);
    const choicesFor = `${race} ${wet} ${taken.join(' ')}`;
    if (choicesFor !== this.#choicesFor) this.#choices.clear();
    this.#choicesFor = choicesFor;
    const circuits = circuitsOf(picture.event);
    const safetyCar = picture.trackStatus === 'safety_car';
    const virtualSafetyCar = picture.trackStatus === 'virtual_safety_car';
    if (this.#next.length < racing.length * lapsLeft) this.#next = new Float64Array(racing.length * lapsLeft);
    const cars = new Map<string, CarStops>();
    for (const car of racing) {
      const ageLaps = tireAgeOf(car);
      const from = names.kindOf(car.stints.at(-1)?.compound ?? null);
      if (ageLaps === null || from === null || car.place !== 'track') continue;
      const owes = owesCompound(car, picture) === true;
      const otherTires = isWetTire(from) ? 1 - wet : wet;
      const used = kindsUsed(car, names);
      const stopsDone = stopsOf(car);
      const choice = `${from} ${owes} ${used.join(' ')}`;
      let nextKinds = this.#choices.get(choice);
      if (nextKinds === undefined) {
        nextKinds = choicesOf({ from, owesCompound: owes, otherTires, taken, used: new Set(used) }, fullLaps);
        this.#choices.set(choice, nextKinds);
      }
      const moment = { otherTires, stopping, safetyCar, virtualSafetyCar };
      const now = { kind: from, ageLaps, lapsLeft, fullLaps, owesCompound: owes, stopsDone, moment };
      const nowOdds = stopOdds(WEIGHTS.now, circuits[0], now);
      const kind = TIRE_KINDS.indexOf(from);
      const stint = { kind, ageLaps, owes, stopsDone, nowOdds, otherTires, nextKinds };
      const room = cars.size * lapsLeft;
      const prospects = prospecting.prospects(stint, this.#next.subarray(room, room + lapsLeft));
      cars.set(car.number, { ...(owes ? certain(prospects) : prospects), car, ageLaps, owes, stopsDone, nextKinds });
    }
    return { lap, lapsLeft, names, cars };
  }
}

/** The effects of a circuit on the lap that begins and on later ones. */
function circuitsOf(event: string | null): readonly [number, number] {
  const [now, later] = event !== null && Object.hasOwn(WEIGHTS.circuits, event) ? WEIGHTS.circuits[event]! : [0, 0];
  return [now!, later!];
}

type NextStop = Pick<StopProspects, 'none' | 'next'>;

/** Quartiles of the lap of the next stop, given that there is one. `lap`: the leader's. */
export function nextStopLap(stops: NextStop, lap: number) {
  return { p25: stopLapAt(0.25, stops, lap), p50: stopLapAt(0.5, stops, lap), p75: stopLapAt(0.75, stops, lap) };
}

/** The quantile of that lap at `part`. */
export function stopLapAt(part: number, { none, next }: NextStop, lap: number): number {
  const sum = part * (1 - none);
  let total = 0;
  for (let laps = 0; laps < next.length; laps++) {
    total += next[laps]!;
    if (total >= sum) return lap + laps;
  }
  return lap + next.length - 1;
}

/** A car that owes a compound stops. Changes `next`. */
function certain({ none, one, more, next }: StopProspects): StopProspects {
  const any = 1 - none;
  for (let laps = 0; laps < next.length; laps++) next[laps]! /= any;
  return { none: 0, one: one / any, more: more / any, next };
}

function compoundsOf(cars: readonly Car[]): ReadonlySet<string | null> {
  const compounds = new Set<string | null>();
  for (const { stints } of cars) for (const { compound } of stints) compounds.add(compound);
  return compounds;
}

/** In the order of its stints. */
function kindsUsed({ stints }: Car, names: TireNames): TireKind[] {
  const used: TireKind[] = [];
  for (const { compound } of stints) {
    const kind = names.kindOf(compound);
    if (kind !== null && !used.includes(kind)) used.push(kind);
  }
  return used;
}

/** Changes with whatever the forecasts depend on, and rarely otherwise. What changes in two cars must not cancel out. */
function keyOf(picture: RacePicture): string {
  let key = `${picture.lap} ${picture.totalLaps} ${picture.event} ${picture.trackStatus}`;
  for (const { stints, visits, place } of picture.cars()) key += ` ${stints.length},${visits.length},${place}`;
  return key;
}

/** Stops for tires. Those before the recording began show only in the tires; under a red flag tires are changed without one. */
function stopsOf({ visits, stints }: Car): number {
  const red = visits.filter(({ status }) => status === 'red_flag').length;
  return Math.max(visits.length - red, stints.length - 1 - red);
}

/** How often cars took each dry kind after their first tires. */
function takenKinds(cars: readonly Car[], names: TireNames): number[] {
  const taken = DRY_KINDS.map(() => 0);
  for (const { stints } of cars)
    for (const { compound } of stints.slice(1)) {
      const index = TIRE_KINDS.indexOf(names.kindOf(compound) as TireKind);
      if (index >= 0 && index < taken.length) taken[index]!++;
    }
  return taken;
}

function choicesOf(choice: Omit<TireChoice, 'left'>, fullLaps: number): CarStops['nextKinds'] {
  const chances = nextTires(choice, nextTiresFile.values);
  const parts: (readonly number[] | undefined)[] = [];
  return (lapsLeft) => {
    const part = Math.floor((CHOICE_PARTS * lapsLeft) / fullLaps);
    parts[part] ??= chances((part + 0.5) / CHOICE_PARTS);
    return parts[part];
  };
}
