// How many of the updates that an endpoint missed live its resends have delivered since, by the reasons that its health
// counts (api/webhooks/health/postgres-endpoint-health-store.ts). It is counted anew when a resend ends, from what is
// recorded, so a crash in between counts nothing twice.

import type { WebhookRecord } from '#api/webhooks/webhook-store.ts';
import type { RunOutcomes } from '#engine/delivery/delivery-log/missed-updates.ts';
import type { SkipReason } from '#engine/delivery/skip-reason.ts';
import { liveFamily } from './resend-source.ts';
import type { ResendStore } from './resend-store.ts';

/** What was skipped for other reasons was not missed: the customer wanted it so, or the plan did. */
const MISSED: SkipReason = 'expired';

/** Notes it for every live run of the session. */
export async function noteRecovered(
  store: ResendStore,
  endpoint: Pick<WebhookRecord, 'accountId' | 'webhookId' | 'webhookNo'>,
  sessionId: string,
): Promise<void> {
  const { webhookId, webhookNo } = endpoint;
  const source = await liveFamily(store, endpoint, sessionId);
  // Live runs are removed in time, and what they missed with them.
  if (source === null) return;
  const resends = await store.outcomes(
    webhookId,
    webhookNo,
    source.runs.filter(({ isResend }) => isResend),
  );
  for (const first of source.firsts) {
    const [outcomes] = await store.outcomes(webhookId, webhookNo, [first]);
    if (outcomes !== undefined) await store.noteRecovered(first.runId, webhookId, recoveredOf(outcomes, resends));
  }
}

/** How many updates that failed or expired in a live run these resends have delivered. */
export function recoveredOf(live: RunOutcomes, resends: readonly RunOutcomes[]): number {
  const delivered = new Set(resends.flatMap((resend) => resend.delivered));
  const missed = new Set(live.failed);
  for (const { first, last, reason } of live.skipped)
    if (reason === MISSED) for (let position = first; position <= last; position++) missed.add(position);
  return [...missed].filter((position) => delivered.has(position)).length;
}
