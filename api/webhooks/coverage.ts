// What an account's plan covers of an endpoint today. Plans and catalogues change while endpoints stay. We store what
// the customer configured, and compute from it what is delivered each time.
//
// O1 Patterns (`*`, `analytics.*`) match the feeds of the endpoint's series in the current plan and catalogue.
// O2 What the plan does not cover is shown as suspended and gets no deliveries. It resumes once a plan covers it again.
// O3 If the plan has too little room, the oldest endpoints and the first feeds are kept.

import { type FeedCatalogue, isOpen } from '#api/feeds/feed-catalogue.ts';
import { type Plan, TERMS } from '#api/plans/plan.ts';
import type { FilterSpec } from '#schemas/http/filter-spec.ts';
import type { Feed } from '#schemas/webhook/feeds.ts';
import type { CoverageRecord } from './webhook-store.ts';

/**
 * Why a feed is not delivered: the plan does not include it, has no room for it, or the service no longer offers it.
 */
export type FeedSuspension = 'tier' | 'feed_limit' | 'not_offered';

export interface CoveredSubscription {
  readonly feedId: string;
  readonly filters: FilterSpec;
  readonly active: boolean;
  readonly suspended: FeedSuspension | null;
}

export interface Coverage {
  /** Why nothing at all is delivered to the endpoint. */
  readonly suspended: 'endpoint_limit' | null;
  /** Those that were named, in their order, then those that patterns mean, in the catalogue's. */
  readonly subscriptions: readonly CoveredSubscription[];
}

export function coverageOf(webhook: CoverageRecord, catalogue: FeedCatalogue): Coverage {
  const { plan, rank, seriesId, subscriptions, feedPatterns } = webhook;
  const terms = TERMS[plan];
  let room = terms.feedsPerEndpoint;
  const covered = (feedId: string, filters: FilterSpec, active: boolean): CoveredSubscription => {
    const feed = catalogue.find(feedId);
    if (feed === undefined) return { feedId, filters, active, suspended: 'not_offered' };
    if (!isOpen(feed, plan)) return { feedId, filters, active, suspended: 'tier' };
    return { feedId, filters, active, suspended: room-- > 0 ? null : 'feed_limit' };
  };
  const all: CoveredSubscription[] = [];
  for (const { feedId, filters, active, place } of subscriptions)
    if (place !== null) all.push(covered(feedId, filters, active));
  for (const { feedId } of meantBy(feedPatterns, seriesId, plan, catalogue)) {
    if (all.some((subscription) => subscription.feedId === feedId)) continue;
    const own = subscriptions.find((subscription) => subscription.feedId === feedId);
    all.push(covered(feedId, own?.filters ?? {}, own?.active ?? true));
  }
  return { suspended: rank < terms.endpoints ? null : 'endpoint_limit', subscriptions: all };
}

function meantBy(patterns: readonly string[], seriesId: string, plan: Plan, catalogue: FeedCatalogue): Set<Feed> {
  return new Set(
    patterns.flatMap((pattern) => catalogue.named(pattern, seriesId)).filter((feed) => isOpen(feed, plan)),
  );
}
