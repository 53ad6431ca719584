// How a session is to be replayed, as requests say it: in the query of a stream, or in the body of a replay to endpoints.

import type { Static } from 'typebox';
import { ApiError, type RefusalCode } from '#api/http/api-error.ts';
import { refuseViolations } from '#api/http/violations.ts';
import { REPLAY_ENDPOINTS_CHOSEN_MAX } from '#engine/base/limits.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import type { ReplayRequest, StreamQuery } from '#schemas/http/runs.ts';
import { positionOfPlace, type ReplayPlace } from './replay-place.ts';
import type { Sinks } from './run-store.ts';

export interface ReplayOrder {
  readonly speed: number;
  readonly sinks: Sinks;
  /** The first position to play. Throws an ApiError if the session has no such place. */
  readonly from: (timeline: Timeline) => number;
  readonly ordered: boolean;
  /** The endpoints that get it, each once, in the order in which they were given; null: all of the account. */
  readonly webhookIds: readonly string[] | null;
}

/** Throws an ApiError if its parameters do not go together. */
export function orderOfQuery(query: Static<typeof StreamQuery>): ReplayOrder {
  const { speed = 1, sinks = 'visual', webhookIds } = query;
  const ordered = query.ordered === 'true';
  if (sinks === 'visual') {
    const ofDeliveries = [...(webhookIds === undefined ? [] : ['webhookIds']), ...(ordered ? ['ordered=true'] : [])];
    refuseViolations(
      'invalid_query',
      ofDeliveries.map(
        (name) => `${name} goes with sinks=webhook or sinks=both: with sinks=visual nothing is delivered`,
      ),
    );
  }
  const ids = webhookIds?.split(',').map((id) => id.trim());
  return {
    speed,
    sinks,
    from: placeOf(query, 'invalid_query'),
    ordered,
    webhookIds: chosen(ids, 'invalid_query', 'join ids with single commas'),
  };
}

/** Throws an ApiError if it names too many endpoints, or one without an id. */
export function orderOfBody(body: Static<typeof ReplayRequest>): ReplayOrder {
  const { speed = 1, ordered = false, webhookIds } = body;
  return {
    speed,
    sinks: 'webhook',
    from: placeOf(body, 'invalid_body'),
    ordered,
    webhookIds: chosen(webhookIds, 'invalid_body', 'leave it out'),
  };
}

function placeOf({ sequence, lap, time, seconds }: ReplayPlace, code: RefusalCode): ReplayOrder['from'] {
  const isGiven = [sequence, lap, time, seconds].some((one) => one !== undefined);
  return isGiven ? (timeline) => positionOfPlace({ sequence, lap, time, seconds }, timeline, code) : () => 0;
}

function chosen(ids: readonly string[] | undefined, code: RefusalCode, remedy: string): readonly string[] | null {
  if (ids === undefined) return null;
  if (ids.length > REPLAY_ENDPOINTS_CHOSEN_MAX)
    throw new ApiError(
      code,
      `webhookIds names ${ids.length} endpoints; at most ${REPLAY_ENDPOINTS_CHOSEN_MAX} are allowed`,
    );
  if (ids.includes('')) throw new ApiError(code, `webhookIds has an empty id: ${remedy}`);
  return [...new Set(ids)];
}
