// The actors of one run on one shard, by what they get. Thousands of endpoints mostly share a few filters, so an update is
// matched once for each audience, and only actors that get it take a turn. The others stay where they are in the timeline,
// and skip later what their audience did not get.
//
// AU1 Each update that falls due is matched once for each audience. If the audience gets it, all its actors are to take a turn.
// AU2 An actor skips positions only if its audience matched each of them and got none. What fell due before the audience
//     existed counts as not matched: its actors look for themselves.

import type { EndpointSettings } from '#engine/delivery/endpoint-settings.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import type { FilterSpec } from '#schemas/http/filter-spec.ts';
import { feedNumber } from '#schemas/webhook/feeds.ts';
import { CompiledFilter, type FeedScope, type FilteredFeeds } from './compiled-filter.ts';

export class Audience<Actor> {
  readonly filter: CompiledFilter;
  readonly key: string;
  /** As many as the run has endpoints at most. */
  readonly actors = new Set<Actor>();
  /** It got nothing from `#quietFrom` to before `#quietUntil`, nor from `#unmatchedFrom` to before `#matched`. */
  #quietFrom = 0;
  #quietUntil = 0;
  #unmatchedFrom: number;
  #matched: number;

  /** Positions before `matched` fell due before it existed. */
  constructor(key: string, filter: CompiledFilter, matched: number) {
    this.key = key;
    this.filter = filter;
    this.#unmatchedFrom = matched;
    this.#matched = matched;
  }

  /** Matches the positions up to before `due`. Returns whether it gets one of them. If it throws, actors skip none of them. */
  gets(due: number): boolean {
    const quietFrom = this.#unmatchedFrom;
    let first = this.#matched;
    this.#unmatchedFrom = due;
    this.#matched = due;
    while (first < due && !this.filter.matches(first)) first++;
    if (first === due) {
      this.#unmatchedFrom = quietFrom;
      return false;
    }
    this.#quietFrom = quietFrom;
    this.#quietUntil = first;
    let last = due - 1;
    while (last > first && !this.filter.matches(last)) last--;
    this.#unmatchedFrom = last + 1;
    return true;
  }

  /** Returns the first position from this one on at which an actor must look for itself (AU2). */
  nextFrom(position: number): number {
    if (position >= this.#unmatchedFrom) return Math.max(position, this.#matched);
    return position >= this.#quietFrom && position < this.#quietUntil ? this.#quietUntil : position;
  }
}

export class Audiences<Actor> {
  readonly #scope: FeedScope;
  readonly #timeline: Timeline;
  /** As many as the run has endpoints at most. */
  readonly #audiences = new Map<string, Audience<Actor>>();
  /** Positions before this one have been matched. */
  #matched = 0;

  constructor(scope: FeedScope, timeline: Timeline) {
    this.#scope = scope;
    this.#timeline = timeline;
  }

  join(actor: Actor, feeds: FilteredFeeds): Audience<Actor> {
    const key = this.#scope.allFeeds ? '' : feedsKey(feeds);
    let audience = this.#audiences.get(key);
    if (audience === undefined) {
      audience = new Audience(key, new CompiledFilter(feeds, this.#scope, this.#timeline), this.#matched);
      this.#audiences.set(key, audience);
    }
    audience.actors.add(actor);
    return audience;
  }

  leave(actor: Actor, audience: Audience<Actor>): void {
    audience.actors.delete(actor);
    if (audience.actors.size === 0) this.#audiences.delete(audience.key);
  }

  /** Calls `ready` with every actor that gets an update from before `due` that was not due before (AU1). */
  fallDue(due: number, ready: (actor: Actor) => void): void {
    this.#matched = due;
    for (const audience of this.#audiences.values()) if (getsOrThrows(audience, due)) audience.actors.forEach(ready);
  }
}

/** A filter that throws does so again for each of its actors, which harms no others (S2). */
function getsOrThrows(audience: Audience<unknown>, due: number): boolean {
  try {
    return audience.gets(due);
  } catch {
    return true;
  }
}

/** Feeds with equal keys get the same updates. */
export function feedsKey({ filters, subscriptions }: Pick<EndpointSettings, 'filters' | 'subscriptions'>): string {
  let key = textOf(filters);
  for (const { feedId, active, filters: own } of subscriptions)
    if (active) key += ` ${feedNumber(feedId)}${textOf(own)}`;
  return key;
}

function textOf(filters: FilterSpec): string {
  for (const _ in filters) return JSON.stringify(filters);
  return '';
}
