// Moments of a race at which winning margins are scored: those of the odds, with the official margin.

import { MarginChances } from '#engine/racing/analytics/margin-chances.ts';
import type { MarginSettings } from '#engine/racing/analytics/margin-settings.ts';
import { normalBelow } from '#engine/racing/analytics/normal-distribution.ts';
import { OddsMaker } from '#engine/racing/analytics/odds.ts';
import { MARGIN_BOUNDS } from '#engine/racing/analytics/winning-margin.ts';
import type { History } from '#engine/seasons/history/history.ts';
import { resultOf } from './live-evaluation.ts';
import type { OddsCase } from './odds-cases.ts';
import { mean } from './scoring.ts';

export interface MarginCase {
  readonly moment: OddsCase;
  /** Between the first two cars at that moment. */
  readonly gapSeconds: number;
  /** At the end, penalties included. */
  readonly marginSeconds: number;
}

/** Races whose second car was lapped have none. */
export function marginCases(cases: readonly OddsCase[], history: History): readonly MarginCase[] {
  return cases.flatMap((moment) => {
    const gapMs = resultOf(moment.sessionId, history)[1]?.gapMs ?? null;
    const gapSeconds = moment.situation.field.standings[1]?.gapSeconds ?? null;
    return gapMs === null || gapSeconds === null ? [] : [{ moment, gapSeconds, marginSeconds: gapMs / 1000 }];
  });
}

/** The chance of a margin of at most each bound, in order. */
type Told = readonly number[];

/** RPS over the bounds. */
export function marginLoss(told: Told, { marginSeconds }: MarginCase): number {
  return mean(MARGIN_BOUNDS.map((bound, index) => (told[index]! - (marginSeconds <= bound ? 1 : 0)) ** 2));
}

export function toldMargins(cases: readonly MarginCase[], settings?: MarginSettings): readonly Told[] {
  const maker = new OddsMaker();
  const chances = new MarginChances(settings);
  return cases.map(({ moment, gapSeconds }) => {
    chances.of(maker.oddsOf(moment.situation), gapSeconds);
    return MARGIN_BOUNDS.map((bound) => chances.within(bound));
  });
}

/** The simple rule: in each quarter, the logarithm of the margin is normal around a line of that of the gap now. */
export function marginsByGap(past: readonly MarginCase[]): (one: MarginCase) => Told {
  const lines = new Map(
    [...Map.groupBy(past, ({ moment }) => moment.quarter)].map(([quarter, cases]) => [quarter, lineOf(cases)]),
  );
  return ({ moment, gapSeconds }) => {
    const { intercept, slope, deviation } = lines.get(moment.quarter)!;
    return MARGIN_BOUNDS.map((bound) =>
      normalBelow((Math.log1p(bound) - intercept - slope * Math.log1p(gapSeconds)) / deviation),
    );
  };
}

/** How often margins were within each bound. */
export function marginShares(past: readonly MarginCase[]): Told {
  return MARGIN_BOUNDS.map((bound) => mean(past.map(({ marginSeconds }) => (marginSeconds <= bound ? 1 : 0))));
}

function lineOf(cases: readonly MarginCase[]): { intercept: number; slope: number; deviation: number } {
  const gaps = cases.map(({ gapSeconds }) => Math.log1p(gapSeconds));
  const margins = cases.map(({ marginSeconds }) => Math.log1p(marginSeconds));
  const [gap, margin] = [mean(gaps), mean(margins)];
  const covariance = mean(gaps.map((one, index) => (one - gap) * (margins[index]! - margin)));
  const slope = covariance / mean(gaps.map((one) => (one - gap) ** 2));
  const intercept = margin - slope * gap;
  const deviation = Math.sqrt(mean(gaps.map((one, index) => (margins[index]! - intercept - slope * one) ** 2)));
  return { intercept, slope, deviation };
}
