// Which endpoints a replay delivers to: those that its start chooses, or all of the account. A choice is stored as the
// endpoints of the run, in the statement that starts it, so the run keeps it over pauses and restarts.

import type { FeedCatalogue } from '#api/feeds/feed-catalogue.ts';
import { ApiError } from '#api/http/api-error.ts';
import type { Caller } from '#api/http/operation.ts';
import { TERMS } from '#api/plans/plan.ts';
import { coverageOf } from '#api/webhooks/coverage.ts';
import type { WebhookStore } from '#api/webhooks/webhook-store.ts';
import { isId } from '#engine/base/ids.ts';
import { quoted } from '#engine/base/quoted-text.ts';

/** Rejects with an ApiError unless each of these endpoints is one of the caller's that gets deliveries now. */
export async function checkChosen(
  { webhooks, catalogue }: { readonly webhooks: Pick<WebhookStore, 'findAll'>; readonly catalogue: FeedCatalogue },
  { accountId }: Caller,
  webhookIds: readonly string[],
): Promise<void> {
  const found = await webhooks.findAll(webhookIds.filter((id) => isId('wh', id)));
  const own = new Map(
    found
      .filter((webhook) => webhook.accountId === accountId && webhook.deletedAt === null)
      .map((webhook) => [webhook.webhookId, webhook]),
  );
  const unknown = webhookIds.filter((id) => !own.has(id));
  if (unknown.length > 0)
    throw new ApiError(
      'not_found',
      `webhookIds: this account has no endpoint ${unknown.map(quoted).join(', ')} (GET /v1/webhooks lists its endpoints).`,
    );
  for (const [id, webhook] of own) {
    if (!webhook.active)
      throw new ApiError(
        'endpoint_inactive',
        `webhookIds: ${id} is paused: activate it with PATCH /v1/webhooks/${id}, or leave it out.`,
      );
    if (coverageOf(webhook, catalogue).suspended !== null)
      throw new ApiError(
        'endpoint_inactive',
        `webhookIds: ${id} is beyond the ${TERMS[webhook.plan].endpoints} endpoints of this plan: leave it out, or take a higher plan.`,
      );
  }
}

/** The caller's endpoints that get deliveries now. */
export async function activeEndpoints(
  webhooks: Pick<WebhookStore, 'activeIds'>,
  { accountId, plan }: Caller,
): Promise<ReadonlySet<string>> {
  return new Set(await webhooks.activeIds(accountId, TERMS[plan].endpoints));
}
