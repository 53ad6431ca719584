// The feed catalogue from a customer's side: which plan opens which feeds, and what a wildcard stands for.

import { ApiError } from '#api/http/api-error.ts';
import { violationText } from '#api/http/violations.ts';
import type { Plan } from '#api/plans/plan.ts';
import { FEEDS_PER_REQUEST_MAX } from '#engine/limits.ts';
import { quoted } from '#engine/quoted-text.ts';
import type { Availability, Feed } from '#schemas/webhook/feeds.ts';

/** The one series that is served today. */
export const SERIES_ID = 'f1';

const OPEN: Readonly<Record<Plan, ReadonlySet<Availability>>> = {
  free: new Set(['free']),
  developer: new Set(['free', 'live']),
  custom: new Set(['free', 'live', 'analytics']),
};

export class FeedCatalogue {
  readonly feeds: readonly Feed[];
  readonly #byId: ReadonlyMap<string, Feed>;

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
   * The feeds that a request names, each once, in its order. `wildcards`: `*` is every feed of the plan, `analytics.*`
   * every feed of that group in the plan. Refuses unknown names, then feeds that the plan does not open.
   */
  select(names: readonly string[], plan: Plan, place: string, wildcards: boolean): Feed[] {
    const unknown: string[] = [];
    const closed = new Set<Feed>();
    const selected = new Set<Feed>();
    if (names.length > FEEDS_PER_REQUEST_MAX) {
      throw new ApiError(
        'invalid_body',
        `${place} names ${names.length} feeds, at most ${FEEDS_PER_REQUEST_MAX} are possible`,
      );
    }
    for (const name of names) {
      const named = this.#named(name, wildcards);
      const open = named.filter((feed) => isOpen(feed, plan));
      if (named.length === 0) unknown.push(quoted(name));
      // A group of which the plan opens a part stands for that part; one that it does not open at all is a refusal.
      if (open.length === 0) for (const feed of named) closed.add(feed);
      for (const feed of open) selected.add(feed);
    }
    if (unknown.length > 0) {
      throw new ApiError(
        'invalid_body',
        `${place}: there is no feed ${violationText(unknown)} (GET /v1/feeds lists them)`,
      );
    }
    if (closed.size > 0) throw tierRefusal([...closed], plan);
    return [...selected];
  }

  #named(name: string, wildcards: boolean): readonly Feed[] {
    if (wildcards && name === '*') return this.feeds;
    if (wildcards && name.endsWith('.*'))
      return this.feeds.filter(({ feedId }) => feedId.startsWith(name.slice(0, -1)));
    const feed = this.find(name);
    return feed === undefined ? [] : [feed];
  }
}

function isOpen(feed: Feed, plan: Plan): boolean {
  return OPEN[plan].has(feed.availability);
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
