// Scores of those who took part in a weekend, by a set of rules, wherever it is known from how they did. Decided where the rules
// are silent:
//
// - Who is classified has finished, whether he still ran at the end or not. Who is not has neither gained nor lost places: the
//   penalty stands for that. Who did not start gets nothing of the race, and no penalty.
// - Team mates are the others of the same team at the weekend. Whoever has a place beats those behind him and those without
//   one; with more than one mate he has to beat them all. Where nobody has a place, or two share one, nobody beats anybody.
// - A start from the pit lane is the last of the grid, in the grid's order.
// - The fastest lap counts whatever became of the car, unless it was disqualified.

import type { FantasySessionRules } from '#schemas/fantasy/fantasy-rules.ts';

export type Finish =
  | { readonly kind: 'classified'; readonly position: number }
  | { readonly kind: 'did_not_finish' | 'disqualified' | 'did_not_start' };

/** A driver at a weekend, and how he did. */
export interface Contestant {
  /** Slug of the name. */
  readonly driver: string;
  readonly name: string;
  readonly tla: string;
  /** Team mates have the same; null: not known. */
  readonly team: string | null;
  readonly finish: Finish;
  /** Place in the grid's order, from 1; null: not on it, or not known. */
  readonly gridPlace: number | null;
  /** Place in qualifying, from 1; null: none. */
  readonly qualifyingPlace: number | null;
  readonly reachedQ3: boolean;
  readonly fastestLap: boolean;
}

export interface Breakdown {
  readonly racePosPoints: number;
  readonly qualiPosPoints: number;
  readonly q3Bonus: number;
  /** Places, fewer than none when lost. */
  readonly positionsGained: number;
  readonly positionsGainedPoints: number;
  readonly fastestLapPoints: number;
  readonly beatTeammateRace: number;
  readonly beatTeammateQuali: number;
  readonly dnfPenalty: number;
  /** Sum of all points above. */
  readonly total: number;
}

/** What is decided only at the end is null before it. */
export type ProvisionalBreakdown = {
  readonly [Member in keyof Breakdown]: Member extends 'racePosPoints' | 'beatTeammateRace' | 'dnfPenalty' | 'total'
    ? number
    : null;
};

export interface FantasyScore<Parts = Breakdown> {
  readonly driver: string;
  readonly tla: string;
  readonly team: string;
  readonly breakdown: Parts;
}

/** By total, highest first; equal ones by finishing place, then by name. */
export function fantasyScores(rules: FantasySessionRules, contestants: readonly Contestant[]): readonly FantasyScore[] {
  return ranked(contestants, (contestant) => breakdownOf(rules, contestant, contestants));
}

/** While the session goes on, with its places as they are: only what the race itself gives. */
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
    .map(({ contestant: { driver, tla, team }, breakdown }) => ({ driver, tla, team: team ?? '', breakdown }));
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
