// What a bench and the process with its delivery engine say to each other.

import type { EndpointSettings } from '#engine/delivery/endpoint-settings.ts';
import type { RunOrder } from '#engine/delivery/run-order.ts';
import type { ConnectionSettings } from '#engine/storage/connection-settings.ts';
import type { ArtifactOrigin } from '#engine/timeline/artifact-format.ts';

/** Artifacts go over as files; nobody asks what they were made from. */
export const BENCH_ORIGIN: ArtifactOrigin = { recording: { crc: 0, bytes: 0 }, deriverVersion: 0 };

export type ToEngine =
  | {
      readonly kind: 'play';
      readonly order: Omit<RunOrder, 'startedAtMs' | 'allowance'>;
      readonly artifactFile: string;
      readonly endpoints: readonly EndpointSettings[];
      /** Milliseconds of the timeline at which the play begins. */
      readonly beginsMs: number;
    }
  | { readonly kind: 'stop'; readonly runId: string }
  /** The engine's clock goes forward at once, where the process has one that can. */
  | { readonly kind: 'leap'; readonly ms: number };

/** What the process has used since it started. */
export interface UsageSample {
  /** Monotonic. */
  readonly atMs: number;
  /** User and system time of all its threads. */
  readonly cpuUs: number;
  readonly rssBytes: number;
  /** What is in use of it, after a garbage collection, where the process makes one. */
  readonly heldBytes?: number;
  /** Bytes that came from each port of a receiver, where the process counts them. */
  readonly readBytes?: ReadonlyMap<number, number>;
}

export type FromEngine =
  | {
      readonly kind: 'ready';
      readonly connection: ConnectionSettings;
      /** Goes away with the process; artifacts may be put there. */
      readonly folder: string;
    }
  /** `zeroAtMs`: when position 0 of the timeline is or was due, on the machine's monotonic clock. */
  | { readonly kind: 'started'; readonly zeroAtMs: number }
  /** Everything of the run is written down. */
  | { readonly kind: 'settled'; readonly usage: readonly UsageSample[] };
