// Scores a race or sprint from the outcome of its session, running or finished. The outcome comes from timing data, so
// later decisions of the stewards are missing: no car is disqualified, and a car that never started counts as not
// finished.

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

/** A car is classified if it completed this share of the winner's laps, rounded down to whole laps. */
const CLASSIFIED_SHARE = 0.9;

/** Whether the outcome shows who finished. A session without timing data does not. */
export function isScorable({ cars }: SessionOutcome): boolean {
  return cars.some(({ position, lapsCompleted }) => position === 1 && lapsCompleted !== null);
}

/**
 * Scores a finished session. `qualifying` is the outcome of the weekend's qualifying. Null: not known; the place on the
 * grid stands in for the place in qualifying.
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

/** Scores a running race by its current places. */
export function runningScores(
  rules: FantasyRules,
  race: SessionOutcome,
  sessionType: FantasySessionType,
): readonly FantasyScore<ProvisionalBreakdown>[] {
  const contestants = race.cars.map((car) => contestantOf(car, !car.out));
  return provisionalScores(rules[sessionType], contestants);
}

/** Leaves out what is known only at the end. */
function contestantOf(
  { number, driver, name, tla, team, constructorId, position }: CarOutcome,
  placed: boolean,
): Contestant {
  return {
    driver: driver ?? number,
    name: name ?? number,
    tla: tla ?? '',
    team,
    constructorId,
    finish: placed && position !== null ? { kind: 'classified', position } : { kind: 'did_not_finish' },
    gridPlace: null,
    qualifyingPlace: null,
    reachedQ3: false,
    fastestLap: false,
  };
}

/** If the grid is known, a car that is not on it starts from the pit lane, behind all others. */
function gridPlaceOf({ gridPlace }: CarOutcome, { cars }: SessionOutcome): number | null {
  const isKnown = cars.some((car) => car.gridPlace !== null);
  return isKnown ? (gridPlace ?? cars.length) : null;
}
