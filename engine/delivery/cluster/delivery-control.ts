// What the API may ask of the delivery engine. The only implementation (`shard-router.ts`) talks to worker threads;
// tests bring their own.

import type { TestOrder, TestOutcome } from '#engine/delivery/endpoint/test-delivery.ts';
import type { EndpointCoverage, EndpointSettings } from '#engine/delivery/endpoint-settings.ts';
import type { RunOrder, StopReason } from '#engine/delivery/run-order.ts';
import type { SharedTimeline } from '#engine/timeline/shared-timeline.ts';

export interface RunListener {
  /** Called once, when the run's first attempt starts. */
  firstAttempt(runId: string): void;
  /** Called once, when every endpoint of the run is settled and recorded, also after a stop. */
  settled(runId: string): void;
  /**
   * Called once after `parkRun`, unless the run was stopped or settled instead: the engine holds nothing of it any more,
   * and its checkpoints are recorded.
   */
  parked?(runId: string): void;
}

export interface DeliveryControl {
  /** Starts a run and reports on it to `listener`. The endpoints of a resumed run continue from their checkpoints. */
  startRun(
    run: RunOrder,
    timeline: SharedTimeline,
    endpoints: readonly EndpointSettings[],
    resumed: boolean,
    listener: RunListener,
  ): void;
  /** Adds endpoints to a live run. Their checkpoints say where they begin. */
  joinRun(runId: string, endpoints: readonly EndpointSettings[]): void;
  /** Stops a run and skips the rest for this reason. `settled` follows when the attempts in flight have ended. */
  stopRun(runId: string, reason?: StopReason): void;
  /** Lets go of a replay where it is. `parked` follows when the attempts in flight have ended. */
  parkRun(runId: string): void;
  /**
   * Sends the settings to the endpoints' actors at once; they apply to the next attempt (I8). At most ANNOUNCED_AT_ONCE_MAX, as
   * each shard gets its part in one message.
   */
  endpointsChanged(settings: readonly EndpointSettings[]): void;
  /** The same for what a plan covers of the endpoints. Those without a run are left out. */
  coverageChanged(coverage: readonly EndpointCoverage[]): void;
  /** Whether a run of the account is under way here. */
  delivers(accountId: string): boolean;
  endpointDeleted(webhookId: string): void;
  /** Makes one attempt of a sample, mode `test`, which is recorded and taken from the allowance like any other. */
  test(order: Omit<TestOrder, 'testId'>): Promise<TestOutcome>;
  /** Finishes the attempts in flight, records everything and ends the shards. */
  drain(): Promise<void>;
}
