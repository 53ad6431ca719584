// Messages between the main thread, which decides, and the gRPC thread, which sends. Updates are never sent: the thread
// takes them from shared memory.

import type { RefusalCode } from '#api/http/api-error.ts';
import type { StreamEndCode } from '#api/http/stream-end.ts';
import type { FilteredFeeds } from '#engine/delivery/filter/compiled-filter.ts';
import type { LaneOrder, LanePace } from '#engine/delivery/stream/stream-lane.ts';
import type { SessionPlace } from '#engine/delivery/stream/update-stream.ts';
import type {
  SessionsAnswer,
  SessionsRequest,
  SnapshotAnswer,
  SnapshotRequest,
  SubscribeRequest,
} from './grpc-requests.ts';

export interface GrpcRefusal {
  readonly code: RefusalCode;
  readonly message: string;
  readonly retryAfterS: string | null;
}

/** Calls have numbers, which a thread never uses twice. */
export type ToGrpc =
  | {
      readonly kind: 'opened';
      readonly call: number;
      readonly feeds: FilteredFeeds;
      readonly endless: boolean;
      readonly awaited: readonly SessionPlace[];
      readonly lanes: readonly LaneOrder[];
    }
  | { readonly kind: 'lane'; readonly call: number; readonly order: LaneOrder }
  | {
      readonly kind: 'pace';
      readonly call: number;
      readonly sessionId: string;
      readonly pace: LanePace;
      readonly position: number | null;
    }
  | { readonly kind: 'stop'; readonly call: number; readonly sessionId: string }
  | { readonly kind: 'end'; readonly call: number; readonly code: StreamEndCode }
  | { readonly kind: 'answered'; readonly call: number; readonly answer: SessionsAnswer | SnapshotAnswer }
  | { readonly kind: 'refused'; readonly call: number; readonly refusal: GrpcRefusal }
  /** Take no more calls, end those that are open, and reply `closed`. */
  | { readonly kind: 'close' };

export type GrpcWish =
  | { readonly method: 'Subscribe'; readonly request: SubscribeRequest }
  | { readonly method: 'Sessions'; readonly request: SessionsRequest }
  | { readonly method: 'Snapshot'; readonly request: SnapshotRequest };

export type FromGrpc =
  | { readonly kind: 'ready'; readonly port: number }
  | {
      readonly kind: 'call';
      readonly call: number;
      readonly wish: GrpcWish;
      /** Metadata; empty if not sent. */
      readonly authorization: string;
      readonly forwardedFor: string;
      readonly peer: string;
    }
  /** What streams have sent since the last message: for each stream and feed four numbers (SentUpdates). */
  | { readonly kind: 'sent'; readonly updates: Float64Array; readonly wallMs: number }
  /** The call is over, for whatever reason. Its last updates were reported before. */
  | { readonly kind: 'left'; readonly call: number }
  | { readonly kind: 'closed' };
