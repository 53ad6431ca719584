// The delivery log: how much of it waits in the journal to be folded into pages.

import type { Metric } from 'prom-client';
import type { JournalBacklog } from '#engine/delivery/delivery-log/postgres-journal-folder.ts';
import { gauge, NO_LABELS, type Sample } from './sampled-metric.ts';

/** `latest` returns the figures of this scrape; null: the database did not answer in time. */
export function logMetrics(latest: () => JournalBacklog | null): readonly Metric[] {
  const one = (figure: (backlog: JournalBacklog) => number) => (): readonly Sample[] => {
    const backlog = latest();
    return backlog === null ? [] : [[NO_LABELS, figure(backlog)]];
  };
  return [
    gauge(
      'slipstream_log_journal_rows',
      'Group commits in the journal of the delivery log that are not folded into pages yet.',
      one(({ rows }) => rows),
    ),
    gauge(
      'slipstream_log_journal_attempts',
      'Attempts in these group commits.',
      one(({ attempts }) => attempts),
    ),
    gauge(
      'slipstream_log_journal_age_seconds',
      'How long the oldest of them has waited. Folding is behind when this exceeds a minute.',
      one(({ ageMs }) => ageMs / 1_000),
    ),
  ];
}
