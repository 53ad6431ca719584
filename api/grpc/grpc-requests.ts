// The requests and answers of slipstream.v1 as values, and the bounds of their fields. Names are those of updates.proto.

import Type, { type Static } from 'typebox';
import { GRPC_FEEDS_NAMED_MAX } from '#engine/base/limits.ts';
import { REPLAY_SPEED_MAX, REPLAY_SPEED_MIN } from '#schemas/http/replay-speed.ts';

const POSITION_MAX = 99;

const position = Type.Optional(Type.Integer({ minimum: 1, maximum: POSITION_MAX }));

/** An absent field was not set. */
export const SubscribeRequest = Type.Object({
  session: Type.Optional(Type.String()),
  run: Type.Optional(Type.String()),
  feeds: Type.Array(Type.String(), { maxItems: GRPC_FEEDS_NAMED_MAX }),
  filters: Type.Optional(
    Type.Object({
      drivers: Type.Array(Type.String()),
      driver_numbers: Type.Array(Type.String()),
      constructors: Type.Array(Type.String()),
      event_types: Type.Array(Type.String()),
      position_min: position,
      position_max: position,
    }),
  ),
  resume_after: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  cursor: Type.Optional(Type.String()),
  speed: Type.Optional(Type.Number({ minimum: REPLAY_SPEED_MIN, maximum: REPLAY_SPEED_MAX })),
});
export type SubscribeRequest = Static<typeof SubscribeRequest>;

/** These two are checked by the operations that answer them. */
export interface SnapshotRequest {
  readonly session?: string;
  readonly feeds: readonly string[];
  readonly sequence?: number;
}

export interface SessionsRequest {
  readonly limit?: number;
  readonly offset?: number;
}

interface Timestamp {
  readonly seconds: number;
  readonly nanos: number;
}

export interface SessionsAnswer {
  readonly sessions: readonly {
    readonly session_id: string;
    readonly series_id: string;
    readonly name: string;
    readonly type: string;
    readonly circuit_name: string;
    readonly start_time: Timestamp;
    readonly duration_seconds: number;
    readonly update_count: number;
    readonly demo: boolean;
    readonly season: number;
    readonly unlocked: boolean;
    readonly prepared: boolean;
  }[];
  readonly total: number;
}

export interface SnapshotAnswer {
  readonly session_id: string;
  readonly series_id: string;
  readonly live: boolean;
  readonly sequence: number;
  readonly update_count: number;
  readonly states: readonly {
    readonly feed: string;
    readonly sequence: number;
    readonly utc: Timestamp;
    readonly json: Uint8Array;
  }[];
}

export function timestampOf(utc: string): Timestamp {
  const utcMs = Date.parse(utc);
  const ms = ((utcMs % 1_000) + 1_000) % 1_000;
  return { seconds: (utcMs - ms) / 1_000, nanos: ms * 1_000_000 };
}
