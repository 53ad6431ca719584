// The name and id of a team for customers: those of live timing in that season, so feeds, previews and scores agree.
// The race history mostly has the same names.

import { slugOf } from '#engine/racing/slug.ts';
import type { HistoryConstructor } from './history.ts';

/** Both as in the identity of a driver in the feeds. */
export interface TeamName {
  readonly team: string;
  /** Slug of the name. Null: the race history does not have the team. */
  readonly constructorId: string | null;
}

interface LiveName {
  readonly name: string;
  readonly firstSeason: number;
  readonly lastSeason: number;
}

const always = (name: string): LiveName => ({ name, firstSeason: 0, lastSeason: Number.POSITIVE_INFINITY });

/** Where live timing uses another name than the race history, by the id of the history. */
const LIVE_NAMES: ReadonlyMap<string, LiveName> = new Map([
  ['red-bull', always('Red Bull Racing')],
  ['haas', always('Haas F1 Team')],
  ['alfa-romeo', { name: 'Alfa Romeo Racing', firstSeason: 2019, lastSeason: 2021 }],
]);

/** `constructorId` is the id of the race history. */
export function teamName(
  constructors: ReadonlyMap<string, HistoryConstructor>,
  constructorId: string,
  season: number,
): TeamName {
  const known = constructors.get(constructorId);
  if (known === undefined) return { team: constructorId, constructorId: null };
  const live = LIVE_NAMES.get(constructorId);
  const applies = live !== undefined && season >= live.firstSeason && season <= live.lastSeason;
  const team = applies ? live.name : known.name;
  return { team, constructorId: slugOf(team) };
}
