// Who takes part in a race, and from where.

import type { RaceKind } from '#engine/racing/race-kind.ts';
import type { GridPlace, History } from '#engine/seasons/history/history.ts';
import { slotsOf } from './grid-effect.ts';
import type { Entrant } from './ratings.ts';

/** Sorted by id, so the order of rows in the history does not affect the random draws. */
export interface Field {
  readonly entrants: readonly Entrant[];
  /** Start positions from 1, in the order of the entrants. Null: the grid is not known. */
  readonly slots: readonly number[] | null;
}

/** The constructor of a driver whose team is not known. */
const NO_CONSTRUCTOR = 'unknown';

/** The field of `history.weekends[index]`, from earlier weekends, the entry list, and the grid if it is known. */
export function fieldOf(history: History, index: number, kind: RaceKind, grid: readonly string[] | null): Field {
  const expected = byDriver(expectedEntrants(history, index));
  const weekend = history.weekends[index]!;
  const recorded = kind === 'sprint' ? weekend.sprintGrid : weekend.grid;
  if (grid === null ? recorded.length === 0 : grid.length === 0) return { entrants: expected, slots: null };
  const slots = grid === null ? slotsOf(recorded) : new Map(grid.map((driverId, place) => [driverId, place + 1]));
  const entrants = byDriver(
    [...slots.keys()].map((driverId) => ({
      driverId,
      constructorId: constructorOf(driverId, recorded, expected, slots),
    })),
  );
  return { entrants, slots: entrants.map(({ driverId }) => slots.get(driverId)!) };
}

/**
 * The drivers entered for the round, if the history has them. Otherwise those of the season's latest race; before the
 * first race, the whole entry list; without one, those of the latest race of any season. The drivers of a round are
 * announced before its qualifying, so using them is no look-ahead. (Expecting a driver back after he missed one race is
 * wrong as often as right.)
 */
function expectedEntrants({ entries, weekends }: History, index: number): readonly Entrant[] {
  const { season, round } = weekends[index]!;
  const listed = entries.filter((entry) => entry.season === season);
  const entered = listed.filter(({ rounds }) => rounds.includes(round));
  if (entered.length > 0) return entered;
  const latest = weekends.findLast(({ results }, place) => place < index && results.length > 0);
  const regular = listed.filter(({ rounds, testDriver }) => rounds.length === 0 && !testDriver);
  if (latest === undefined || (latest.season !== season && regular.length > 0)) return regular;
  return latest.results;
}

function constructorOf(
  driverId: string,
  recorded: readonly GridPlace[],
  expected: readonly Entrant[],
  slots: ReadonlyMap<string, number>,
): string {
  const known = [...recorded, ...expected].find((entrant) => entrant.driverId === driverId);
  if (known !== undefined) return known.constructorId;
  // An unexpected driver replaces an expected one who is not on the grid.
  const vacant = expected.find((entrant) => !slots.has(entrant.driverId));
  return vacant?.constructorId ?? NO_CONSTRUCTOR;
}

function byDriver(entrants: readonly Entrant[]): readonly Entrant[] {
  const ordered = entrants
    .map(({ driverId, constructorId }) => ({ driverId, constructorId }))
    .sort((a, b) => compareIds(a.driverId, b.driverId) || compareIds(a.constructorId, b.constructorId));
  return ordered.filter(({ driverId }, index) => driverId !== ordered[index - 1]?.driverId);
}

function compareIds(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
