// Fits the qualifying odds to the sessions up to 2021 of the history. It has no laps, only the best times of the parts:
// the track's gain is the median over the drivers who set a time in both parts; scatter, the chance of a time and what is
// unforeseen are those with the least log-loss of who is eliminated, told as each second part starts.

import { eliminationLogLoss, secondPartStarts } from '#bench/models/qualifying-evaluation.ts';
import { median } from '#engine/base/median.ts';
import { QUALIFYING_SETTINGS, type QualifyingSettings } from '#engine/racing/analytics/qualifying-settings.ts';
import { readF1dbRelease } from '#engine/seasons/history/f1db-release.ts';
import type { History } from '#engine/seasons/history/history.ts';
import { type Coefficients, F1DB, type Fit } from './fit.ts';
import { FIT_SEASON_MAX, upTo } from './previews.ts';

const SCATTERS = [0.0024, 0.0028, 0.0032, 0.0036, 0.004, 0.0044];
/** Nobody is sure to set a time. */
const CHANCES_OF_TIME = [0.9, 0.95, 0.97, 0.98, 0.99];
const UNFORESEEN = [0.05, 0.075, 0.1, 0.125, 0.15, 0.175, 0.2, 0.25];

export const QUALIFYING_FIT: Fit = {
  summary: 'gain of the track, scatter and surprises in qualifying, from best times since 2014',
  file: 'engine/racing/analytics/coefficients/qualifying.json',
  sources: [F1DB],
  method:
    'gainToNext: median over the drivers with a time in both parts. scatter, unforeseen, chanceOfTime: the point of a grid ' +
    '(bench/fit/qualifying-fit.ts) with the least log-loss of who is eliminated, told as the second part starts from the ' +
    'times of the first. No recording had a part in it.',
  fit({ history: folder }, progress) {
    const history = upTo(readF1dbRelease(folder), FIT_SEASON_MAX);
    const settings = leastLoss(history, { ...QUALIFYING_SETTINGS, gainToNext: gainsOf(history) });
    progress(`log-loss ${startLoss(history, settings).toFixed(4)}`);
    return { seasons: `2014 to ${FIT_SEASON_MAX}`, values: { ...settings } as Record<string, Coefficients> };
  },
};

export function gainsOf({ weekends }: History): readonly number[] {
  const drivers = weekends.flatMap(({ qualifying }) => qualifying);
  const gain = (part: 'q1Ms' | 'q2Ms', next: 'q2Ms' | 'q3Ms') =>
    median(drivers.flatMap((one) => (one[part] === null || one[next] === null ? [] : [1 - one[next] / one[part]])));
  return [gain('q1Ms', 'q2Ms'), gain('q2Ms', 'q3Ms')].map((value) => Number(value.toPrecision(3)));
}

function leastLoss(history: History, start: QualifyingSettings): QualifyingSettings {
  let best = start;
  let least = Infinity;
  for (const scatter of SCATTERS) {
    for (const chanceOfTime of CHANCES_OF_TIME) {
      for (const unforeseen of UNFORESEEN) {
        const settings = { ...start, scatter, unforeseen, chanceOfTime };
        const loss = startLoss(history, settings);
        if (loss >= least) continue;
        best = settings;
        least = loss;
      }
    }
  }
  return best;
}

export function startLoss({ weekends }: History, settings: QualifyingSettings): number {
  return eliminationLogLoss(secondPartStarts(weekends, settings).map(({ start }) => start));
}
