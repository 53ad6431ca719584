// Tires taken at stops in tables of laps, as they are forecast: with what was known some laps before the stop, and as the car
// came in.

import type { TireChoice } from '#engine/racing/analytics/next-tires.ts';
import { DRY_KINDS, type TireKind } from '#engine/racing/analytics/tire-kinds.ts';
import type { TableRace } from './lap-tables.ts';
import { type StintCase, stintCases } from './stint-cases.ts';

export interface TireChoiceCase {
  /** What was known: a lap of the stint that the stop ends. */
  readonly known: StintCase;
  /** The part of the race that is left is that at the stop. */
  readonly choice: TireChoice;
  readonly taken: TireKind;
}

/** Laps from one forecast of a stop to the next, and the earliest before it. */
const EACH_LAPS = 5;
const BEFORE_LAPS_MAX = 20;

export function tireChoices(race: TableRace): TireChoiceCase[] {
  const cases = stintCases(race);
  const stops = cases.flatMap(({ number, lap, next }) => (next === null ? [] : [{ number, lap, next }]));
  return cases.flatMap((known): TireChoiceCase[] => {
    const { lap, number, nextStop, used } = known;
    if (nextStop === null || nextStop - lap > BEFORE_LAPS_MAX || (nextStop - lap) % EACH_LAPS > 0) return [];
    const stop = stops.find((one) => one.number === number && one.lap === nextStop);
    if (stop === undefined) return [];
    const before = stops.filter((one) => one.lap < lap);
    const taken = DRY_KINDS.map((kind) => before.filter(({ next }) => next === kind).length);
    const { kind, fullLaps, owesCompound, moment } = known.known;
    const left = (race.laps - nextStop) / fullLaps;
    const choice = { from: kind, owesCompound, left, otherTires: moment.otherTires, taken, used };
    return [{ known, choice, taken: stop.next }];
  });
}
