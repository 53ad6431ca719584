// How good the models are, on races whose end is known: what they predict beside what simple forecasters predict. The
// measurements are ratios, the model's loss to that of the simple forecast on the same races: less than 1 is better.
// Nothing is left to chance, so there is one sample. The results are in docs/models.md.
//
// Previews: rolling origin. Each race from 2022 to 2025 is forecast from the weekends before it, with its grid and
// before qualifying (who is entered is known), and held against the result: log-loss and Brier score of the winner,
// ranked probability score (RPS) of all places, expected calibration error over the bins that are printed, and
// differences race by race with their standard error. Beside them: how often each grid place, or place in the
// championship, won (models/baselines.ts); every driver alike.
//
// Live odds: at 25, 50 and 75 % of each race recording in ../shared/data, against the official result, beside the
// current order taken for certain (log-loss clipped at 1 %) and smoothed by how far grids moved from 2014 to 2021.
//
// Other race feeds: what gap-projection, pit-window, battle and strategy published in Baku 2018 and the Miami sprint of
// 2025, from the bodies alone, against what happened, each beside a simple forecast: the gap as it is, a place lost to
// each car within 20 s, the other race's shares, the middle of the laps left. Stops, retirements and safety cars within
// a window of gaps or passes leave it out. Forecasts of one race overlap and Baku fitted some widths: n is no sample,
// and no difference is called significant.
//
// Not measured: titles, strategies and sprints of previews; safety-car risk, true pace and tire health, for which there
// are too few races or no truth.

import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { FORECAST_SIMULATIONS_MAX } from '#engine/base/limits.ts';
import { Forecaster } from '#engine/seasons/forecast/forecaster.ts';
import { readF1dbRelease } from '#engine/seasons/history/f1db-release.ts';
import type { History } from '#engine/seasons/history/history.ts';
import { errorText } from '#engine/storage/storage-error.ts';
import { describeLiveOdds, evaluateLiveOdds } from './models/live-evaluation.ts';
import { evaluatePreviews, FORECASTERS, type PreviewEvaluation } from './models/preview-evaluation.ts';
import { describeQualifyingOdds, evaluateQualifyingOdds } from './models/qualifying-evaluation.ts';
import {
  liveMeasurements,
  previewMeasurements,
  qualifyingMeasurements,
  raceFeedMeasurements,
} from './models/quality-measurements.ts';
import { describeRaceFeeds, evaluateRaceFeeds } from './models/race-feeds-evaluation.ts';
import type { Calibration, PairedDifference } from './models/scoring.ts';
import type { BenchResult } from './suite/result.ts';
import { HISTORY, SHARED_DATA } from './suite/shared-data.ts';
import { wholeNumber } from './suite/whole-number.ts';

export const help = `npm run bench -- models [options]

Previews by rolling origin: every race of the seasons is forecast from what came before it, with its grid and before
qualifying, and compared with what happened. Beside the model: how often each place of the grid (of the championship) won
before, and even chances. Log-loss and Brier score of the winner, ranked probability score of all places, calibration of
the chances to win; lower is better. Differences are paired, race by race, with their standard error.

Live odds: the odds of analytics.race-odds at a quarter, half and three quarters of each recorded race, against the
official result. Beside them: the order at that moment, taken for certain and smoothed. Then the chances of elimination of
analytics.qualifying in the middle of each part of recorded qualifyings. Recordings that are not there are left out.

Other race feeds: the forecasts of analytics.gap-projection, pit-window, battle and strategy in the two recordings with the
timing of a whole race, against what happened, each beside a simple forecast. They overlap: n is not that of a sample.

  --history DIR      a CSV release of f1db (default ../shared/data/history/f1db)
  --from, --to YEAR  seasons (default 2022 to 2025; the models' numbers were chosen on 2017 to 2021)
  --simulations N    races played for each forecast (default 10000)
  --recordings DIR   a folder of recordings, or "none" (default ../shared/data)

  npm run bench -- models --from 2017 --to 2021 --recordings none`;

export const smoke = ['--from', '2025', '--to', '2025', '--simulations', '200', '--recordings', 'none'];

