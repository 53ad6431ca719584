// Hands a replay run to the delivery engine, with the present settings of its endpoints.

import type { FeedCatalogue } from '#api/feeds/feed-catalogue.ts';
import type { Allowances } from '#api/usage/allowances.ts';
import { endpointSettings } from '#api/webhooks/endpoint-settings.ts';
import type { WebhookStore } from '#api/webhooks/webhook-store.ts';
import type { Clock } from '#engine/base/clock.ts';
import type { DeliveryControl, RunListener } from '#engine/delivery/cluster/delivery-control.ts';
import type { EndpointSettings } from '#engine/delivery/endpoint-settings.ts';
import type { RunOrder } from '#engine/delivery/run-order.ts';
import type { SecretBox } from '#engine/storage/secrets/secret-box.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import type { PlayingRun } from './playing-run.ts';

export interface HandoverParts {
  readonly webhooks: WebhookStore;
  readonly catalogue: FeedCatalogue;
  readonly control: DeliveryControl;
  readonly allowances: Allowances;
  readonly secretBox: SecretBox;
  readonly clock: Clock;
}

/** `resumed`: the endpoints continue from their checkpoints, the furthest at this position. Returns what was handed over. */
export async function handOver(
  parts: HandoverParts,
  run: PlayingRun,
  how: { readonly runNo: number; readonly webhookIds: readonly string[]; readonly resumed: number | null },
  listener: RunListener,
): Promise<{ readonly order: RunOrder; readonly settings: readonly EndpointSettings[] }> {
  const { webhooks, control, allowances } = parts;
  const { runId, accountId, session, speed } = run.head;
  const allowance = await allowances.hold(accountId, session.demo ? 'demo' : 'month');
  run.holdsAllowance = true;
  const records = await webhooks.findAll(how.webhookIds);
  const order = {
    mode: 'replay' as const,
    runId,
    runNo: how.runNo,
    sessionId: session.sessionId,
    accountId,
    speed,
    pacedFromMs: run.pacedFromMs,
    allFeeds: session.demo,
    ordered: run.head.ordered === true,
    allowance,
    ...(how.resumed !== null && run.phase.kind === 'stopping' && { end: how.resumed }),
  };
  const settings = records.map((record) => endpointSettings(record, parts));
  run.delivering = true;
  control.startRun(order, run.artifact!.artifact, settings, how.resumed !== null, listener);
  if (run.phase.kind === 'stopping') control.stopRun(runId);
  return { order, settings };
}

/** When position 0 of a run is due, on the monotonic clock, if this position is due now. */
export function pacedFrom(position: number, { columns, length }: Timeline, speed: number, clock: Clock): number {
  // A position past the end is due like the last one.
  const dueMs = length === 0 ? 0 : columns.dueMs[Math.min(position, length - 1)]!;
  return clock.nowMs() - dueMs / speed;
}
