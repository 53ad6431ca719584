// Chances in words and as bars: how long a bar is, how far a chance may be off, and how good the model was.

import type { Preview } from '#api/client/calls.ts';
import { language } from '../../text/text.ts';

const PERCENT = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 0 });
const PERCENT_FINE = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 });

/** `27%`; small chances with a digit more, and never a plain 0 or 100 for what is merely unlikely or likely. */
export function percent(chance: number): string {
  if (chance > 0 && chance < 0.0005) return '<0.1%';
  if (chance > 0.995 && chance < 1) return '>99%';
  return (chance < 0.095 ? PERCENT_FINE : PERCENT).format(chance);
}

export interface Span {
  readonly low: number;
  readonly high: number;
}

/** Of the draws of a simulation, 95 in 100 lie within this many standard errors. */
const SURE = 1.96;

/**
 * How far a chance may be off: by as much as the model's chances were on average in past races, and by the luck of the
 * simulation.
 */
export function spanOf(chance: number, simulations: number, calibrationError: number): Span {
  const luck = simulations > 0 ? SURE * Math.sqrt((chance * (1 - chance)) / simulations) : 0;
  const off = calibrationError + luck;
  return { low: Math.max(0, chance - off), high: Math.min(1, chance + off) };
}

const STEP = 0.1;

/** What a whole bar stands for: the largest of the values, rounded up to ten per cent. */
export function scaleOf(values: readonly number[]): number {
  const most = Math.max(0, ...values);
  return Math.min(1, Math.max(STEP, Math.ceil(most / STEP - 1e-9) * STEP));
}

export interface PlainQuality {
  /** The chance that the later winner was given, as a geometric mean over the races. */
  readonly given: number;
  /** What the best simple forecast gave them. */
  readonly simpleGiven: number;
  /** Whether the two differ by more than luck would explain. */
  readonly verdict: 'better' | 'alike' | 'worse';
  readonly seasons: { readonly first: number; readonly last: number } | null;
}

/** Standard errors beyond which a difference is more than luck. */
const CLEAR = 2;

/** The measured quality of the model in figures that need no textbook. */
export function plainQuality({ quality, baseline }: Preview['model']): PlainQuality {
  const errors = baseline.standardError === 0 ? 0 : baseline.difference / baseline.standardError;
  return {
    given: Math.exp(-quality.winnerLogLoss),
    simpleGiven: Math.exp(-baseline.winnerLogLoss),
    verdict: errors <= -CLEAR ? 'better' : errors >= CLEAR ? 'worse' : 'alike',
    seasons:
      quality.seasons.length === 0 ? null : { first: Math.min(...quality.seasons), last: Math.max(...quality.seasons) },
  };
}

export interface Quartiles {
  readonly lower: number;
  readonly median: number;
  readonly upper: number;
}

/** Where the middle half of the values lies on a line from 0 to 1, whose ends are a little outside of it. */
export function placeOf({ lower, median, upper }: Quartiles): Quartiles {
  const margin = Math.max((upper - lower) / 2, 0.5);
  const from = lower - margin;
  const width = upper - lower + 2 * margin;
  return { lower: (lower - from) / width, median: (median - from) / width, upper: (upper - from) / width };
}
