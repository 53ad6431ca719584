// How far each model can be trusted. A model is stable once it has beaten its simple rule by two standard errors on races
// that nothing about it was chosen on; until then it is beta. docs/models.md has the rules and the figures.

import type { FeedId } from './feeds.ts';

export const MATURITIES = ['stable', 'beta'] as const;
export type Maturity = (typeof MATURITIES)[number];

export const MATURITY: Readonly<Record<Extract<FeedId, `analytics.${string}`>, Maturity>> = {
  'analytics.race-odds': 'stable',
  'analytics.strategy': 'beta',
  'analytics.pit-window': 'beta',
  'analytics.true-pace': 'stable',
  'analytics.tire-health': 'beta',
  'analytics.battle': 'stable',
  // One race was left out, which gives no standard error.
  'analytics.gap-projection': 'beta',
  'analytics.safety-car': 'beta',
  'analytics.qualifying': 'stable',
  // The points of the race odds' places.
  'analytics.championship': 'stable',
  'analytics.winning-margin': 'beta',
  'analytics.team-points': 'stable',
  'analytics.tire-strategy': 'beta',
  // Two dry recordings have sectors.
  'analytics.sector-pace': 'beta',
};

/** Undefined: the feed comes from no model. */
export function maturityOf(feedId: string): Maturity | undefined {
  return (MATURITY as Readonly<Record<string, Maturity>>)[feedId];
}

export const MATURITY_DESCRIPTION =
  'How far the model can be trusted. stable: better than a simple rule by two standard errors, on races that nothing ' +
  'was chosen on. beta: not shown to be.';
