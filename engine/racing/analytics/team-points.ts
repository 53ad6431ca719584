// analytics.team-points: the points that each team may score in the race, with its cars taken together.

import type { Content } from '#engine/racing/normalise/normaliser.ts';
import type { SessionState } from '#engine/racing/session/session-state.ts';
import { slugOf } from '#engine/racing/slug.ts';
import type { TeamPointsDriver, TeamPointsTeam } from '#schemas/webhook/analytics-team-points.ts';
import type { RaceModel } from './analytics-model.ts';
import { pointsTable, tellsPoints } from './championship-points.ts';
import type { OddsMaker } from './odds.ts';
import { PointsGained } from './points-gained.ts';
import type { RacePicture } from './race-picture.ts';
import { rounded } from './rounded.ts';
import type { LatestTeamGains, TeamGain } from './team-gains.ts';

export class TeamPoints implements RaceModel {
  readonly feed = 'analytics.team-points';
  readonly #maker: OddsMaker;
  readonly #gains: LatestTeamGains;

  /** Only reads the maker's latest odds. The race odds model, which runs earlier, computes them. */
  constructor(maker: OddsMaker, gains: LatestTeamGains) {
    this.#maker = maker;
    this.#gains = gains;
  }

  emit(_picture: RacePicture, state: SessionState): Content | null {
    const { odds } = this.#maker;
    if (odds === null || !tellsPoints(state)) return null;
    const points = pointsTable(state);
    const gains = [...this.#gains.of(odds, state, points)];
    if (gains.length === 0) return null;
    const drivers = odds.standings.map(({ car }, place): TeamPointsDriver => {
      const gained = PointsGained.of(odds.standings.length, (position) => odds.chance(place, position), points);
      return {
        ...state.driver(car.number),
        pointsExpected: rounded(gained.mean, 3),
        pointsProbability: rounded(1 - gained.atMost(0), 5),
      };
    });
    const teams = gains
      .map(([team, gain]) => teamOf(team, gain))
      .sort((a, b) => b.pointsExpected - a.pointsExpected || (a.team < b.team ? -1 : 1));
    return { session: { lapsLeft: odds.lapsLeft }, drivers, teams };
  }

  emitFinal(picture: RacePicture, state: SessionState): Content | null {
    return this.emit(picture, state);
  }
}

function teamOf(team: string, { gained, cars, bothInPoints, bothOnPodium, oneTwo }: TeamGain): TeamPointsTeam {
  return {
    team,
    constructorId: slugOf(team),
    driverNumbers: [...cars],
    pointsExpected: rounded(gained.mean, 3),
    pointsLow: gained.quantile(0.1),
    pointsMedian: gained.quantile(0.5),
    pointsHigh: gained.quantile(0.9),
    pointsProbability: rounded(1 - gained.atMost(0), 5),
    bothInPointsProbability: rounded(bothInPoints, 5),
    bothOnPodiumProbability: rounded(bothOnPodium, 5),
    oneTwoProbability: rounded(oneTwo, 5),
  };
}
