// Scores the drivers of a weekend by a set of rules, whatever the source of the results. Where the rules are silent, we
// decided:
//
// - A classified driver has finished, even if his car was not running at the end. An unclassified driver neither gains
//   nor loses places: the penalty covers that. A driver who did not start gets nothing from the race, and no penalty.
// - Teammates are the other drivers of the same team at the weekend. A driver with a place beats teammates behind him
//   or without a place; with several teammates he must beat them all. A driver without a place, or with a shared one,
//   beats none.
// - Starts from the pit lane rank last, in the order of the grid list.
// - The fastest lap counts whatever happens to the car later, unless it is disqualified.

import type { FantasySessionRules } from '#schemas/fantasy/fantasy-rules.ts';

export type Finish =
  | { readonly kind: 'classified'; readonly position: number }
  | { readonly kind: 'did_not_finish' | 'disqualified' | 'did_not_start' };

/** A driver at a weekend with his results. */
export interface Contestant {
  /** Slug of the name. */
  readonly driver: string;
  readonly name: string;
  readonly tla: string;
  /** The same for teammates. Null: not known. */
  readonly team: string | null;
  /** Slug of the team's name. Null: not known. */
  readonly constructorId: string | null;
  readonly finish: Finish;
  /** Place on the grid, from 1. Null: not on the grid, or not known. */
  readonly gridPlace: number | null;
  /** Place in qualifying, from 1. Null: none. */
  readonly qualifyingPlace: number | null;
  readonly reachedQ3: boolean;
  readonly fastestLap: boolean;
}

export interface Breakdown {
  readonly racePosPoints: number;
  readonly qualiPosPoints: number;
  readonly q3Bonus: number;
  /** Negative: places lost. */
  readonly positionsGained: number;
  readonly positionsGainedPoints: number;
  readonly fastestLapPoints: number;
  readonly beatTeammateRace: number;
  readonly beatTeammateQuali: number;
  readonly dnfPenalty: number;
  /** Sum of all points above. */
  readonly total: number;
}

/** Parts that are decided only at the end of the race are null. */
export type ProvisionalBreakdown = {
  readonly [Member in keyof Breakdown]: Member extends 'racePosPoints' | 'beatTeammateRace' | 'dnfPenalty' | 'total'
    ? number
    : null;
};

export interface FantasyScore<Parts = Breakdown> {
  readonly driver: string;
  readonly tla: string;
  readonly team: string;
  readonly constructorId: string | null;
  readonly breakdown: Parts;
}

/** By total, highest first. Ties are broken by finishing place, then by name. */
export function fantasyScores(rules: FantasySessionRules, contestants: readonly Contestant[]): readonly FantasyScore[] {
  return ranked(contestants, (contestant) => breakdownOf(rules, contestant, contestants));
}

/** Scores a running session by its current places. Only the parts that the race itself gives. */
export function provisionalScores(
  rules: FantasySessionRules,
  contestants: readonly Contestant[],
): readonly FantasyScore<ProvisionalBreakdown>[] {
  return ranked(contestants, (contestant) => {
    const { racePosPoints, beatTeammateRace, dnfPenalty } = breakdownOf(rules, contestant, contestants);
    return {
      racePosPoints,
      qualiPosPoints: null,
      q3Bonus: null,
      positionsGained: null,
      positionsGainedPoints: null,
      fastestLapPoints: null,
      beatTeammateRace,
      beatTeammateQuali: null,
      dnfPenalty,
      total: racePosPoints + beatTeammateRace + dnfPenalty,
    };
  });
}

function ranked<Parts extends { readonly total: number }>(
  contestants: readonly Contestant[],
  partsOf: (contestant: Contestant) => Parts,
): readonly FantasyScore<Parts>[] {
  return contestants
    .map((contestant) => ({ contestant, breakdown: partsOf(contestant) }))
    .sort(
      (a, b) =>
        b.breakdown.total - a.breakdown.total ||
        (racePlace(a.contestant) ?? Number.MAX_VALUE) - (racePlace(b.contestant) ?? Number.MAX_VALUE) ||
        (a.contestant.name < b.contestant.name ? -1 : 1),
    )
    .map(({ contestant: { driver, tla, team, constructorId }, breakdown }) => {
      return { driver, tla, team: team ?? '', constructorId, breakdown };
    });
}

function breakdownOf(
  rules: FantasySessionRules,
  contestant: Contestant,
  contestants: readonly Contestant[],
): Breakdown {
  const { finish, gridPlace, qualifyingPlace } = contestant;
  const place = racePlace(contestant);
  const positionsGained = place === null || gridPlace === null ? 0 : gridPlace - place;
  const racePosPoints = pointsFor(rules.race, place);
  const qualiPosPoints = pointsFor(rules.qualifying, qualifyingPlace);
  const q3Bonus = contestant.reachedQ3 ? rules.reachedQ3 : 0;
  const positionsGainedPoints = gainedPoints(rules, positionsGained, gridPlace);
  const fastestLapPoints = contestant.fastestLap && finish.kind !== 'disqualified' ? rules.fastestLap : 0;
  const beatTeammateRace = beats(contestant, contestants, racePlace) ? rules.beatTeammateRace : 0;
  const beatTeammateQuali = beats(contestant, contestants, (one) => one.qualifyingPlace) ? rules.beatTeammateQuali : 0;
  const dnfPenalty = penaltyFor(rules, finish);
  return {
    racePosPoints,
    qualiPosPoints,
    q3Bonus,
    positionsGained,
    positionsGainedPoints,
    fastestLapPoints,
    beatTeammateRace,
    beatTeammateQuali,
    dnfPenalty,
    total:
      racePosPoints +
      qualiPosPoints +
      q3Bonus +
      positionsGainedPoints +
      fastestLapPoints +
      beatTeammateRace +
      beatTeammateQuali +
      dnfPenalty,
  };
}

function racePlace({ finish }: Contestant): number | null {
  return finish.kind === 'classified' ? finish.position : null;
}

function pointsFor(table: readonly number[], place: number | null): number {
  return place === null ? 0 : (table[place - 1] ?? 0);
}

function gainedPoints(rules: FantasySessionRules, gained: number, gridPlace: number | null): number {
  if (gained === 0) return 0;
  if (gained > 0) return Math.min(gained * rules.gained.each, rules.gained.most);
  const { each, most } = gridPlace! <= rules.topStarts ? rules.lostFromTop : rules.lost;
  return Math.max(-gained * each, most);
}

function beats(
  contestant: Contestant,
  contestants: readonly Contestant[],
  placeOf: (contestant: Contestant) => number | null,
): boolean {
  const place = placeOf(contestant);
  if (place === null || contestant.team === null) return false;
  const mates = contestants.filter((other) => other !== contestant && other.team === contestant.team);
  return mates.length > 0 && mates.every((mate) => (placeOf(mate) ?? Number.MAX_VALUE) > place);
}

function penaltyFor(rules: FantasySessionRules, { kind }: Finish): number {
  if (kind === 'did_not_finish') return rules.didNotFinish;
  return kind === 'disqualified' ? rules.disqualified : 0;
}
