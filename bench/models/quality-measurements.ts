// Model quality as measurements that can be compared between versions: the loss of each model divided by that of its
// baseline on the same races. Below one, the model is better. The tables in the notes hold the details.

import type { Measurement } from '../suite/result.ts';
import type { LapFeedScore } from './lap-feeds-evaluation.ts';
import type { LiveEvaluation, LiveScores } from './live-evaluation.ts';
import { MODELS, type PreviewSummary } from './preview-evaluation.ts';
import type { EliminationSummary } from './qualifying-evaluation.ts';
import type { RaceFeedScores } from './race-feeds-evaluation.ts';
import { mean } from './scoring.ts';

export function previewMeasurements({ scores, comparisons, poles }: PreviewSummary): Measurement[] {
  return [
    ...comparisons.flatMap(({ model, baseline }) => {
      const [own, simple] = [scores[model], scores[baseline]];
      return [
        ratio(`preview, ${model} to ${baseline}, log-loss`, own.winnerLogLoss, simple.winnerLogLoss),
        ...(own.placesRps === null || simple.placesRps === null
          ? []
          : [ratio(`preview, ${model} to ${baseline}, RPS`, own.placesRps, simple.placesRps)]),
      ];
    }),
    ...[MODELS.practice, MODELS.nothing].map((model) =>
      ratio(`preview of pole, ${model} to standings, log-loss`, poles[model].logLoss, poles.standings.logLoss),
    ),
  ];
}

export function liveMeasurements({ cells }: LiveEvaluation): Measurement[] {
  return [...Map.groupBy(cells, ({ distance }) => distance)].flatMap(([distance, there]) => {
    const lossOf = (name: 'live odds' | 'order smoothed', score: keyof LiveScores) =>
      mean(there.map(({ scores }) => scores[name][score]));
    return (['winnerLogLoss', 'placesRps'] as const).map((score) =>
      ratio(
        `live odds at ${distance * 100} % to order smoothed, ${score === 'placesRps' ? 'RPS' : 'log-loss'}`,
        lossOf('live odds', score),
        lossOf('order smoothed', score),
      ),
    );
  });
}

export function qualifyingMeasurements(summaries: readonly EliminationSummary[]): Measurement[] {
  return summaries.map(({ name, logLoss }) =>
    ratio(`odds of elimination to cut-off, log-loss, ${name}`, logLoss.odds, logLoss['cut-off']),
  );
}

export function raceFeedMeasurements(races: readonly RaceFeedScores[]): Measurement[] {
  return races.flatMap((race) => {
    const { sessionId, toLeader, toAhead, nextStops, passesWithinThree, passesWithinFive, furtherStops } = race;
    const beside = (name: string, loss: number | undefined, simple: number | null | undefined): Measurement[] =>
      loss === undefined || simple == null ? [] : [ratio(`${sessionId}, ${name}`, loss, simple)];
    return [
      ...beside('gap to leader', toLeader?.error, toLeader?.simpleError),
      ...beside('gap to car ahead', toAhead?.error, toAhead?.simpleError),
      ...beside('passes within three laps', passesWithinThree?.brier, passesWithinThree?.simpleBrier),
      ...beside('passes within five laps', passesWithinFive?.brier, passesWithinFive?.simpleBrier),
      ...beside('lap of the next stop', nextStops?.error, nextStops?.simpleError),
      ...beside('further stops', furtherStops?.logLoss, furtherStops?.simpleLogLoss),
    ];
  });
}

export function lapFeedMeasurements(scores: readonly LapFeedScore[]): Measurement[] {
  return scores.map(({ feed, what, races, season, loss, simple }) =>
    ratio(`${feed}, ${what}, ${races} ${season}`, loss, simple),
  );
}

/** The evaluation is deterministic, so one sample is enough. */
function ratio(name: string, loss: number, simple: number): Measurement {
  return { name, unit: 'x', better: 'lower', samples: [loss / simple] };
}
