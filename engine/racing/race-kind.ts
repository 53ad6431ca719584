// How a Grand Prix and a sprint differ: in points and length.

export type RaceKind = 'grand_prix' | 'sprint';

/** The names under which the upstream has had sprints among its races; the second one only in 2021. */
const SPRINT_NAMES: readonly unknown[] = ['Sprint', 'Sprint Qualifying'];

/** By the name of a race. */
export function raceKindOf(name: unknown): RaceKind {
  return SPRINT_NAMES.includes(name) ? 'sprint' : 'grand_prix';
}

const GRAND_PRIX = [25, 18, 15, 12, 10, 8, 6, 4, 2, 1];
const SPRINT_2021 = [3, 2, 1];
const SPRINT = [8, 7, 6, 5, 4, 3, 2, 1];

/** Points by place, without the point for the fastest lap (2019 to 2024) and double points (the last race of 2014). */
export function pointsOf(season: number, kind: RaceKind): readonly number[] {
  if (kind === 'grand_prix') return GRAND_PRIX;
  return season === 2021 ? SPRINT_2021 : SPRINT;
}

/** The share of all retirements that happen on the first lap; published for the seasons 2014 to 2019. */
const FIRST_LAP_SHARE = 0.364;
const SPRINT_LENGTH = 1 / 3;

/** Returns the risk of incidents relative to a Grand Prix. A sprint has a full first lap, and a third of the rest. */
export function exposureOf(kind: RaceKind): number {
  return kind === 'grand_prix' ? 1 : FIRST_LAP_SHARE + (1 - FIRST_LAP_SHARE) * SPRINT_LENGTH;
}