/** Without any work of the machine's speed in it: the same options give the same numbers. */
export async function run(args: readonly string[], progress: (line: string) => void): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      history: { type: 'string' },
      from: { type: 'string', default: '2022' },
      to: { type: 'string', default: '2025' },
      simulations: { type: 'string', default: '10000' },
      recordings: { type: 'string', default: SHARED_DATA },
    },
  });
  const from = wholeNumber('--from', values.from);
  const to = wholeNumber('--to', values.to);
  const simulations = wholeNumber('--simulations', values.simulations);
  if (simulations > FORECAST_SIMULATIONS_MAX) throw new Error(`--simulations: at most ${FORECAST_SIMULATIONS_MAX}`);
  const head = { bench: 'models', parameters: { from, to, simulations }, plots: [], faults: {} };
  if (values.history === undefined && !existsSync(HISTORY)) {
    return {
      ...head,
      measurements: [],
      notes: ['Nothing was measured: ../shared/data/history/f1db is missing; see --history.'],
    };
  }
  const history = readHistory(values.history ?? HISTORY);
  progress('previews');
  const previews = evaluatePreviews(history, new Forecaster(history), { fromSeason: from, toSeason: to, simulations });
  if (previews.races === 0) throw new Error(`--from, --to: the history has no race of ${from} to ${to}`);
  progress('recordings');
  const live = evaluateLiveOdds(history, values.recordings);
  const qualifying = evaluateQualifyingOdds(values.recordings);
  const raceFeeds = evaluateRaceFeeds(values.recordings);
  return {
    ...head,
    measurements: [
      ...previewMeasurements(previews),
      ...liveMeasurements(live),
      ...qualifyingMeasurements(qualifying),
      ...raceFeedMeasurements(raceFeeds),
    ],
    notes: [
      describePreviews(previews),
      ...(live.cells.length > 0 ? [describeLiveOdds(live)] : []),
      ...(qualifying.cells.length > 0 ? [describeQualifyingOdds(qualifying)] : []),
      ...(raceFeeds.length > 0 ? [describeRaceFeeds(raceFeeds)] : []),
    ],
  };
}

function readHistory(folder: string): History {
  try {
    return readF1dbRelease(folder);
  } catch (error) {
    throw new Error(`--history: ${errorText(error)}`);
  }
}

function describePreviews({ seasons, races, scores, comparisons, bySeason }: PreviewEvaluation): string {
  return [
    `Previews of ${races} races, ${seasons[0]} to ${seasons.at(-1)}`,
    '',
    `${''.padEnd(24)} log-loss   Brier  RPS of places     ECE`,
    ...FORECASTERS.map((name) => {
      const { winnerLogLoss, winnerBrier, placesRps, winCalibration } = scores[name];
      return (
        `${name.padEnd(24)} ${winnerLogLoss.toFixed(3).padStart(8)} ${winnerBrier.toFixed(3).padStart(7)} ` +
        `${placesRps.toFixed(4).padStart(14)} ${winCalibration.error.toFixed(4).padStart(7)}`
      );
    }),
    '',
    'Differences, race by race, with one standard error; negative: the first is better',
    ...comparisons.map(({ model, baseline, winnerLogLoss, winnerBrier, placesRps }) => {
      return (
        `${`${model} - ${baseline}`.padEnd(36)} log-loss ${difference(winnerLogLoss, 3)}  ` +
        `Brier ${difference(winnerBrier, 3)}  RPS ${difference(placesRps, 4)}`
      );
    }),
    '',
    `Log-loss by season${''.padEnd(6)} ${FORECASTERS.map((name) => name.padStart(name.length + 2)).join('')}`,
    ...bySeason.map(({ season, races: count, winnerLogLoss }) => {
      const losses = FORECASTERS.map((name) => winnerLogLoss[name].toFixed(3).padStart(name.length + 2));
      return `${`${season} (${count} races)`.padEnd(24)} ${losses.join('')}`;
    }),
    '',
    ...describeCalibration('Calibration of chances to win, model with grid', scores['model with grid'].winCalibration),
    '',
    ...describeCalibration(
      'Calibration of chances to win, model before qualifying',
      scores['model before qualifying'].winCalibration,
    ),
  ].join('\n');
}

function describeCalibration(title: string, { error, bins }: Calibration): readonly string[] {
  return [
    `${title}: ECE ${error.toFixed(4)}`,
    '  forecast        count    mean  happened',
    ...bins.map(({ from, to, count, forecast, observed }) => {
      const range = `${from.toFixed(2)} to ${to.toFixed(2)}`;
      return `  ${range} ${String(count).padStart(8)} ${forecast.toFixed(3).padStart(7)} ${observed.toFixed(3).padStart(9)}`;
    }),
  ];
}

function difference({ mean, standardError }: PairedDifference, digits: number): string {
  return `${mean >= 0 ? '+' : ''}${mean.toFixed(digits)} (SE ${standardError.toFixed(digits)})`;
}
