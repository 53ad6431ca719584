// Parses the subscriptions of a request: one of three ways to name feeds, with filters for the endpoint and for each feed.

import type { Static } from 'typebox';
import type { FeedCatalogue } from '#api/feeds/feed-catalogue.ts';
import { ApiError } from '#api/http/api-error.ts';
import { refuseViolations } from '#api/http/violations.ts';
import { PLAN_NAMES, type Plan, TERMS } from '#api/plans/plan.ts';
import { quoted } from '#engine/base/quoted-text.ts';
import { type FilterContext, parseFilters } from '#engine/delivery/filter/filter-parser.ts';
import type { FilterSpec } from '#schemas/http/filter-spec.ts';
import type { WebhookCreation } from '#schemas/http/webhooks.ts';
import type { NewSubscription } from './webhook-store.ts';

export interface SubscriptionOrder {
  /** The series of its feeds. */
  readonly seriesId: string;
  readonly filters: FilterSpec;
  /** Patterns of `feedIds`, as they were written. */
  readonly feedPatterns: readonly string[];
  /** What all that means today. */
  readonly feedIds: readonly string[];
  /** The feeds that were named. */
  readonly subscriptions: readonly NewSubscription[];
}

/** What a request says about feeds. */
type Body = Partial<Static<typeof WebhookCreation>>;

const SELECTORS = ['feedId', 'feedIds', 'subscriptions'] as const;

/** Whether a change names feeds. They become the endpoint's new set. */
export function selectsFeeds(body: Body): boolean {
  return SELECTORS.some((selector) => body[selector] !== undefined);
}

/** `filtersPlace` names the endpoint's filters in messages. */
export function subscriptionOrder(
  body: Body,
  plan: Plan,
  catalogue: FeedCatalogue,
  filtersPlace = 'filters',
): SubscriptionOrder {
  const given = SELECTORS.filter((selector) => body[selector] !== undefined);
  if (given.length !== 1) {
    const found = given.length === 0 ? 'none of them is' : `${given.join(' and ')} are`;
    throw new ApiError('invalid_body', `exactly one of ${SELECTORS.join(', ')} is required, and ${found} given`);
  }
  const place = given[0]!;
  const named = body.subscriptions?.map(({ feedId }) => feedId) ?? body.feedIds ?? [body.feedId!];
  const selected = catalogue.select(named, plan, place, place === 'feedIds');
  const feedIds = selected.feeds.map(({ feedId }) => feedId);
  if (body.subscriptions !== undefined) refuseRepeats(named);

  const violations: string[] = [];
  const whole = { scope: 'endpoint', feedIds, patterns: selected.patterns.length > 0 } as const;
  const filters = parsed(body.filters, whole, filtersPlace, violations) ?? {};
  const subscriptions = selected.named.map((feed, index) => ({
    feedId: feed.feedId,
    filters: parsed(
      body.subscriptions?.[index]?.filters,
      { scope: 'feed', feed },
      `subscriptions[${index}].filters`,
      violations,
    ),
  }));
  refuseViolations('invalid_filters', violations);
  const { feedsPerEndpoint } = TERMS[plan];
  if (feedIds.length > feedsPerEndpoint) {
    const most = `${feedsPerEndpoint} feeds for an endpoint, and this asks for ${feedIds.length}`;
    throw new ApiError(
      'plan_limit_reached',
      `The plan ${PLAN_NAMES[plan]} has room for ${most}: choose fewer, or take a higher plan.`,
    );
  }
  return { seriesId: selected.seriesId, filters, feedPatterns: selected.patterns, feedIds, subscriptions };
}

/** Two entries for one feed would be ambiguous. */
function refuseRepeats(feedIds: readonly string[]): void {
  const repeated = feedIds.filter((feedId, index) => feedIds.indexOf(feedId) !== index);
  refuseViolations(
    'invalid_body',
    [...new Set(repeated)].map((feedId) => `subscriptions names ${quoted(feedId)} more than once`),
  );
}

/** Null if no filters are given. */
function parsed(value: unknown, context: FilterContext, place: string, violations: string[]): FilterSpec | null {
  if (value === undefined) return null;
  const result = parseFilters(value, context, place);
  if ('ok' in result) return result.ok;
  violations.push(...result.violations);
  return {};
}

/** Filters of a change request, or null when it has none. */
export function changedFilters(value: unknown, context: FilterContext): FilterSpec | null {
  const violations: string[] = [];
  const filters = parsed(value, context, 'filters', violations);
  refuseViolations('invalid_filters', violations);
  return filters;
}
