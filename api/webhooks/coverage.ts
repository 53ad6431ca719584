// What an account's plan leaves of an endpoint today. Plans and catalogues change while endpoints stay: what the customer
// configured is kept as it was written, and what is delivered of it follows from this, whenever it is asked.
//
// O1 Patterns (`*`, `analytics.*`) mean the feeds of the endpoint's series, of the plan and the catalogue of now.
// O2 What the plan does not cover is shown as suspended and gets nothing; it comes back with the plan.
// O3 Of more endpoints or feeds than the plan has room for, the oldest endpoints and the first feeds stay.

import { type FeedCatalogue, isOpen } from '#api/feeds/feed-catalogue.ts';
import { TERMS } from '#api/plans/plan.ts';
import type { FilterSpec } from '#schemas/http/filter-spec.ts';
import type { WebhookRecord } from './webhook-store.ts';

/** Why nothing is delivered of a feed: the plan does not open it, has no room for it, or nobody offers it any more. */
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
