// What the main thread and its shards say to each other: settings, runs and their ends. Never a delivery: due updates
// are read from shared memory and outcomes go straight to the database.

import type { TestOrder, TestOutcome } from '#engine/delivery/endpoint/test-delivery.ts';
import type { EndpointSettings } from '#engine/delivery/endpoint-settings.ts';
import type { RunOrder, StopReason } from '#engine/delivery/run-order.ts';
import type { SharedTimeline } from '#engine/timeline/shared-timeline.ts';

export type ToShard =
  | {
      readonly kind: 'run.start';
      readonly run: RunOrder;
      readonly timeline: SharedTimeline;
      readonly endpoints: readonly EndpointSettings[];
      /** Continue from the checkpoints in the database rather than from position 0. */
      readonly resumed: boolean;
      /** Those of the endpoints that were deleted. */
      readonly deleted: readonly string[];
      /** Why it was stopped; null unless it was. */
      readonly stopping: StopReason | null;
    }
  /** Further endpoints of a live run, whose checkpoints say where they begin. */
  | { readonly kind: 'run.join'; readonly runId: string; readonly endpoints: readonly EndpointSettings[] }
  | { readonly kind: 'run.stop'; readonly runId: string; readonly reason: StopReason }
  | { readonly kind: 'endpoint.changed'; readonly settings: EndpointSettings }
  | { readonly kind: 'endpoint.deleted'; readonly webhookId: string }
  /** One attempt of a sample; `test.ended` follows once it is written down. */
  | { readonly kind: 'test.start'; readonly order: TestOrder }
  /** Finish what is in flight, write everything down, answer `drained`, take no more. */
  | { readonly kind: 'drain' };

export type FromShard =
  | { readonly kind: 'ready' }
  /** The run's first delivery began on this shard: it unlocks the session's simulate slot. */
  | { readonly kind: 'run.first-attempt'; readonly runId: string }
  /** Every endpoint of the run on this shard is settled and written down, also those of so many `run.join`. */
  | { readonly kind: 'run.settled'; readonly runId: string; readonly joins: number }
  | { readonly kind: 'test.ended'; readonly testId: number; readonly outcome: TestOutcome }
  /** Whether attempts wait until the records of earlier ones are written down. */
  | { readonly kind: 'records'; readonly full: boolean }
  | { readonly kind: 'drained' };
