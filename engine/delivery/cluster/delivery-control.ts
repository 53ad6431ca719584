// What the HTTP front may ask of the delivery engine. The one implementation (`shard-router.ts`) speaks to worker threads;
// tests hand in their own.

import type { TestOrder, TestOutcome } from '#engine/delivery/endpoint/test-delivery.ts';
import type { EndpointSettings } from '#engine/delivery/endpoint-settings.ts';
import type { RunOrder, StopReason } from '#engine/delivery/run-order.ts';
import type { SharedTimeline } from '#engine/timeline/shared-timeline.ts';

export interface RunListener {
  /** The run's first delivery attempt starts; called once. */
  firstAttempt(runId: string): void;
  /** Every endpoint of the run is settled and written down; called once, after a stop as well. */
  settled(runId: string): void;
}

export interface DeliveryControl {
  /** `listener` hears of this run. Endpoints of a resumed run go on from their checkpoints. */
  startRun(
    run: RunOrder,
    timeline: SharedTimeline,
    endpoints: readonly EndpointSettings[],
    resumed: boolean,
    listener: RunListener,
  ): void;
  /** Further endpoints of a live run; they begin at their checkpoints. */
  joinRun(runId: string, endpoints: readonly EndpointSettings[]): void;
  /** Ends a run; its `settled` follows when the attempts in flight have ended. What is left is skipped for this reason. */
  stopRun(runId: string, reason?: StopReason): void;
  /** Settings reach the endpoint's actors at once and apply to their next attempt. */
  endpointChanged(settings: EndpointSettings): void;
  endpointDeleted(webhookId: string): void;
  /** One attempt of a sample payload, mode `test`, recorded and taken from the account's allowance like any other. */
  test(order: Omit<TestOrder, 'testId'>): Promise<TestOutcome>;
  /** Finishes what is in flight, writes everything down, ends the shards. */
  drain(): Promise<void>;
}
