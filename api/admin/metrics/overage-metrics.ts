// Overage: what waits for the payment provider, and what differs from its count.

import type { Metric } from 'prom-client';
import type { OverageFigures } from '#api/billing/overage/postgres-overage-figures.ts';
import type { Clock } from '#engine/base/clock.ts';
import { gauge, NO_LABELS, type Sample } from './sampled-metric.ts';

/** `latest` returns the figures of this scrape; null: the database did not answer in time. */
export function overageMetrics(latest: () => OverageFigures | null, clock: Clock): readonly Metric[] {
  const one = (figure: (figures: OverageFigures) => number) => (): readonly Sample[] => {
    const figures = latest();
    return figures === null ? [] : [[NO_LABELS, figure(figures)]];
  };
  return [
    gauge(
      'slipstream_overage_due_attempts',
      'Billed attempts that the payment provider has not accepted yet.',
      one(({ due }) => due),
    ),
    gauge(
      'slipstream_overage_due_age_seconds',
      'How long the oldest of them have been due.',
      one(({ dueSinceMs }) => (dueSinceMs === null ? 0 : Math.max(0, clock.wallMs() - dueSinceMs) / 1_000)),
    ),
    gauge(
      'slipstream_overage_differences',
      "Accounts' months whose overage differs between usage, reports and the payment provider.",
      one(({ differences }) => differences),
    ),
  ];
}
