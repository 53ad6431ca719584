// How good the models are, on races whose end is known: what they predict beside what simple forecasters predict. The
// measurements are ratios, the model's loss to that of the simple forecast on the same races: less than 1 is better.
// Nothing is left to chance, so there is one sample. The results are in docs/models.md.
//
// Previews: rolling origin. Each race since 2022 is forecast from what came before it, with what was known of the weekend
// at four stages (nothing, practice, the grid alone, grid and times), and held against the result: log-loss and Brier
// score of the winner, ranked probability score (RPS) of all places, favourites, calibration over the bins that are
// printed, and differences race by race with their standard error. So is pole. Beside them (models/baselines.ts): how
// often each grid place, or place in the championship, won; a logit of grid place and gap in qualifying; every driver
// alike. Printed for groups of seasons, then season by season.
//
// Live odds: at 25, 50 and 75 % of each race recording in ../shared/data, against the official result, beside the
// current order taken for certain (log-loss clipped at 1 %) and smoothed by how far grids moved from 2014 to 2021.
//
// And by quarter of the race, on the Grands Prix of 2022 and the sprints of 2022 to 2024 (tables of laps) and the
// recordings, beside the same odds without previews, the odds before circuits and cars differed and before they were fitted,
// and the smoothed order.
//
// Other race feeds: what gap-projection, pit-window, battle and strategy published in Baku 2018 and the Miami sprint of
// 2025, from the bodies alone, against what happened, each beside a simple forecast: the gap as it is, a place lost to
// each car within 20 s, the other race's shares, the middle of the laps left. Stops, retirements and safety cars within
// a window of gaps or passes leave it out. Forecasts of one race overlap and Baku fitted some widths: n is no sample,
// and no difference is called significant.
//
// Tables of laps: models against the Grands Prix of 2022 and the sprints of 2022 to 2024, which nothing was fitted to or
// chosen on, each beside its simple rule, fitted to the same races as the model. Differences are race by race, so here
// they have a standard error.
//
// Winning margin and team points: on the same tables, by quarter and season (models/odds-feeds-evaluation.ts).
//
// With --since, the races from a month on alone, for a history and recordings that are newer than the models: previews, and
// live odds of recordings in archive/, archive-partial/, fastf1-text/ and signalr-core/. A recording counts by the date in its
// SessionInfo; those without one are named.
//
// Not measured: titles, strategies and sprints of previews; the parts of a lap, for which there is no truth.

import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { FORECAST_SIMULATIONS_MAX } from '#engine/base/limits.ts';
import { Forecaster } from '#engine/seasons/forecast/forecaster.ts';
import { readF1dbRelease } from '#engine/seasons/history/f1db-release.ts';
import type { History } from '#engine/seasons/history/history.ts';
import { errorText } from '#engine/storage/storage-error.ts';
import { describeLapFeeds, evaluateLapFeeds } from './models/lap-feeds-evaluation.ts';
import { describeLiveOdds, evaluateLiveOdds, recordingsSince } from './models/live-evaluation.ts';
import { describeOddsByQuarter, evaluateOddsByQuarter } from './models/odds-evaluation.ts';
import { describeOddsFeeds, evaluateOddsFeeds } from './models/odds-feeds-evaluation.ts';
import {
  evaluatePreviews,
  type Favourites,
  FORECASTERS,
  MODELS,
  POLE_FORECASTERS,
  type PreviewEvaluation,
  type PreviewSummary,
} from './models/preview-evaluation.ts';
import {
  describeEliminations,
  evaluatePastEliminations,
  evaluateRecordedEliminations,
} from './models/qualifying-evaluation.ts';
import { describeSectors, evaluateSectors } from './models/qualifying-sectors-evaluation.ts';
import {
  lapFeedMeasurements,
  liveMeasurements,
  previewMeasurements,
  qualifyingMeasurements,
  raceFeedMeasurements,
} from './models/quality-measurements.ts';
import { describeRaceFeeds, evaluateRaceFeeds } from './models/race-feeds-evaluation.ts';
import type { Calibration, PairedDifference } from './models/scoring.ts';
import { describeSectorPace, evaluateSectorPace } from './models/sector-pace-evaluation.ts';
import type { BenchResult } from './suite/result.ts';
import { HISTORY, LAPS, SHARED_DATA } from './suite/shared-data.ts';
import { wholeNumber } from './suite/whole-number.ts';

