// The messages between the main thread and its shards: settings, runs and their ends. Never a delivery: shards read due
// updates from shared memory and write results straight to the database.

import type { TestOrder, TestOutcome } from '#engine/delivery/endpoint/test-delivery.ts';
import type { EndpointSettings } from '#engine/delivery/endpoint-settings.ts';
import type { RunOrder, StopReason } from '#engine/delivery/run-order.ts';
import type { SharedTimeline } from '#engine/timeline/shared-timeline.ts';
import type { Snapshots } from '#engine/timeline/snapshots.ts';

export type ToShard =
  | {
      readonly kind: 'run.start';
      readonly run: RunOrder;
      readonly timeline: SharedTimeline;
      readonly endpoints: readonly EndpointSettings[];
      /** Resume from the checkpoints in the database rather than start at position 0. */
      readonly resumed: boolean;
      /** The ids of those endpoints that were deleted. */
      readonly deleted: readonly string[];
      /** Why the run was stopped; null if it was not. */
      readonly stopping: StopReason | null;
      /** Whether the shard is to let go of it at once, as by `run.park`. */
      readonly parking: boolean;
    }
  /** More endpoints for a live run. Their checkpoints say where they begin. */
  | { readonly kind: 'run.join'; readonly runId: string; readonly endpoints: readonly EndpointSettings[] }
  | { readonly kind: 'run.stop'; readonly runId: string; readonly reason: StopReason }
  /** Let go of a replay: its attempts under way end, its checkpoints are recorded, `run.parked` follows. */
  | { readonly kind: 'run.park'; readonly runId: string }
  | { readonly kind: 'endpoints.changed'; readonly settings: readonly EndpointSettings[] }
  | { readonly kind: 'endpoint.deleted'; readonly webhookId: string }
  /** The snapshots at a position of a run; null: they could not be made this time. */
  | {
      readonly kind: 'snapshots.made';
      readonly runId: string;
      readonly position: number;
      readonly snapshots: Snapshots | null;
    }
  /** One attempt of a sample. `test.ended` follows once it is recorded. */
  | { readonly kind: 'test.start'; readonly order: TestOrder }
  /** Start nothing more, finish the attempts in flight, record or keep everything, reply `drained`. */
  | { readonly kind: 'drain' };

export type FromShard =
  | { readonly kind: 'ready' }
  /** The run's first attempt has started on this shard. It unlocks the session's simulate slot. */
  | { readonly kind: 'run.first-attempt'; readonly runId: string }
  /**
   * Every endpoint of the run on this shard is settled and recorded, including those of the first `joins` `run.join`s.
   */
  | { readonly kind: 'run.settled'; readonly runId: string; readonly joins: number }
  /** The shard holds nothing of the run any more. Its checkpoints are recorded, and say where it continues. */
  | { readonly kind: 'run.parked'; readonly runId: string }
  /** Actors wait for the snapshots at this position. `snapshots.made` follows. */
  | { readonly kind: 'snapshots.wanted'; readonly runId: string; readonly position: number }
  | { readonly kind: 'test.ended'; readonly testId: number; readonly outcome: TestOutcome }
  /** Whether the record buffer is full, so that new attempts wait for the database. */
  | { readonly kind: 'records'; readonly full: boolean }
  /** `lost`: batches of attempts that could be neither recorded nor kept for the next start. */
  | { readonly kind: 'drained'; readonly lost: number };
