// The feed catalogue from a customer's side: which plan opens which feeds, and what a wildcard stands for.
//
// An endpoint gets the feeds of one series. `*` means all feeds of its series rather than of all that are offered: then
// `seriesId` is true of every delivery, and a series that is offered anew sends, and costs, nobody anything unasked.

import { ApiError } from '#api/http/api-error.ts';
import { violationText } from '#api/http/violations.ts';
import { type Plan, TERMS } from '#api/plans/plan.ts';
import { FEEDS_PER_REQUEST_MAX } from '#engine/base/limits.ts';
import { quoted } from '#engine/base/quoted-text.ts';
import type { Feed } from '#schemas/webhook/feeds.ts';

const ALL = '*';

/** What a request subscribes to. */
export interface Selection {
  readonly seriesId: string;
  /** Feeds that it names, each once, in its order. */
  readonly named: readonly Feed[];
  /** Patterns that it names, each once. */
  readonly patterns: readonly string[];
  /** What that means today: the named feeds, then those that the patterns mean. */
  readonly feeds: readonly Feed[];
}

export class FeedCatalogue {
  readonly feeds: readonly Feed[];
  readonly #byId: ReadonlyMap<string, Feed>;

  /** `feeds` has those of the first series first: it is meant where no other is named. */
  constructor(feeds: readonly Feed[]) {
    this.feeds = feeds;
    this.#byId = new Map(feeds.map((feed) => [feed.feedId, feed]));
  }

  find(feedId: string): Feed | undefined {
    return this.#byId.get(feedId);
  }

  /** What the plan opens, by id. */
  feedIdsOf(plan: Plan): string[] {
    return this.feeds.filter((feed) => isOpen(feed, plan)).map(({ feedId }) => feedId);
  }

  /**
   * What these names mean to this plan. `wildcards`: `*` is every feed of the series and plan, `analytics.*` every feed of
   * that group in the plan. Refuses names of several series, unknown ones, then feeds that the plan does not open.
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
        `${place} names ${names.length} feeds, at most ${FEEDS_PER_REQUEST_MAX} are possible`,
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
        `${place} names feeds of ${seriesIds.join(' and ')}; an endpoint gets those of one series: make one for each`,
      );
    }
    const seriesId = seriesIds[0] ?? this.feeds[0]!.seriesId;
    for (const name of names) {
      const pattern = isNamedBy(name);
      const feeds = pattern ? this.named(name, seriesId) : [this.find(name)].filter((feed) => feed !== undefined);
      const open = feeds.filter((feed) => isOpen(feed, plan));
      if (feeds.length === 0) unknown.push(quoted(name));
      // A group of which the plan opens a part stands for that part; one that it does not open at all is a refusal.
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

  /** The feeds of a series that a pattern names, whatever the plan, in the catalogue's order. */
  named(pattern: string, seriesId: string): readonly Feed[] {
    return this.feeds.filter((feed) => feed.seriesId === seriesId && isMeant(feed, pattern));
  }

  /** The series of which these names name something. */
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

/** Analytics are out of reach for Free (403); otherwise the next plan would open the feed (402). */
function tierRefusal(feeds: readonly Feed[], plan: Plan): ApiError {
  const names = feeds.map(
    ({ feedId, availability }) => `${feedId} needs ${availability === 'live' ? 'Developer' : 'Custom'}`,
  );
  const insufficient = plan === 'free' && feeds.some(({ availability }) => availability === 'analytics');
  return new ApiError(
    insufficient ? 'insufficient_tier' : 'tier_required',
    `${violationText(names)}; this account is on ${plan}.`,
  );
}
