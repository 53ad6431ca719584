// The feed catalogue for customers: which plan includes which feeds, and what a wildcard matches.
//
// An endpoint gets the feeds of one series. `*` matches all feeds of that series, not of every series. So `seriesId`
// holds for every delivery, and a newly offered series neither reaches nor costs a customer who did not ask for it.

import { ApiError } from '#api/http/api-error.ts';
import { violationText } from '#api/http/violations.ts';
import { PLAN_NAMES, type Plan, plansWith, TERMS } from '#api/plans/plan.ts';
import { FEEDS_PER_REQUEST_MAX } from '#engine/base/limits.ts';
import { quoted } from '#engine/base/quoted-text.ts';
import type { Feed } from '#schemas/webhook/feeds.ts';

const ALL = '*';

/** What a request subscribes to. */
export interface Selection {
  readonly seriesId: string;
  /** The feeds given by name, without duplicates, in the order of the request. */
  readonly named: readonly Feed[];
  /** The patterns, without duplicates. */
  readonly patterns: readonly string[];
  /** All selected feeds today: the named ones, then those that the patterns match. */
  readonly feeds: readonly Feed[];
}

export class FeedCatalogue {
  readonly feeds: readonly Feed[];
  readonly #byId: ReadonlyMap<string, Feed>;

  /** The feeds of the default series come first. A request that names no series means that one. */
  constructor(feeds: readonly Feed[]) {
    this.feeds = feeds;
    this.#byId = new Map(feeds.map((feed) => [feed.feedId, feed]));
  }

  find(feedId: string): Feed | undefined {
    return this.#byId.get(feedId);
  }

  /** The ids of the feeds that the plan includes. */
  feedIdsOf(plan: Plan): string[] {
    return this.feeds.filter((feed) => isOpen(feed, plan)).map(({ feedId }) => feedId);
  }

  /**
   * Selects the feeds of this plan with these names. With `wildcards`, `*` matches every feed of the series in the
   * plan, and `analytics.*` every feed of that group. Throws for names of several series, then unknown names, then
   * feeds outside the plan.
   */
  select(names: readonly string[], plan: Plan, place: string, wildcards: boolean): Selection {
    const unknown: string[] = [];
    const closed = new Set<Feed>();
    const named = new Set<Feed>();
    const patterns = new Set<string>();
    const meant = new Set<Feed>();
    if (names.length > FEEDS_PER_REQUEST_MAX) {
      throw new ApiError(
        'invalid_body',
        `${place} names ${names.length} feeds; at most ${FEEDS_PER_REQUEST_MAX} are allowed`,
      );
    }
    const isNamedBy = (name: string): boolean => wildcards && isPattern(name);
    const seriesIds = this.#seriesOf(
      names.filter((name) => name !== ALL),
      isNamedBy,
    );
    if (seriesIds.length > 1) {
      throw new ApiError(
        'invalid_body',
        `${place} names feeds of ${seriesIds.join(' and ')}; an endpoint has one series: create an endpoint for each`,
      );
    }
    const seriesId = seriesIds[0] ?? this.feeds[0]!.seriesId;
    for (const name of names) {
      const pattern = isNamedBy(name);
      const feeds = pattern ? this.named(name, seriesId) : [this.find(name)].filter((feed) => feed !== undefined);
      const open = feeds.filter((feed) => isOpen(feed, plan));
      if (feeds.length === 0) unknown.push(quoted(name));
      // If the plan includes part of a group, the pattern means that part. If it includes none of it, the request is
      // refused.
      if (open.length === 0) for (const feed of feeds) closed.add(feed);
      if (pattern) patterns.add(name);
      for (const feed of open) (pattern ? meant : named).add(feed);
    }
    if (unknown.length > 0) {
      throw new ApiError(
        'invalid_body',
        `${place}: there is no feed ${violationText(unknown)} (GET /v1/feeds lists them)`,
      );
    }
    if (closed.size > 0) throw tierRefusal([...closed], plan);
    return { seriesId, named: [...named], patterns: [...patterns], feeds: [...new Set([...named, ...meant])] };
  }

  /** The feeds of a series that match a pattern, in any plan, in catalogue order. */
  named(pattern: string, seriesId: string): readonly Feed[] {
    return this.feeds.filter((feed) => feed.seriesId === seriesId && isMeant(feed, pattern));
  }

  /** The series of the feeds with these names. */
  #seriesOf(names: readonly string[], isPattern: (name: string) => boolean): string[] {
    const named = names.flatMap((name) =>
      this.feeds.filter((feed) => (isPattern(name) ? isMeant(feed, name) : feed.feedId === name)),
    );
    return [...new Set(named.map(({ seriesId }) => seriesId))];
  }
}

export function isOpen(feed: Feed, plan: Plan): boolean {
  return TERMS[plan].opens.has(feed.availability);
}

function isPattern(name: string): boolean {
  return name === ALL || name.endsWith('.*');
}

function isMeant({ feedId }: Feed, pattern: string): boolean {
  return pattern === ALL || feedId.startsWith(pattern.slice(0, -1));
}

/**
 * Free cannot reach analytics feeds with the next plan (403). In all other cases the next plan includes the feed (402).
 */
function tierRefusal(feeds: readonly Feed[], plan: Plan): ApiError {
  const names = feeds.map(
    ({ feedId, availability }) => `${feedId} needs ${plansWith(({ opens }) => opens.has(availability))}`,
  );
  const insufficient = plan === 'free' && feeds.some(({ availability }) => availability === 'analytics');
  return new ApiError(
    insufficient ? 'insufficient_tier' : 'tier_required',
    `${violationText(names)}; this account is on ${PLAN_NAMES[plan]}.`,
  );
}
