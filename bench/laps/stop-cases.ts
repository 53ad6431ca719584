// Stops in tables of laps and what each cost: the in-lap and the out-lap against the same two laps of cars that stayed out,
// corrected for the cars' paces. Left out: cars on rain tires, which differ in more than the stop, laps on which more cars
// were on them than not, and red flags.

import { median } from '#engine/base/median.ts';
import { isWetTire } from '#engine/racing/analytics/compound-rule.ts';
import type { RacingStatus } from '#engine/racing/analytics/pit-loss.ts';
import { isGreenLap, isInLap, isOutLap, type TableLap, type TableRace } from './lap-tables.ts';

export interface StopCase {
  readonly race: TableRace;
  readonly number: string;
  /** The lap on which the car came in. */
  readonly lap: number;
  readonly status: RacingStatus;
  readonly lossSeconds: number;
}

/** A stop is measured against at least this many cars. */
const OTHERS_MIN = 3;
/** A longer loss was a repair or a penalty. */
const LOSS_SECONDS_MAX = 45;
/** A car's pace is known from so many laps, at least. */
const PACE_LAPS_MIN = 5;

export function stopCases(race: TableRace): StopCase[] {
  const paces = pacesOf(race);
  return [...race.cars].flatMap(([number, laps]) =>
    laps.flatMap((inLap): StopCase[] => {
      const outLap = laps[inLap.lap];
      const pace = paces.get(number);
      if (!isInLap(inLap) || inLap.lap < 2 || outLap === undefined || !isOutLap(outLap) || pace === undefined)
        return [];
      if (isWetTire(inLap.compound) || isWetTire(outLap.compound)) return [];
      const own = secondsOver(inLap, outLap);
      const status = statusOf(inLap, outLap);
      if (own === null || status === null) return [];
      if (isWetLap(race, inLap.lap)) return [];
      const losses = [...race.cars].flatMap(([other, theirs]) => {
        const both = [theirs[inLap.lap - 1], theirs[inLap.lap]] as const;
        const otherPace = paces.get(other);
        if (other === number || otherPace === undefined || both[0] === undefined || both[1] === undefined) return [];
        if (both.some((lap) => isInLap(lap!) || isOutLap(lap!) || isWetTire(lap!.compound))) return [];
        const seconds = secondsOver(both[0], both[1]);
        return seconds === null ? [] : [own - seconds - 2 * (pace - otherPace)];
      });
      if (losses.length < OTHERS_MIN) return [];
      const lossSeconds = median(losses);
      if (lossSeconds <= 0 || lossSeconds > LOSS_SECONDS_MAX) return [];
      return [{ race, number, lap: inLap.lap, status, lossSeconds }];
    }),
  );
}

function isWetLap({ cars }: TableRace, lap: number): boolean {
  const compounds = Array.from(cars.values(), (laps) => laps[lap - 1]?.compound ?? null);
  const known = compounds.filter((compound) => compound !== null);
  return 2 * known.filter(isWetTire).length > known.length;
}

function secondsOver(first: TableLap, second: TableLap): number | null {
  return first.seconds === null || second.seconds === null ? null : first.seconds + second.seconds;
}

/** Null: the status changed, or racing was stopped. */
function statusOf(inLap: TableLap, outLap: TableLap): RacingStatus | null {
  if (isGreenLap(inLap) && isGreenLap(outLap)) return 'green';
  const both = inLap.trackStatus + outLap.trackStatus;
  if (both.includes('5')) return null;
  if (inLap.trackStatus.includes('4')) return 'safety_car';
  return inLap.trackStatus.includes('6') && !both.includes('4') ? 'virtual_safety_car' : null;
}

/** By racing number: seconds a lap slower than the field, over the laps that show a car's pace. */
function pacesOf({ cars, laps }: TableRace): ReadonlyMap<string, number> {
  const offsets = new Map(Array.from(cars.keys(), (number) => [number, [] as number[]]));
  for (let lap = 2; lap <= laps; lap++) {
    const clean = [...cars].flatMap(([number, all]) => {
      const one = all[lap - 1];
      return one === undefined || one.seconds === null || !isGreenLap(one) || isInLap(one) || isOutLap(one)
        ? []
        : [{ number, seconds: one.seconds }];
    });
    if (clean.length < OTHERS_MIN) continue;
    const usual = median(clean.map(({ seconds }) => seconds));
    for (const { number, seconds } of clean) offsets.get(number)!.push(seconds - usual);
  }
  return new Map(
    [...offsets].flatMap(([number, all]) => (all.length < PACE_LAPS_MIN ? [] : [[number, median(all)] as const])),
  );
}
