// The rules of fantasy scores, as a named table: a score names the rules it follows, and more tables can be added.
// Scores are estimates: no operator of a fantasy game has confirmed these rules.
//
// `legacy-1` is the official table from before 2023, as several independent copies give it. Each member of a breakdown
// is one of its lines. Lines without such a member are left out: points for leaving in Q1 or Q2, the point for
// finishing, streaks, and constructors' scores. For sprints only the points by position are known (8 to 1, official
// since about 2024). We decided the rest: qualifying counts for the Grand Prix; positions gained, team mates and
// penalties count as in a race; the fastest lap of a sprint scores nothing, because the race history does not say who
// drove it.

/** Points for each place, up to a total of `most`. */
export interface PlacePoints {
  readonly each: number;
  readonly most: number;
}

export interface FantasySessionRules {
  /** Points by position, from the first. */
  readonly race: readonly number[];
  readonly qualifying: readonly number[];
  readonly reachedQ3: number;
  readonly gained: PlacePoints;
  /** Applies to a start among the first `topStarts`; `lost` applies to all others. */
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
