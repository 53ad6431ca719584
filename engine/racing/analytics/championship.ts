// analytics.championship: the points that drivers and teams may gain, given the race odds, and the championship
// positions that would give them.

import type { Content } from '#engine/racing/normalise/normaliser.ts';
import type { SessionState } from '#engine/racing/session/session-state.ts';
import { slugOf } from '#engine/racing/slug.ts';
import type { ChampionshipDriver, ChampionshipTeam } from '#schemas/webhook/analytics-championship.ts';
import type { RaceModel } from './analytics-model.ts';
import { driversBefore, pointsTable, type StandingBefore, teamsBefore, tellsPoints } from './championship-points.ts';
import type { OddsMaker } from './odds.ts';
import { PointsGained } from './points-gained.ts';
import type { RacePicture } from './race-picture.ts';
import { rounded } from './rounded.ts';
import type { LatestTeamGains } from './team-gains.ts';

type Gain = Omit<ChampionshipTeam, 'team' | 'constructorId'>;

export class Championship implements RaceModel {
  readonly feed = 'analytics.championship';
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
    const drivers = new Map<string, PointsGained>();
    for (const [index, { car }] of odds.standings.entries()) {
      drivers.set(
        car.number,
        PointsGained.of(odds.standings.length, (position) => odds.chance(index, position), points),
      );
    }
    for (const number of state.positions.keys()) if (!drivers.has(number)) drivers.set(number, PointsGained.nothing());
    const teams = new Map<string, PointsGained>();
    for (const number of drivers.keys()) {
      const { team } = state.driver(number);
      if (team !== null) teams.set(team, PointsGained.nothing());
    }
    for (const [team, { gained }] of this.#gains.of(odds, state, points)) teams.set(team, gained);
    const byDriver = gainsOf(drivers, driversBefore(state));
    const byTeam = gainsOf(teams, teamsBefore(state));
    return {
      drivers: byDriver.map(([number, gain]): ChampionshipDriver => ({ ...state.driver(number), ...gain })),
      teams: byTeam.map(([team, gain]): ChampionshipTeam => ({ team, constructorId: slugOf(team), ...gain })),
    };
  }

  emitFinal(picture: RacePicture, state: SessionState): Content | null {
    return this.emit(picture, state);
  }
}

/** By name. The largest expected gain comes first. */
function gainsOf(
  gained: ReadonlyMap<string, PointsGained>,
  before: ReadonlyMap<string, StandingBefore> | null,
): [name: string, gain: Gain][] {
  const means = new Map([...gained].map(([name, points]) => [name, points.mean]));
  const places = before === null ? null : placesAfter(means, before);
  return [...gained]
    .map(([name, points]): [string, Gain] => {
      const standing = before?.get(name) ?? null;
      return [
        name,
        {
          pointsGainedExpected: rounded(means.get(name)!, 3),
          pointsGainedLow: points.quantile(0.1),
          pointsGainedMedian: points.quantile(0.5),
          pointsGainedHigh: points.quantile(0.9),
          pointsBefore: standing?.points ?? null,
          pointsAfterExpected: standing === null ? null : rounded(standing.points + means.get(name)!, 3),
          championshipPositionBefore: standing?.position ?? null,
          championshipPositionExpected: places?.get(name) ?? null,
        },
      ];
    })
    .sort(([a, one], [b, two]) => two.pointsGainedExpected - one.pointsGainedExpected || (a < b ? -1 : 1));
}

/** Expected positions of all in the championship, including those who do not race today. */
function placesAfter(
  means: ReadonlyMap<string, number>,
  before: ReadonlyMap<string, StandingBefore>,
): ReadonlyMap<string, number> {
  const totals = [...before].map(([name, { points }]): [string, number] => [name, points + (means.get(name) ?? 0)]);
  totals.sort(([a, one], [b, two]) => two - one || (a < b ? -1 : 1));
  return new Map(totals.map(([name], index) => [name, index + 1]));
}
