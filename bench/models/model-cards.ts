// The figures of the cards that GET /v1/feeds gives with each model: by season, each beside its simple rule, with the number
// of races and the standard error. The evaluations are those of `npm run bench -- models`.

import type { MeasuredFigure } from '#schemas/http/model-card.ts';
import type { LapFeedScore } from './lap-feeds-evaluation.ts';
import type { QuarterSummary } from './odds-evaluation.ts';
import type { OddsFeedScore } from './odds-feeds-evaluation.ts';
import type { EliminationSummary } from './qualifying-evaluation.ts';
import type { RaceFeedScores } from './race-feeds-evaluation.ts';
import { mean, type PairedDifference, pairedDifference } from './scoring.ts';
import type { SectorScore } from './sector-pace-evaluation.ts';

export type MeasuredFeeds = Readonly<Record<string, readonly MeasuredFigure[]>>;

const GROUP = /^(Grands Prix|sprints|recordings|history,) (\d{4})$/;
const RACES = {
  'Grands Prix': 'grand_prix',
  sprints: 'sprint',
  recordings: 'recording',
  'history,': 'qualifying',
} as const;

const STOPS_TO_COME = ['analytics.strategy', 'analytics.tire-strategy'];

/** The chances of the winner and of all places, beside the smoothed order. */
export function oddsFigures(summaries: readonly QuarterSummary[]): MeasuredFeeds {
  return {
    'analytics.race-odds': summaries.flatMap(({ group, quarter, races, losses, differences }) =>
      (['winner', 'places'] as const).flatMap((score) =>
        figure(
          `${score === 'winner' ? 'winner, log-loss' : 'all places, RPS'}, quarter ${quarter}`,
          group,
          races,
          losses.odds[score],
          'smoothed order',
          differences['order smoothed'][score],
        ),
      ),
    ),
  };
}

export function oddsFeedFigures(scores: readonly OddsFeedScore[]): MeasuredFeeds {
  const whats: Readonly<Record<string, string>> = {
    'analytics.winning-margin': 'margin, RPS',
    'analytics.team-points': 'points of a team, RPS',
  };
  const byFeed = grouped(scores, ({ feed, group, quarter, races, loss, differences }) => {
    const [rule, difference] = Object.entries(differences)[0]!;
    const what = `${whats[feed]}, ${quarter === null ? 'all quarters' : `quarter ${quarter}`}`;
    return figure(what, group, races, loss, rule, difference);
  });
  return { ...byFeed, 'analytics.championship': byFeed['analytics.team-points'] ?? [] };
}

/** The shares of Grands Prix are no rule for stops in sprints: beside them any model would look good. */
export function lapFeedFigures(scores: readonly LapFeedScore[]): MeasuredFeeds {
  const fair = scores.filter(({ feed, races }) => races === 'Grands Prix' || !STOPS_TO_COME.includes(feed));
  return grouped(fair, ({ what, races, season, count, loss, rule, difference }) =>
    figure(what, `${races} ${season}`, count, loss, rule, difference),
  );
}

export function eliminationFigures(summaries: readonly EliminationSummary[]): MeasuredFeeds {
  const figures = summaries.flatMap(({ name, parts, logLoss, comparisons }) => {
    const byCutOff = comparisons.find(({ baseline }) => baseline === 'cut-off')!;
    const rule = 'share by cut-off';
    return figure('elimination, log-loss', name, parts, logLoss.odds, rule, byCutOff.logLoss);
  });
  return { 'analytics.qualifying': figures };
}

/** Each race by itself: two are too few for a standard error. */
export function gapFigures(races: readonly RaceFeedScores[]): MeasuredFeeds {
  const figures = races.flatMap(({ sessionId, toLeader, toAhead }) =>
    [
      { what: 'gap to the leader, error in s', score: toLeader },
      { what: 'gap to the car ahead, error in s', score: toAhead },
    ].flatMap(({ what, score }) => {
      if (score === null) return [];
      const difference = { mean: score.error - score.simpleError, standardError: Number.NaN };
      return figure(what, `recordings ${sessionId.slice(0, 4)}`, 1, score.error, 'the gap as it is', difference);
    }),
  );
  return { 'analytics.gap-projection': figures };
}

/** The races of a season that were recorded with sectors. */
export function sectorFigures(scores: readonly SectorScore[]): MeasuredFeeds {
  const seasons = Map.groupBy(scores, ({ sessionId }) => sessionId.slice(0, 4));
  const figures = [...seasons].flatMap(([season, own]) => {
    const [losses, simples] = [own.map(({ loss }) => loss), own.map(({ simple }) => simple)];
    const difference = pairedDifference(losses, simples);
    return figure('sector, error in s', `recordings ${season}`, own.length, mean(losses), 'latest lap', difference);
  });
  return { 'analytics.sector-pace': figures };
}

function grouped<Score extends { readonly feed: string }>(
  scores: readonly Score[],
  figuresOf: (score: Score) => readonly MeasuredFigure[],
): Record<string, readonly MeasuredFigure[]> {
  return Object.fromEntries(
    [...Map.groupBy(scores, ({ feed }) => feed)].map(([feed, own]) => [feed, own.flatMap(figuresOf)]),
  );
}

/** None for a group of several seasons. */
function figure(
  what: string,
  group: string,
  count: number,
  loss: number,
  rule: string,
  difference: PairedDifference,
): MeasuredFigure[] {
  const [, races, season] = GROUP.exec(group) ?? [];
  if (season === undefined) return [];
  const rounded = (value: number) => Number(value.toFixed(what.includes('RPS') ? 4 : 3)) + 0;
  return [
    {
      what,
      races: RACES[races as keyof typeof RACES],
      season: Number(season),
      count,
      loss: rounded(loss),
      rule,
      difference: rounded(difference.mean),
      standardError: Number.isNaN(difference.standardError) ? null : rounded(difference.standardError),
    },
  ];
}
