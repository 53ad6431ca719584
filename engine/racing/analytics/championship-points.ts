// Championship points: the table of points a race pays, and the points that drivers and teams had before it.
//
// The tables leave out the point for the fastest lap (2019 to 2024, for a driver in the top ten) and the reduced points
// of a shortened race.

import { integerOf, type JsonObject, numberOf, objectOf, textOf } from '#engine/base/json-value.ts';
import { pointsOf, raceKindOf } from '#engine/racing/race-kind.ts';
import { racingNumbers, type SessionState } from '#engine/racing/session/session-state.ts';

/** Whether the session's name is known: a sprint pays other points. */
export function tellsPoints(state: SessionState): boolean {
  return textOf(state.topic('SessionInfo').Name) !== null;
}

/** Points by finishing position, the winner's first; those of a Grand Prix until the session has a name. */
export function pointsTable(state: SessionState): readonly number[] {
  const { Name, StartDate } = state.topic('SessionInfo');
  const season = integerOf(textOf(StartDate)?.slice(0, 4)) ?? 0;
  return pointsOf(season, raceKindOf(Name));
}

/** A championship standing before the race. */
export interface StandingBefore {
  readonly points: number;
  /** Null: not reported. */
  readonly position: number | null;
}

/** By racing number. Null: the session reports no championship. */
export function driversBefore(state: SessionState): ReadonlyMap<string, StandingBefore> | null {
  const listed = objectOf(state.topic('ChampionshipPrediction').Drivers);
  const found = new Map<string, StandingBefore>();
  for (const number of racingNumbers(listed)) {
    const standing = standingOf(objectOf(listed[number]));
    if (standing !== null) found.set(number, standing);
  }
  return found.size === 0 ? null : found;
}

/** By the team name in the driver list. Null: the session reports no championship. */
export function teamsBefore(state: SessionState): ReadonlyMap<string, StandingBefore> | null {
  const listed = objectOf(state.topic('ChampionshipPrediction').Teams);
  const found = new Map<string, StandingBefore>();
  for (const entrant of Object.keys(listed)) {
    const team = objectOf(listed[entrant]);
    const standing = standingOf(team);
    if (standing !== null) found.set(textOf(team.TeamName) ?? entrant, standing);
  }
  return found.size === 0 ? null : found;
}

function standingOf({ CurrentPoints, CurrentPosition }: JsonObject): StandingBefore | null {
  const points = numberOf(CurrentPoints);
  return points === null ? null : { points, position: integerOf(CurrentPosition) };
}
