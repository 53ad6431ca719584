// For somebody who chooses feeds and filters in the console: what each feed tells, and what a choice would let through of
// a recorded session. The engine's own filter decides, so what is shown is what would be delivered.

import type { Static } from 'typebox';
import { raceFigures } from '#api/docs/portal/feed-figures.ts';
import { FEED_OCCASIONS } from '#api/docs/portal/feed-occasions.ts';
import type { FeedCatalogue } from '#api/feeds/feed-catalogue.ts';
import { ApiError } from '#api/http/api-error.ts';
import { type Caller, type Operation, reply, sessionOperation } from '#api/http/operation.ts';
import { rateExceeded } from '#api/http/rate-exceeded.ts';
import { RecentEvents } from '#api/http/recent-events.ts';
import { readyArtifact } from '#api/simulate/ready-artifact.ts';
import type { SessionAccess } from '#api/simulate/session-access.ts';
import { subscriptionOrder } from '#api/webhooks/subscription-order.ts';
import type { Clock } from '#engine/base/clock.ts';
import { MATCH_RATE_MAX, MATCH_SAMPLE_BYTES_MAX, MATCH_SAMPLES_MAX, MATCH_UPDATES_MAX } from '#engine/base/limits.ts';
import { CompiledFilter, type FilteredFeeds } from '#engine/delivery/filter/compiled-filter.ts';
import type { PlaybackLibrary } from '#engine/intake/playback/playback-library.ts';
import { sequenceOf, type Timeline } from '#engine/timeline/timeline.ts';
import { FeedNotes, MatchAnswer, MatchQuestion } from '#schemas/http/console-choices.ts';
import type { Feed, FeedId } from '#schemas/webhook/feeds.ts';
import { PAYLOAD_SCHEMAS } from '#schemas/webhook/payloads.ts';
import { RACE_EVENT_TYPES } from '#schemas/webhook/race-event-types.ts';

export interface ChoiceRouteParts {
  readonly catalogue: FeedCatalogue;
  readonly access: Pick<SessionAccess, 'findInSeason'>;
  readonly library: Pick<PlaybackLibrary, 'open' | 'status'>;
  readonly clock: Clock;
}

export interface ChoiceRoutes {
  readonly feeds: Operation;
  readonly match: Operation;
}

type Match = NonNullable<Static<typeof MatchAnswer>['data']['match']>;
type Sample = Match['samples'][number];

export function choiceRoutes({ catalogue, access, library, clock }: ChoiceRouteParts): ChoiceRoutes {
  const tried = new RecentEvents(MATCH_RATE_MAX, clock);
  const matchOf = async (question: Static<typeof MatchQuestion>, caller: Caller): Promise<Match> => {
    const { sessionId, ...choice } = question;
    const { filters, feedIds, subscriptions } = subscriptionOrder(choice, caller.plan, catalogue);
    const own = new Map(subscriptions.map((subscription) => [subscription.feedId, subscription.filters]));
    const feeds: FilteredFeeds = {
      filters,
      subscriptions: feedIds.map((feedId) => ({ feedId, filters: own.get(feedId) ?? {}, active: true })),
    };
    await access.findInSeason(sessionId, caller);
    const { timeline, release } = await readyArtifact(library, sessionId);
    try {
      return matched(feeds, timeline);
    } finally {
      release();
    }
  };

  return {
    feeds: sessionOperation(
      { summary: 'Show what each feed tells, and how often', answer: FeedNotes, undocumented: true },
      async () => reply({ data: { feeds: notesOf(catalogue.feeds), eventTypes: [...RACE_EVENT_TYPES] } }),
    ),

    match: sessionOperation(
      {
        summary: 'Show what a choice of feeds and filters lets through of a session',
        body: MatchQuestion,
        answer: MatchAnswer,
        undocumented: true,
        takesTurns: true,
        refuses: ['rate_limit_exceeded'],
      },
      async ({ body, caller }) => {
        const waitMs = tried.waitMs(caller.accountId);
        if (waitMs > 0) throw rateExceeded(tried.rate, 'tried choices per account', waitMs);
        tried.add(caller.accountId);
        try {
          return reply({ data: { match: await matchOf(body, caller), refusal: null } });
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          return reply({ data: { match: null, refusal: { code: error.code, message: error.message } } });
        }
      },
    ),
  };
}

/** At most the first `MATCH_UPDATES_MAX` updates are asked: tens of milliseconds. */
function matched(feeds: FilteredFeeds, timeline: Timeline): Match {
  // The demo session is delivered whole; here it shows what the filters do.
  const filter = new CompiledFilter(feeds, { allFeeds: false }, timeline);
  const updates = Math.min(timeline.length, MATCH_UPDATES_MAX);
  const positions: number[] = [];
  for (let position = 0; position < updates; position++) if (filter.matches(position)) positions.push(position);
  const roster = timeline.info.rosters.at(-1)?.drivers ?? [];
  return {
    matches: positions.length,
    updates,
    samples: spread(positions).map((position) => sampleOf(timeline, position)),
    drivers: roster.map(({ number, tla, team }) => ({ number, code: tla, team })),
  };
}

/** A few of them, from the middle of equal parts: the first updates of a session are no typical ones. */
function spread(positions: readonly number[]): readonly number[] {
  if (positions.length <= MATCH_SAMPLES_MAX) return positions;
  const part = positions.length / MATCH_SAMPLES_MAX;
  return Array.from({ length: MATCH_SAMPLES_MAX }, (_, index) => positions[Math.floor((index + 0.5) * part)]!);
}

function sampleOf(timeline: Timeline, position: number): Sample {
  const body = timeline.body(position);
  return {
    sequence: sequenceOf(position),
    feedId: timeline.feedId(position),
    body: Buffer.from(body.subarray(0, MATCH_SAMPLE_BYTES_MAX)).toString(),
    cut: body.length > MATCH_SAMPLE_BYTES_MAX,
  };
}

function notesOf(feeds: readonly Feed[]): Static<typeof FeedNotes>['data']['feeds'] {
  const race = raceFigures();
  const updates = new Map(race.feeds.map((figures) => [figures.feedId, figures.updates]));
  return feeds.map(({ feedId, perDriver }) => {
    const { description = '' } = PAYLOAD_SCHEMAS[feedId as FeedId] as { readonly description?: string };
    const count = updates.get(feedId);
    return {
      feedId,
      tells: /^.*?\.(?= |$)/s.exec(description)?.[0] ?? description,
      sent: FEED_OCCASIONS[feedId as FeedId],
      perMinute: count === undefined ? null : Math.round((count / race.minutes) * 10) / 10,
      filters: feedId === 'events.race' ? 'drivers and event types' : perDriver ? 'drivers' : 'none',
    };
  });
}
