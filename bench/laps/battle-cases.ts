// Battles in tables of laps: cars within two seconds of the car ahead as a lap begins, and whether they passed it within one,
// three and five laps. Left out, as in recordings: laps that are not green, and windows in which either car stopped or
// dropped out.

import type { Pursuit } from '#engine/racing/analytics/pass-chance.ts';
import { isGreenLap, isInLap, isOutLap, type TableLap, type TableRace } from './lap-tables.ts';

export interface BattleCase {
  readonly race: TableRace;
  readonly pursuit: Pursuit;
  /** By number of laps. Null: the window was disturbed. */
  readonly passed: ReadonlyMap<number, boolean | null>;
}

export const PASS_LAPS = [1, 3, 5] as const;
const BATTLE_SECONDS = 2;
const GAPS_MAX = 5;

export function battleCases(race: TableRace): BattleCase[] {
  const cases: BattleCase[] = [];
  const gapsTo = new Map<string, { ahead: readonly TableLap[]; gapsSeconds: number[] }>();
  for (let lap = 1; lap < race.laps; lap++) {
    const order = Array.from(race.cars, ([driver, laps]) => ({ driver, laps, now: laps[lap - 1] }))
      .filter((car) => car.now !== undefined)
      .sort((a, b) => a.now!.position - b.now!.position);
    for (let place = 1; place < order.length; place++) {
      const [ahead, behind] = [order[place - 1]!, order[place]!];
      const [theirs, ours] = [ahead.now!, behind.now!];
      let follows = gapsTo.get(behind.driver);
      if (!isGreenLap(theirs) || !isGreenLap(ours)) {
        gapsTo.delete(behind.driver);
        continue;
      }
      if (follows?.ahead !== ahead.laps || [theirs, ours].some((one) => isInLap(one) || isOutLap(one))) {
        follows = { ahead: ahead.laps, gapsSeconds: [] };
        gapsTo.set(behind.driver, follows);
      }
      const gap = ours.endSeconds - theirs.endSeconds;
      follows.gapsSeconds.push(gap);
      if (follows.gapsSeconds.length > GAPS_MAX) follows.gapsSeconds.shift();
      if (gap <= 0 || gap > BATTLE_SECONDS || isInLap(theirs) || isInLap(ours)) continue;
      cases.push({
        race,
        pursuit: {
          gapsSeconds: [...follows.gapsSeconds],
          latestLapGainSeconds: isPace(theirs) && isPace(ours) ? theirs.seconds! - ours.seconds! : null,
          tireAgeDifferenceLaps:
            ours.tireAge === null || theirs.tireAge === null ? null : ours.tireAge - theirs.tireAge,
          compoundAhead: theirs.compound,
          compoundBehind: ours.compound,
          lap: lap + 1,
          totalLaps: race.laps,
        },
        passed: new Map(PASS_LAPS.map((laps) => [laps, hasPassed(race, ahead.laps, behind.laps, lap, laps)])),
      });
    }
  }
  return cases;
}

/** Whether the lap shows the pace of the car; its lap is known to be green. */
function isPace(lap: TableLap): boolean {
  return lap.lap > 1 && lap.seconds !== null && !isInLap(lap) && !isOutLap(lap);
}

function hasPassed(
  race: TableRace,
  ahead: readonly TableLap[],
  behind: readonly TableLap[],
  from: number,
  laps: number,
): boolean | null {
  let passed = false;
  for (let lap = from + 1; lap <= Math.min(from + laps, race.laps); lap++) {
    const [theirs, ours] = [ahead[lap - 1], behind[lap - 1]];
    if (theirs === undefined || ours === undefined) return null;
    if (isInLap(theirs) || isInLap(ours) || !isGreenLap(theirs) || !isGreenLap(ours)) return null;
    if (ours.position < theirs.position) passed = true;
  }
  return passed;
}
