// What the main thread and its shards say to each other: settings, runs and their ends. Never a delivery: due updates
// are read from shared memory and outcomes go straight to the database.

import type { EndpointSettings } from '#engine/endpoint/endpoint.ts';
import type { LiveMemory } from '#engine/timeline/live-memory.ts';

/** A playback artifact in shared memory. */
export interface SharedArtifact {
  readonly bytes: SharedArrayBuffer;
}

/** What a run plays. */
export type SharedTimeline = SharedArtifact | LiveMemory;

/** Live delivery of a session, or a replay of it; the two share nothing but the settings of endpoints. */
export type RunMode = 'live' | 'replay';

/** By its account, or because a session's deliveries took too long. */
export type StopReason = 'stopped' | 'expired';

export interface RunOrder {
  readonly mode: RunMode;
  readonly runId: string;
  readonly runNo: number;
  readonly sessionId: string;
  readonly accountId: string;
  /** Of a complete timeline. Infinity plays everything at once: what is left of a live session, or a bench. */
  readonly speed: number;
  /** Unix epoch milliseconds at which position 0 of a complete timeline is due. */
  readonly startedAtMs: number;
  /** The demo session: every feed to every active endpoint, whatever its subscriptions. */
  readonly allFeeds: boolean;
  /** The account's cell (engine/usage/allowance.ts), shared by all threads. */
  readonly allowance: SharedArrayBuffer;
}

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
  /** Finish what is in flight, write everything down, answer `drained`, take no more. */
  | { readonly kind: 'drain' };

export type FromShard =
  | { readonly kind: 'ready' }
  /** The run's first delivery began on this shard: it unlocks the session's simulate slot. */
  | { readonly kind: 'run.first-attempt'; readonly runId: string }
  /** Every endpoint of the run on this shard is settled and written down, also those of so many `run.join`. */
  | { readonly kind: 'run.settled'; readonly runId: string; readonly joins: number }
  /** Whether attempts wait until the records of earlier ones are written down. */
  | { readonly kind: 'records'; readonly full: boolean }
  | { readonly kind: 'drained' };
