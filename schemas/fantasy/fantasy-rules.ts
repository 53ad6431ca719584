// What a fantasy score is made of. A table with a name, so that a score says which rules it follows and another table can stand
// beside it. Scores are estimates: no operator of a game has confirmed these rules.
//
// `legacy-1` is the table that was played officially before 2023, as found in several independent copies of it: it is the one
// whose lines are the members of a breakdown. Left out, because no member stands for them: points for leaving in Q1 or Q2,
// the point for finishing, streaks, and the scores of constructors. Of a sprint only the table of points is known (8 to 1, as
// officially since about 2024). Decided here: qualifying belongs to the Grand Prix; places, team mate and penalties count as
// in the race; there are no points for the fastest lap of a sprint, since the history does not tell who drove it.

/** Points for each place, and as many at most. */
export interface PlacePoints {
  readonly each: number;
  readonly most: number;
}

export interface FantasySessionRules {
  /** From the first place on. */
  readonly race: readonly number[];
  readonly qualifying: readonly number[];
  readonly reachedQ3: number;
  readonly gained: PlacePoints;
  /** Lost from a start among the first `topStarts`, and from further back. */
  readonly lostFromTop: PlacePoints;
  readonly lost: PlacePoints;
  readonly topStarts: number;
  readonly fastestLap: number;
  readonly beatTeammateRace: number;
  readonly beatTeammateQuali: number;
  readonly didNotFinish: number;
  readonly disqualified: number;
}

export type FantasySessionType = 'grand_prix' | 'sprint';

export interface FantasyRules extends Readonly<Record<FantasySessionType, FantasySessionRules>> {
  readonly id: string;
}

const GRAND_PRIX: FantasySessionRules = {
  race: [25, 18, 15, 12, 10, 8, 6, 4, 2, 1],
  qualifying: [10, 9, 8, 7, 6, 5, 4, 3, 2, 1],
  reachedQ3: 3,
  gained: { each: 2, most: 10 },
  lostFromTop: { each: -2, most: -10 },
  lost: { each: -1, most: -5 },
  topStarts: 10,
  fastestLap: 5,
  beatTeammateRace: 3,
  beatTeammateQuali: 2,
  didNotFinish: -15,
  disqualified: -20,
};

export const FANTASY_RULES: FantasyRules = {
  id: 'legacy-1',
  grand_prix: GRAND_PRIX,
  sprint: {
    ...GRAND_PRIX,
    race: [8, 7, 6, 5, 4, 3, 2, 1],
    qualifying: [],
    reachedQ3: 0,
    fastestLap: 0,
    beatTeammateQuali: 0,
  },
};