export const help = `npm run bench -- models [options]

Previews by rolling origin: every race of the seasons is forecast from what came before it, with what was known of its
weekend at four stages, and compared with what happened. Beside the model: how often each place of the grid (of the
championship) won before, a logit of grid place and gap in qualifying, and even chances. Log-loss and Brier score of the
winner, ranked probability score of all places, favourites of 50 % and more, pole; lower losses are better. Differences are
paired, race by race, with their standard error.

Live odds: the odds of analytics.race-odds at a quarter, half and three quarters of each recorded race, against the
official result. Beside them: the order at that moment, taken for certain and smoothed. Recordings that are not there
are left out.

Qualifying: the chances of elimination of analytics.qualifying, at four moments of each part of recorded sessions, and as
second parts of the history start. Beside them: how often drivers within and outside the cut-off go out, and the base rate.

Other race feeds: the forecasts of analytics.gap-projection, pit-window, battle and strategy in the two recordings with the
timing of a whole race, against what happened, each beside a simple forecast. They overlap: n is not that of a sample.

Tables of laps: models of races against Grands Prix of 2022 and sprints of 2022 to 2024, beside their simple rules, race by
race.

  --history DIR      a CSV release of f1db (default ../shared/data/history/f1db)
  --from, --to YEAR  seasons (default from 2022; the models' numbers were chosen on 2017 to 2021)
  --since YYYY-MM    only races from this month on: previews, and live odds of those that --recordings has; earlier ones
                     teach
  --simulations N    races played for each forecast (default 10000)
  --recordings DIR   a folder of recordings, or "none" (default ../shared/data)
  --laps DIR         tables of laps, or "none" (default ../shared/data/laps)

  npm run bench -- models --from 2017 --to 2021 --recordings none
  npm run bench -- models --since 2026-07 --history DIR`;

export const smoke = [
  '--from',
  '2025',
  '--to',
  '2025',
  '--simulations',
  '200',
  '--recordings',
  'none',
  '--laps',
  'none',
];

/** Of no history yet. */
const LATER_SEASON = 2_100;

