// The scores of a race or sprint from how its session stands or ended. As the timing tells it, so stewards' later decisions are
// not in it: nobody is disqualified, and a car that never took the start counts as one that did not finish.

import { Q3_PLACES } from '#engine/racing/outcome/knockout-qualifying.ts';
import type { CarOutcome, SessionOutcome } from '#engine/racing/outcome/session-outcome.ts';
import type { FantasyRules, FantasySessionType } from '#schemas/fantasy/fantasy-rules.ts';
import {
  type Contestant,
  type FantasyScore,
  fantasyScores,
  type ProvisionalBreakdown,
  provisionalScores,
} from './fantasy-scores.ts';

/** A car is classified when it has done this share of the winner's laps, rounded down to whole ones. */
const CLASSIFIED_SHARE = 0.9;

/** Whether it tells who finished: a session without timing does not. */
export function isScorable({ cars }: SessionOutcome): boolean {
  return cars.some(({ position, lapsCompleted }) => position === 1 && lapsCompleted !== null);
}

/**
 * Of a session that is over. `qualifying` is the outcome of the weekend's; null: it is not known, and the place on the grid
 * stands for the place in it.
 */
export function outcomeScores(
  rules: FantasyRules,
  race: SessionOutcome,
  qualifying: SessionOutcome | null,
  sessionType: FantasySessionType,
): readonly FantasyScore[] {
  const winnersLaps = Math.max(0, ...race.cars.map(({ lapsCompleted }) => lapsCompleted ?? 0));
  const classifiedLaps = Math.floor(winnersLaps * CLASSIFIED_SHARE);
  const qualified = new Map(qualifying?.cars.map((car) => [car.number, car]));
  const contestants = race.cars.map((car): Contestant => {
    const gridPlace = gridPlaceOf(car, race);
    const { position, reachedQ3 } =
      qualifying === null
        ? { position: gridPlace, reachedQ3: gridPlace !== null && gridPlace <= Q3_PLACES }
        : (qualified.get(car.number) ?? { position: null, reachedQ3: false });
    return {
      ...contestantOf(car, (car.lapsCompleted ?? 0) >= classifiedLaps),
      gridPlace,
      qualifyingPlace: position,
      reachedQ3,
      fastestLap: car.number === race.fastestLap,
    };
  });
  return fantasyScores(rules[sessionType], contestants);
}

/** Of a race that goes on, with places as they are now. */
export function runningScores(
  rules: FantasyRules,
  race: SessionOutcome,
  sessionType: FantasySessionType,
): readonly FantasyScore<ProvisionalBreakdown>[] {
  const contestants = race.cars.map((car) => contestantOf(car, !car.out));
  return provisionalScores(rules[sessionType], contestants);
}

/** Without what is known at the end alone. */
function contestantOf({ number, driver, name, tla, team, position }: CarOutcome, placed: boolean): Contestant {
  return {
    driver: driver ?? number,
    name: name ?? number,
    tla: tla ?? '',
    team,
    finish: placed && position !== null ? { kind: 'classified', position } : { kind: 'did_not_finish' },
    gridPlace: null,
    qualifyingPlace: null,
    reachedQ3: false,
    fastestLap: false,
  };
}

/** Whoever is not on a grid that is known starts from the pit lane, behind it. */
function gridPlaceOf({ gridPlace }: CarOutcome, { cars }: SessionOutcome): number | null {
  const isKnown = cars.some((car) => car.gridPlace !== null);
  return isKnown ? (gridPlace ?? cars.length) : null;
}
