// What a client asks a stream for, whatever the protocol, and what of it the account's plan allows.

import type { FeedCatalogue } from '#api/feeds/feed-catalogue.ts';
import { ApiError } from '#api/http/api-error.ts';
import { refuseViolations } from '#api/http/violations.ts';
import type { Plan } from '#api/plans/plan.ts';
import type { FilteredFeeds } from '#engine/delivery/filter/compiled-filter.ts';
import { parseFilters } from '#engine/delivery/filter/filter-parser.ts';
import { END_OF_STREAM, type GivenPlace, parsePlaces } from './stream-place.ts';

/** Names are those of the query of `GET /v1/stream`. */
export interface StreamRequest {
  /** `live`, or a session id. Exactly one of `session` and `run` is given. */
  readonly session: string | null;
  readonly run: string | null;
  /** Ids and patterns; empty: all that the plan opens. */
  readonly feeds: readonly string[];
  /** As of a webhook; keys that are absent filter nothing. */
  readonly filters: Readonly<Record<string, unknown>>;
  /** The sequence after which to begin. */
  readonly after: number | null;
  /** The id of the last event that the client has seen; empty for a new stream. */
  readonly place: string;
  readonly speed: number | null;
  /** What the client calls these. Default: the names of `GET /v1/stream`. */
  readonly words?: StreamWords;
}

/** Fields of a request whose names depend on the protocol. */
export interface StreamWords {
  readonly after: string;
  readonly place: string;
  /** Where the place comes from. */
  readonly placeSource: string;
}

/** What is to be streamed. */
export type StreamSubject =
  | { readonly kind: 'live' }
  | { readonly kind: 'session'; readonly sessionId: string; readonly speed: number | null }
  | { readonly kind: 'run'; readonly runId: string };

/** Where to begin: at the default place, after a sequence, after what the client has seen, or nowhere: it has seen all. */
export type StreamStart =
  | { readonly kind: 'default' }
  | { readonly kind: 'after'; readonly sequence: number }
  | { readonly kind: 'resume'; readonly places: readonly GivenPlace[] }
  | { readonly kind: 'over' };

export const LIVE = 'live';
const EVERYTHING = ['*'];
const QUERY_WORDS: StreamWords = { after: 'after', place: 'Last-Event-ID', placeSource: 'the id of an event' };

export function wordsOf({ words }: StreamRequest): StreamWords {
  return words ?? QUERY_WORDS;
}

/** Throws an ApiError for parameters that exclude each other. */
export function subjectOf(request: StreamRequest): StreamSubject {
  const { session, run, speed, after } = request;
  if ((session === null) === (run === null)) {
    const found = session === null ? 'neither is' : 'both are';
    throw refusal(`exactly one of session and run is required, and ${found} given`);
  }
  if (run !== null) {
    if (speed !== null) throw refusal('speed is not for run: a run has its own');
    return { kind: 'run', runId: run };
  }
  if (session !== LIVE) return { kind: 'session', sessionId: session!, speed };
  if (speed !== null) throw refusal('speed is not for session=live: live sessions have their own pace');
  const words = wordsOf(request);
  if (after !== null) throw refusal(`${words.after} is not for session=live: name one session, or send ${words.place}`);
  return { kind: 'live' };
}

/** What the client has seen counts before `after`, which clients send again when they come back. */
export function startOf(request: StreamRequest): StreamStart {
  const { after, place } = request;
  const words = wordsOf(request);
  const places = parsePlaces(place, words.place, words.placeSource);
  if (places === END_OF_STREAM) return { kind: 'over' };
  if (places !== null) return { kind: 'resume', places };
  return after === null ? { kind: 'default' } : { kind: 'after', sequence: after };
}

export interface ChosenFeeds {
  readonly seriesId: string;
  readonly feedIds: readonly string[];
  readonly feeds: FilteredFeeds;
}

/** Throws an ApiError for feeds that are unknown or not open to the plan, and for filters that are not valid. */
export function chosenFeeds({ feeds, filters }: StreamRequest, plan: Plan, catalogue: FeedCatalogue): ChosenFeeds {
  const names = feeds.length === 0 ? EVERYTHING : feeds;
  const { seriesId, feeds: selected, patterns } = select(catalogue, names, plan);
  const feedIds = selected.map(({ feedId }) => feedId);
  const given = Object.keys(filters).length > 0;
  const parsed = parseFilters(filters, { scope: 'endpoint', feedIds, patterns: patterns.length > 0 });
  if (given && 'violations' in parsed) refuseViolations('invalid_filters', parsed.violations);
  return {
    seriesId,
    feedIds,
    feeds: {
      filters: 'ok' in parsed ? parsed.ok : {},
      subscriptions: feedIds.map((feedId) => ({ feedId, filters: {}, active: true })),
    },
  };
}

function select(catalogue: FeedCatalogue, names: readonly string[], plan: Plan) {
  try {
    return catalogue.select(names, plan, 'feeds', true);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'invalid_body') throw error;
    throw refusal(
      error.message.replace(
        'an endpoint has one series: create an endpoint for each',
        'a stream has one series: open one for each',
      ),
    );
  }
}

export function refusal(message: string): ApiError {
  return new ApiError('invalid_query', message);
}
