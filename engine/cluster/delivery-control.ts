// What the HTTP front may ask of the delivery engine. The one implementation (`shard-router.ts`) speaks to worker threads;
// tests hand in their own.

import type { EndpointSettings } from '#engine/endpoint/endpoint.ts';
import type { RunOrder, SharedArtifact } from '#schemas/wire/shard-messages.ts';

export interface RunListener {
  /** The run's first delivery attempt starts; called once. */
  firstAttempt(runId: string): void;
  /** Every endpoint of the run is settled and written down; called once, after a stop as well. */
  settled(runId: string): void;
}

/** How a single test delivery ended. */
export interface TestOutcome {
  readonly delivered: boolean;
  readonly statusCode: number | null;
  readonly latencyMs: number;
  readonly errorMessage: string | null;
}

export interface DeliveryControl {
  /** Runs start, resume and end here; set once, before the first run. */
  listen(listener: RunListener): void;
  startRun(run: RunOrder, artifact: SharedArtifact, endpoints: readonly EndpointSettings[], resumed: boolean): void;
  /** Ends a run; its `settled` follows when the attempts in flight have ended. */
  stopRun(runId: string): void;
  /** Settings reach the endpoint's actors at once and apply to their next attempt. */
  endpointChanged(settings: EndpointSettings): void;
  endpointDeleted(webhookId: string): void;
  /** One attempt of a sample payload, mode `test`, recorded and taken from the account's `allowance` like any other. */
  test(
    settings: EndpointSettings,
    feedId: string,
    body: Uint8Array,
    allowance: SharedArrayBuffer,
  ): Promise<TestOutcome>;
  /** Finishes what is in flight, writes everything down, ends the shards. */
  drain(): Promise<void>;
}
