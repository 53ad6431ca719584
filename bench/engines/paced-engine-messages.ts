// Messages between a bench and the process of its delivery engine.

import type { EndpointSettings } from '#engine/delivery/endpoint-settings.ts';
import type { RunOrder } from '#engine/delivery/run-order.ts';
import type { ConnectionSettings } from '#engine/storage/connection-settings.ts';
import type { ArtifactOrigin } from '#engine/timeline/artifact-format.ts';

/** Placeholder: benches write and read their own artifacts, so the origin always matches. */
export const BENCH_ORIGIN: ArtifactOrigin = { recording: { crc: 0, bytes: 0 }, deriverVersion: 0 };

export type ToEngine =
  | {
      readonly kind: 'play';
      readonly order: Omit<RunOrder, 'pacedFromMs' | 'allowance'>;
      readonly artifactFile: string;
      readonly endpoints: readonly EndpointSettings[];
      /** Where on the timeline the play begins, in milliseconds. */
      readonly beginsMs: number;
    }
  | { readonly kind: 'stop'; readonly runId: string }
  /** Advances the engine's clock at once. Only leaping-engine-process.ts supports it. */
  | { readonly kind: 'leap'; readonly ms: number };

/** Resource use of the engine's process. */
export interface UsageSample {
  /** On the machine's monotonic clock. */
  readonly atMs: number;
  /** User and system time of all threads since the process started. */
  readonly cpuUs: number;
  readonly rssBytes: number;
  /** Heap and external memory in use after a garbage collection, if the process collects before it samples. */
  readonly heldBytes?: number;
  /** Bytes read from each receiver port, if the process counts them. */
  readonly readBytes?: ReadonlyMap<number, number>;
}

export type FromEngine =
  | {
      readonly kind: 'ready';
      readonly connection: ConnectionSettings;
      /** Where artifacts go. Removed when the process exits. */
      readonly folder: string;
    }
  /** `zeroAtMs`: when time zero of the timeline is or was due, on the machine's monotonic clock. */
  | { readonly kind: 'started'; readonly zeroAtMs: number }
  /** Every delivery of the run is settled and recorded. */
  | { readonly kind: 'settled'; readonly usage: readonly UsageSample[] };
