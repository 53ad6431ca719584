// Which states a request asks for: of the feeds that it names, or of all that the plan opens.

import { type FeedCatalogue, isOpen } from '#api/feeds/feed-catalogue.ts';
import { ApiError } from '#api/http/api-error.ts';
import { violationText } from '#api/http/violations.ts';
import type { Plan } from '#api/plans/plan.ts';
import { FEEDS_PER_REQUEST_MAX } from '#engine/base/limits.ts';
import { quoted } from '#engine/base/quoted-text.ts';
import { FEED_STATES } from '#schemas/webhook/feed-states.ts';
import type { Feed, FeedId } from '#schemas/webhook/feeds.ts';

export interface NamedFeeds {
  readonly feed?: string;
  /** Joined by commas. */
  readonly feeds?: string;
}

export interface StateScope {
  readonly seriesId: string;
  readonly plan: Plan;
  /** Every plan opens all feeds of the demo session, as in its replay. */
  readonly demo: boolean;
}

const ALL = '*';

/**
 * Returns feeds with a state, in the order of the catalogue. Throws an ApiError for names that are unknown, that have no
 * state, or that the plan does not open.
 */
export function stateFeeds(catalogue: FeedCatalogue, named: NamedFeeds, scope: StateScope): FeedId[] {
  const { seriesId, plan, demo } = scope;
  const chosen = new Set<Feed>();
  const closed: string[] = [];
  const wrong: string[] = [];
  for (const name of namesOf(named)) {
    const isPattern = name === ALL || name.endsWith('.*');
    const feeds = isPattern
      ? catalogue.named(name, seriesId)
      : catalogue.feeds.filter((feed) => feed.feedId === name && feed.seriesId === seriesId);
    const open = feeds.filter((feed) => demo || isOpen(feed, plan));
    if (feeds.length === 0) wrong.push(`this session has no feed ${quoted(name)} (GET /v1/feeds lists them)`);
    else if (!isPattern && !hasState(feeds[0]!)) wrong.push(`${name} has no state: each of its updates is complete`);
    else if (open.length === 0) closed.push(...feeds.map(({ feedId }) => feedId));
    for (const feed of open) if (hasState(feed)) chosen.add(feed);
  }
  if (wrong.length > 0) throw new ApiError('invalid_query', violationText(wrong));
  // Refuses in the words in which a subscription is refused.
  if (closed.length > 0) catalogue.select(closed, plan, 'feeds', false);
  return catalogue.feeds.filter((feed) => chosen.has(feed)).map(({ feedId }) => feedId as FeedId);
}

function namesOf({ feed, feeds }: NamedFeeds): readonly string[] {
  if (feed !== undefined && feeds !== undefined)
    throw new ApiError('invalid_query', 'feed and feeds exclude each other: name all feeds in feeds');
  if (feed === undefined && feeds === undefined) return [ALL];
  const names = feed !== undefined ? [feed] : feeds!.split(',').map((name) => name.trim());
  if (names.length > FEEDS_PER_REQUEST_MAX) {
    const most = `at most ${FEEDS_PER_REQUEST_MAX} are allowed`;
    throw new ApiError('invalid_query', `feeds names ${names.length} feeds; ${most}`);
  }
  return names;
}

function hasState({ feedId }: Feed): boolean {
  return FEED_STATES[feedId as FeedId].kind !== 'none';
}
