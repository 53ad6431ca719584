// Which feeds an endpoint shall get, as the feed picker keeps it, and what of it the plan includes.

import type { Feed } from '#api/client/calls.ts';

export interface FeedChoice {
  /** `everything`: all that the plan has, also feeds that it gets later. */
  readonly kind: 'everything' | 'these';
  /** Kept while everything is chosen: the way back leads to them. */
  readonly feedIds: readonly string[];
}

export interface FeedGroup {
  readonly name: GroupName;
  readonly feeds: readonly Feed[];
}

export type GroupName = 'session' | 'timing' | 'cars' | 'events' | 'analytics' | 'others';

/** By what stands before the first dot of the id. */
const GROUPS: Readonly<Record<string, GroupName>> = {
  session: 'session',
  track: 'session',
  'race-control': 'session',
  lap: 'session',
  weather: 'session',
  heartbeat: 'session',
  timing: 'timing',
  championship: 'timing',
  tire: 'cars',
  'pit-lane': 'cars',
  car: 'cars',
  team: 'cars',
  events: 'events',
  analytics: 'analytics',
};
const ORDER: readonly GroupName[] = ['session', 'timing', 'cars', 'events', 'analytics', 'others'];

/** Those that have feeds, in the order in which they are shown. */
export function groupsOf(feeds: readonly Feed[]): readonly FeedGroup[] {
  const groupOf = ({ feedId }: Feed): GroupName => GROUPS[feedId.split('.', 1)[0]!] ?? 'others';
  return ORDER.map((name) => ({ name, feeds: feeds.filter((feed) => groupOf(feed) === name) })).filter(
    (group) => group.feeds.length > 0,
  );
}

export function isOpen({ availability }: Feed, { opens }: { readonly opens: readonly string[] }): boolean {
  return opens.includes(availability);
}

export function isChosen({ feedId }: Feed, choice: FeedChoice): boolean {
  return choice.kind === 'everything' || choice.feedIds.includes(feedId);
}

/** The choice with these feeds in it, or without them. */
export function withFeeds(choice: FeedChoice, feeds: readonly Feed[], chosen: boolean): FeedChoice {
  const ids = feeds.map(({ feedId }) => feedId);
  const rest = choice.feedIds.filter((feedId) => !ids.includes(feedId));
  return { kind: 'these', feedIds: chosen ? [...rest, ...ids] : rest };
}

/** As requests name feeds. Empty: nothing is chosen yet. */
export function feedIdsOf(choice: FeedChoice): readonly string[] {
  return choice.kind === 'everything' ? ['*'] : choice.feedIds;
}

/** The choice of an endpoint that exists. */
export function choiceOf({
  feedPatterns,
  subscriptions,
}: {
  readonly feedPatterns: readonly string[];
  readonly subscriptions: readonly { readonly feedId: string }[];
}): FeedChoice {
  if (feedPatterns.includes('*')) return { kind: 'everything', feedIds: [] };
  return { kind: 'these', feedIds: subscriptions.map(({ feedId }) => feedId) };
}