/** Without any work of the machine's speed in it: the same options give the same numbers. */
export async function run(args: readonly string[], progress: (line: string) => void): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      history: { type: 'string' },
      from: { type: 'string' },
      to: { type: 'string' },
      since: { type: 'string' },
      simulations: { type: 'string', default: '10000' },
      recordings: { type: 'string', default: SHARED_DATA },
      laps: { type: 'string', default: LAPS },
    },
  });
  const { since } = values;
  if (since !== undefined && !/^\d{4}-(0[1-9]|1[0-2])$/.test(since))
    throw new Error('--since: give a month, like 2026-07');
  const from = wholeNumber('--from', values.from ?? since?.slice(0, 4) ?? '2022');
  const to = wholeNumber('--to', values.to ?? `${LATER_SEASON}`);
  const simulations = wholeNumber('--simulations', values.simulations);
  if (simulations > FORECAST_SIMULATIONS_MAX) throw new Error(`--simulations: at most ${FORECAST_SIMULATIONS_MAX}`);
  const head = {
    bench: 'models',
    parameters: {
      from,
      ...(values.to === undefined ? {} : { to }),
      simulations,
      ...(since === undefined ? {} : { since }),
    },
    plots: [],
    faults: {},
  };
  if (values.history === undefined && !existsSync(HISTORY)) {
    return {
      ...head,
      measurements: [],
      notes: ['Nothing was measured: ../shared/data/history/f1db is missing; see --history.'],
    };
  }
  const history = readHistory(values.history ?? HISTORY);
  progress('previews');
  const previews = evaluatePreviews(history, (known) => new Forecaster(known), {
    fromSeason: from,
    toSeason: to,
    since: since === undefined ? '' : `${since}-01`,
    simulations,
  });
  if (previews.all === null && since === undefined) {
    throw new Error(`--from, --to: the history has no race of ${from} to ${to}`);
  }
  if (since !== undefined) {
    progress('recordings');
    const { recordings } = values;
    const found = recordingsSince(history, recordings, `${since}-01`);
    const live = evaluateLiveOdds(history, recordings, found.recordings);
    const notes = [
      ...(previews.all === null
        ? [`The history has no race since ${since}: no preview was measured.`]
        : [describePreviews(previews)]),
      live.cells.length > 0
        ? describeLiveOdds(live)
        : `No recording of a race since ${since}: no live odds were measured.`,
      ...(found.undated.length === 0
        ? []
        : [`Left out, as no SessionInfo in them says when they were: ${found.undated.join(', ')}`]),
    ];
    const measured = previews.all === null ? [] : previewMeasurements(previews.all);
    return { ...head, measurements: [...measured, ...liveMeasurements(live)], notes };
  }
  progress('recordings');
  const live = evaluateLiveOdds(history, values.recordings);
  const quarters = evaluateOddsByQuarter(history, values.recordings, values.laps);
  const recorded = evaluateRecordedEliminations(values.recordings);
  const eliminations = values.recordings === 'none' ? [] : [...recorded, ...evaluatePastEliminations(history)];
  const sectors = evaluateSectors(values.recordings);
  const raceFeeds = evaluateRaceFeeds(values.recordings);
  const sectorPace = evaluateSectorPace(values.recordings);
  progress('tables of laps');
  const lapFeeds = existsSync(values.laps) ? evaluateLapFeeds(values.laps) : [];
  const oddsFeeds = existsSync(values.laps) ? evaluateOddsFeeds(history, values.laps) : [];
  return {
    ...head,
    measurements: [
      ...previewMeasurements(previews.all!),
      ...liveMeasurements(live),
      ...qualifyingMeasurements(eliminations),
      ...raceFeedMeasurements(raceFeeds),
      ...lapFeedMeasurements(lapFeeds),
    ],
    notes: [
      describePreviews(previews),
      ...(live.cells.length > 0 ? [describeLiveOdds(live)] : []),
      ...(quarters.length > 0 ? [describeOddsByQuarter(quarters)] : []),
      ...(eliminations.length > 0 ? [describeEliminations(eliminations)] : []),
      ...(sectors === null ? [] : [describeSectors(sectors)]),
      ...(raceFeeds.length > 0 ? [describeRaceFeeds(raceFeeds)] : []),
      ...(sectorPace.length > 0 ? [describeSectorPace(sectorPace)] : []),
      ...(lapFeeds.length > 0 ? [describeLapFeeds(lapFeeds)] : []),
      ...(oddsFeeds.length > 0 ? [describeOddsFeeds(oddsFeeds)] : []),
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

function describePreviews({ all, groups, bySeason }: PreviewEvaluation): string {
  return [
    ...groups.flatMap((group) => [...describeSummary(group), '']),
    ...bySeason.flatMap((season) => [...describeSummary(season), '']),
    ...(all === null
      ? []
      : [
          ...describeCalibration('Calibration of chances to win', all.scores[MODELS.qualifying].winCalibration),
          '',
          ...describeCalibration('Calibration of chances to win, practice', all.scores[MODELS.practice].winCalibration),
        ]),
  ].join('\n');
}

function describeSummary({ seasons, races, scores, comparisons, poles }: PreviewSummary): readonly string[] {
  const span = seasons.length === 1 ? `${seasons[0]}` : `${seasons[0]} to ${seasons.at(-1)}`;
  return [
    `Previews of ${races} races, ${span}`,
    `${'winner'.padEnd(24)} log-loss   Brier  RPS of places  favourites: told, won (SE)`,
    ...FORECASTERS.map((name) => {
      const { winnerLogLoss, winnerBrier, placesRps, favourites } = scores[name];
      return (
        `${name.padEnd(24)} ${winnerLogLoss.toFixed(3).padStart(8)} ${winnerBrier.toFixed(3).padStart(7)} ` +
        `${(placesRps?.toFixed(4) ?? '').padStart(14)}  ${describeFavourites(favourites)}`
      );
    }),
    ...comparisons.map(({ model, baseline, winnerLogLoss, placesRps }) => {
      const places = placesRps === null ? '' : `RPS ${difference(placesRps, 4)}`;
      return `  ${`${model} - ${baseline}`.padEnd(40)} log-loss ${difference(winnerLogLoss, 3)}  ${places}`;
    }),
    'pole',
    ...POLE_FORECASTERS.map((name) => {
      const { logLoss, difference: toStandings, favourites } = poles[name];
      return (
        `${name.padEnd(24)} ${logLoss.toFixed(3).padStart(8)}  to standings ${difference(toStandings, 3)}  ` +
        describeFavourites(favourites)
      );
    }),
  ];
}

function describeFavourites({ count, told, won, standardError }: Favourites): string {
  const percent = (share: number) => `${(share * 100).toFixed(0)} %`;
  return count === 0 ? 'none' : `${count}: ${percent(told)}, ${percent(won)} (${percent(standardError)})`;
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
