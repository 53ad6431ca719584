// What each team may gain in a race: the joint final positions of its cars, and their points.

import type { SessionState } from '#engine/racing/session/session-state.ts';
import type { Odds } from './odds.ts';
import { PairPositions } from './pair-positions.ts';
import { PointsGained } from './points-gained.ts';

export interface TeamGain {
  readonly gained: PointsGained;
  /** The cars still racing, by number. */
  readonly cars: readonly string[];
  readonly bothInPoints: number;
  readonly bothOnPodium: number;
  readonly oneTwo: number;
}

const PODIUM = 3;
const pair = new PairPositions();

/** Those of the latest odds, worked out once for all models that ask. */
export class LatestTeamGains {
  #odds: Odds | null = null;
  #points: readonly number[] = [];
  #identityVersion = -1;
  #gains: ReadonlyMap<string, TeamGain> = new Map();

  of(odds: Odds, state: SessionState, points: readonly number[]): ReadonlyMap<string, TeamGain> {
    const { identityVersion } = state;
    if (odds !== this.#odds || points !== this.#points || identityVersion !== this.#identityVersion) {
      this.#odds = odds;
      this.#points = points;
      this.#identityVersion = identityVersion;
      this.#gains = teamGains(odds, (number) => state.driver(number).team, points);
    }
    return this.#gains;
  }
}

/** By team, those with a car still racing. `teamOf`: by racing number; null: not known. */
export function teamGains(
  odds: Odds,
  teamOf: (number: string) => string | null,
  points: readonly number[],
): ReadonlyMap<string, TeamGain> {
  const places = Map.groupBy(odds.standings.keys(), (place) => teamOf(odds.standings[place]!.car.number));
  const gains = new Map<string, TeamGain>();
  for (const [team, own] of places) if (team !== null) gains.set(team, gainOf(own, odds, points));
  return gains;
}

function gainOf(own: readonly number[], odds: Odds, points: readonly number[]): TeamGain {
  const positions = odds.standings.length;
  const cars = own.map((place) => odds.standings[place]!.car.number);
  const of = (place: number) => (position: number) => odds.chance(place, position);
  const [one, other] = own;
  // A third car, which no team of today has, is treated as independent.
  if (one === undefined || other === undefined || own.length > 2) {
    const gained = own
      .map((place) => PointsGained.of(positions, of(place), points))
      .reduce((sum, gain) => sum.plus(gain), PointsGained.nothing());
    return { gained, cars, bothInPoints: 0, bothOnPodium: 0, oneTwo: 0 };
  }
  pair.of(positions, of(one), of(other));
  const both = (last: number) => {
    let sum = 0;
    for (let first = 1; first <= Math.min(last, positions); first++)
      for (let second = 1; second <= Math.min(last, positions); second++) sum += pair.chance(first, second);
    return sum;
  };
  return {
    gained: PointsGained.ofPair(positions, (first, second) => pair.chance(first, second), points),
    cars,
    bothInPoints: both(points.length),
    bothOnPodium: both(PODIUM),
    oneTwo: both(2),
  };
}
