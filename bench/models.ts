// How good the models are, on races whose end is known: what they say beside what simple forecasters say.

import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Forecaster } from '#engine/forecast/forecaster.ts';
import { readF1dbRelease } from '#engine/history/f1db-release.ts';
import { FORECAST_SIMULATIONS_MAX } from '#engine/limits.ts';
import { wholeNumber } from './load/whole-number.ts';
import { describeLiveOdds, evaluateLiveOdds, type LiveEvaluation } from './models/live-evaluation.ts';
import { evaluatePreviews, FORECASTERS, type PreviewEvaluation } from './models/preview-evaluation.ts';
import {
  describeQualifyingOdds,
  evaluateQualifyingOdds,
  type QualifyingEvaluation,
} from './models/qualifying-evaluation.ts';
import { describeRaceFeeds, evaluateRaceFeeds, type RaceFeedScores } from './models/race-feeds-evaluation.ts';
import type { Calibration, PairedDifference } from './models/scoring.ts';

const HISTORY = fileURLToPath(new URL('../../shared/data/history/f1db', import.meta.url));
const RECORDINGS = fileURLToPath(new URL('../../shared/data', import.meta.url));

export const summary = 'how good the forecasts are, beside simple ones, on past races';

export const help = `npm run bench -- models [options]

Previews by rolling origin: every race of the seasons is forecast from what came before it, with its grid and before
qualifying, and compared with what happened. Beside the model: how often each place of the grid (of the championship) won
before, and even chances. Log-loss and Brier score of the winner, ranked probability score of all places, calibration of
the chances to win; lower is better. Differences are paired, race by race, with their standard error.

Live odds: what analytics.race-odds told at a quarter, half and three quarters of each recorded race, against the official
result, beside the order of the moment, taken for certain and smoothed; and the chances of elimination that
analytics.qualifying told in the middle of each part of recorded qualifyings. Recordings that are not there are left out.

Other race feeds: what analytics.gap-projection, pit-window, battle and strategy told in the two recordings with the timing of
a whole race, against what happened, each beside a simple forecast. Their forecasts overlap: n is not that of a sample.

  --history DIR      a CSV release of f1db (default ../shared/data/history/f1db)
  --from, --to YEAR  seasons (default 2022 to 2025; the models' numbers were chosen on 2017 to 2021)
  --simulations N    races played for each forecast (default 10000)
  --recordings DIR   a folder of recordings (default ../shared/data)
  --json             print the result as JSON`;

export interface ModelsResult {
  readonly previews: PreviewEvaluation;
  readonly live: LiveEvaluation;
  readonly qualifying: QualifyingEvaluation;
  readonly raceFeeds: readonly RaceFeedScores[];
}

/** Runs the evaluation as a command; answers the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      history: { type: 'string', default: HISTORY },
      from: { type: 'string', default: '2022' },
      to: { type: 'string', default: '2025' },
      simulations: { type: 'string', default: '10000' },
      recordings: { type: 'string', default: RECORDINGS },
      json: { type: 'boolean', default: false },
    },
  });
  const fromSeason = wholeNumber('--from', values.from);
  const toSeason = wholeNumber('--to', values.to);
  const simulations = wholeNumber('--simulations', values.simulations);
  if (simulations > FORECAST_SIMULATIONS_MAX) throw new Error(`--simulations: at most ${FORECAST_SIMULATIONS_MAX}`);
  const history = readF1dbRelease(values.history);
  const previews = evaluatePreviews(history, new Forecaster(history), {
    fromSeason,
    toSeason,
    simulations,
  });
  if (previews.races === 0) throw new Error(`--from, --to: the history has no race of ${fromSeason} to ${toSeason}`);
  const live = evaluateLiveOdds(history, values.recordings);
  const qualifying = evaluateQualifyingOdds(values.recordings);
  const raceFeeds = evaluateRaceFeeds(values.recordings);
  const result: ModelsResult = { previews, live, qualifying, raceFeeds };
  const texts = [
    describePreviews(previews),
    describeLiveOdds(live),
    describeQualifyingOdds(qualifying),
    describeRaceFeeds(raceFeeds),
  ];
  console.log(values.json ? JSON.stringify(result) : texts.join('\n\n'));
  return 0;
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
