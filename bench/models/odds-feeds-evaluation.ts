// Evaluates the feeds that follow from the race odds, winning margin and team points, on races that nothing was fitted on:
// the Grands Prix of 2022 and the sprints of 2022 to 2024, season by season. Each race counts once: its loss is the mean
// over its moments, of a quarter or of all.
//
// Winning margin: RPS over the bounds whose chances are sent, against the official gap between the first two. Beside it: a
// line of the gap now, in each quarter, and the shares of past margins. Both know 2018 to 2021.
// Team points: RPS of the points of the cars that have odds, a mean over teams. Beside it: the smoothed order, and the odds
// with the cars of a team independent of each other.

import { OddsMaker } from '#engine/racing/analytics/odds.ts';
import { PointsGained } from '#engine/racing/analytics/points-gained.ts';
import { teamGains } from '#engine/racing/analytics/team-gains.ts';
import { pointsOf } from '#engine/racing/race-kind.ts';
import type { History } from '#engine/seasons/history/history.ts';
import { resultOf, smoothedOrder } from './live-evaluation.ts';
import { marginCases, marginLoss, marginShares, marginsByGap, toldMargins } from './margin-cases.ts';
import type { OddsCase } from './odds-cases.ts';
import { tabledOddsCases } from './odds-history.ts';
import { mean, type PairedDifference, pairedDifference } from './scoring.ts';

const PAST_SEASONS = [2018, 2019, 2020, 2021] as const;
const LEFT_OUT_SEASONS = [2022, 2023, 2024] as const;

/** One feed on one group of races. */
export interface OddsFeedScore {
  readonly feed: string;
  readonly group: string;
  /** From 1; null: all moments. */
  readonly quarter: number | null;
  readonly races: number;
  readonly loss: number;
  /** By simple rule: the loss of the feed less its own. */
  readonly differences: Readonly<Record<string, PairedDifference>>;
}

/** Losses of one moment: of the feed, and of each simple rule. */
interface Scored {
  readonly moment: OddsCase;
  readonly loss: number;
  readonly simple: Readonly<Record<string, number>>;
}

/** `laps`: the tables of laps. Missing ones are skipped. */
export function evaluateOddsFeeds(history: History, laps: string): readonly OddsFeedScore[] {
  const later = tabledOddsCases(laps, LEFT_OUT_SEASONS, history);
  const past = tabledOddsCases(laps, PAST_SEASONS, history).filter(({ sessionId }) => !isSprint(sessionId));
  if (past.length === 0 || later.length === 0) return [];
  return [
    ...summaries('analytics.winning-margin', marginScores(past, later, history)),
    ...summaries('analytics.team-points', teamScores(later, history)),
  ];
}

function marginScores(past: readonly OddsCase[], later: readonly OddsCase[], history: History): readonly Scored[] {
  const known = marginCases(past, history);
  const cases = marginCases(later, history);
  const byGap = marginsByGap(known);
  const shares = marginShares(known);
  return toldMargins(cases).map((told, index) => {
    const one = cases[index]!;
    return {
      moment: one.moment,
      loss: marginLoss(told, one),
      simple: { 'line of the gap': marginLoss(byGap(one), one), 'past shares': marginLoss(shares, one) },
    };
  });
}

function teamScores(later: readonly OddsCase[], history: History): readonly Scored[] {
  const maker = new OddsMaker();
  return later.map((moment) => {
    const { sessionId, season, situation, places } = moment;
    const teams = new Map(resultOf(sessionId, history).map(({ number, constructorId }) => [number, constructorId]));
    const points = pointsOf(season, isSprint(sessionId) ? 'sprint' : 'grand_prix');
    const odds = maker.oddsOf(situation);
    const { standings, lapsLeft, fullLaps } = situation.field;
    const smoothed = smoothedOrder(standings.length, lapsLeft / fullLaps);
    const own = (team: string) =>
      [...standings.keys()].filter((place) => teams.get(standings[place]!.car.number) === team);
    const apart = (team: string, chance: (place: number, position: number) => number) =>
      own(team)
        .map((place) => PointsGained.of(standings.length, (position) => chance(place, position), points))
        .reduce((sum, gain) => sum.plus(gain), PointsGained.nothing());
    const scored = [...teamGains(odds, (number) => teams.get(number) ?? null, points)].map(([team, { gained }]) => {
      const truth = own(team).reduce((sum, place) => sum + (points[places[place]!] ?? 0), 0);
      const most = points[0]! + points[1]!;
      return {
        loss: pointsLoss(gained, truth, most),
        smoothed: pointsLoss(
          apart(team, (place, position) => smoothed[place]![position - 1]!),
          truth,
          most,
        ),
        apart: pointsLoss(
          apart(team, (place, position) => odds.chance(place, position)),
          truth,
          most,
        ),
      };
    });
    return {
      moment,
      loss: mean(scored.map(({ loss }) => loss)),
      simple: {
        'smoothed order': mean(scored.map((one) => one.smoothed)),
        'cars independent': mean(scored.map((one) => one.apart)),
      },
    };
  });
}

/** RPS over whole points. */
function pointsLoss(gained: PointsGained, truth: number, most: number): number {
  let sum = 0;
  for (let points = 0; points < most; points++) sum += (gained.atMost(points) - (truth <= points ? 1 : 0)) ** 2;
  return sum / most;
}

function isSprint(sessionId: string): boolean {
  return sessionId.endsWith('-sprint');
}

function summaries(feed: string, scored: readonly Scored[]): readonly OddsFeedScore[] {
  const groups = Map.groupBy(scored, ({ moment: { sessionId, season } }) =>
    isSprint(sessionId) ? `sprints ${season}` : `Grands Prix ${season}`,
  );
  return [...groups].flatMap(([group, all]) =>
    [1, 2, 3, 4, null].flatMap((quarter) => {
      const there = quarter === null ? all : all.filter(({ moment }) => moment.quarter === quarter);
      const races = [...Map.groupBy(there, ({ moment }) => moment.sessionId).values()];
      if (races.length < 2) return [];
      const losses = races.map((one) => mean(one.map(({ loss }) => loss)));
      const differences = Object.fromEntries(
        Object.keys(there[0]!.simple).map((rule) => [
          rule,
          pairedDifference(
            losses,
            races.map((one) => mean(one.map(({ simple }) => simple[rule]!))),
          ),
        ]),
      );
      return [{ feed, group, quarter, races: races.length, loss: mean(losses), differences }];
    }),
  );
}

export function describeOddsFeeds(scores: readonly OddsFeedScore[]): string {
  const signed = ({ mean: value, standardError }: PairedDifference) =>
    `${value >= 0 ? '+' : ''}${value.toFixed(4)} (${standardError.toFixed(4)})`;
  return [
    'Feeds made from the odds, on races left out: RPS; less that of each simple rule, race by race (SE)',
    ...scores.map(
      ({ feed, group, quarter, races, loss, differences }) =>
        `  ${feed}, ${group}, ${quarter === null ? 'all moments' : `quarter ${quarter}`}, ${races} races: ` +
        `${loss.toFixed(4)}; ${Object.entries(differences)
          .map(([rule, difference]) => `${rule} ${signed(difference)}`)
          .join('; ')}`,
    ),
  ].join('\n');
}
