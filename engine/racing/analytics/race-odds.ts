// analytics.race-odds: the odds of every car still racing, the leader first.

import type { Content } from '#engine/racing/normalise/normaliser.ts';
import type { SessionState } from '#engine/racing/session/session-state.ts';
import type { RaceOddsDriver } from '#schemas/webhook/analytics-race-odds.ts';
import type { Driver } from '#schemas/webhook/driver.ts';
import type { RaceModel } from './analytics-model.ts';
import { pointsTable } from './championship-points.ts';
import type { Odds, OddsMaker } from './odds.ts';
import type { RacePicture } from './race-picture.ts';
import { rounded } from './rounded.ts';

export class RaceOdds implements RaceModel {
  readonly feed = 'analytics.race-odds';
  readonly #maker: OddsMaker;

  constructor(maker: OddsMaker) {
    this.#maker = maker;
  }

  emit(picture: RacePicture, state: SessionState): Content | null {
    const odds = this.#maker.make(picture);
    if (odds === null) return null;
    const points = pointsTable(state);
    const listed = odds.standings.map(({ car }) => state.driver(car.number));
    const drivers = listed.map((driver, index) => entryOf(driver, index, listed, odds, points));
    return { drivers, session: { lapsLeft: odds.lapsLeft } };
  }

  /** After the finish the odds are the final order on the road. */
  emitFinal(picture: RacePicture, state: SessionState): Content | null {
    return this.emit(picture, state);
  }
}

function entryOf(
  driver: Driver,
  index: number,
  listed: readonly Driver[],
  odds: Odds,
  points: readonly number[],
): RaceOddsDriver {
  const cars = listed.length;
  const positions: number[] = [];
  let podium = 0;
  let scores = 0;
  let expectedPosition = 0;
  let expectedPoints = 0;
  for (let position = 1; position <= cars; position++) {
    const chance = odds.chance(index, position);
    positions.push(rounded(chance, 5));
    if (position <= 3) podium += chance;
    if (position <= points.length) scores += chance;
    expectedPosition += position * chance;
    expectedPoints += (points[position - 1] ?? 0) * chance;
  }
  const mate = driver.team === null ? -1 : listed.findIndex((other) => other !== driver && other.team === driver.team);
  return {
    ...driver,
    winProbability: positions[0]!,
    podiumProbability: rounded(podium, 5),
    pointsProbability: rounded(scores, 5),
    expectedPosition: rounded(expectedPosition, 3),
    expectedPoints: rounded(expectedPoints, 3),
    retirementProbability: rounded(odds.retirement(index), 5),
    teammateNumber: listed[mate]?.number ?? null,
    beatsTeammateProbability: mate < 0 ? null : rounded(odds.beats(index, mate), 5),
    positionProbabilities: positions,
  };
}
