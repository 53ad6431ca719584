// What an account's plan covers of an endpoint today. Plans and catalogues change while endpoints stay. We store what
// the customer configured, and compute from it what is delivered each time.
//
// O1 Patterns (`*`, `analytics.*`) match the feeds of the endpoint's series in the current plan and catalogue.
// O2 What the plan does not cover is shown as suspended and gets no deliveries. It resumes once a plan covers it again.
// O3 If the plan has too little room, the oldest endpoints and the first feeds are kept.

import { type FeedCatalogue, isOpen } from '#api/feeds/feed-catalogue.ts';
import { TERMS } from '#api/plans/plan.ts';
import type { FilterSpec } from '#schemas/http/filter-spec.ts';
import type { WebhookRecord } from './webhook-store.ts';

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

export function coverageOf(webhook: WebhookRecord, catalogue: FeedCatalogue): Coverage {
  const { plan, rank, seriesId, subscriptions, feedPatterns } = webhook;
  const terms = TERMS[plan];
  const meant = new Set(
    feedPatterns.flatMap((pattern) => catalogue.named(pattern, seriesId)).filter((feed) => isOpen(feed, plan)),
  );
  const own = new Map(subscriptions.map((subscription) => [subscription.feedId, subscription]));
  const named = subscriptions.filter(({ place }) => place !== null);
  for (const { feedId } of named) for (const feed of meant) if (feed.feedId === feedId) meant.delete(feed);
  const all = [
    ...named.map(({ feedId, filters, active }) => ({ feedId, filters, active })),
    ...[...meant].map(({ feedId }) => {
      const { filters = {}, active = true } = own.get(feedId) ?? {};
      return { feedId, filters, active };
    }),
  ];
  let room = terms.feedsPerEndpoint;
  return {
    suspended: rank < terms.endpoints ? null : 'endpoint_limit',
    subscriptions: all.map((subscription) => {
      const feed = catalogue.find(subscription.feedId);
      if (feed === undefined) return { ...subscription, suspended: 'not_offered' as const };
      if (!isOpen(feed, plan)) return { ...subscription, suspended: 'tier' as const };
      return { ...subscription, suspended: room-- > 0 ? null : ('feed_limit' as const) };
    }),
  };
}
