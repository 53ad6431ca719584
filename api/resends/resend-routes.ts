// The route that sends an endpoint once more what it has missed.

import { ApiError } from '#api/http/api-error.ts';
import { bearerOperation, type Operation, reply } from '#api/http/operation.ts';
import type { WebhookStore } from '#api/webhooks/webhook-store.ts';
import { isId } from '#engine/base/ids.ts';
import { ResendOrder, ResendStarted } from '#schemas/http/resends.ts';
import { parseResendWish } from './resend-wish.ts';
import type { Resends } from './resends.ts';

export function resendRoutes(resends: Resends, webhooks: WebhookStore): { readonly resend: Operation } {
  return {
    resend: bearerOperation(
      {
        summary: 'Send updates to an endpoint once more',
        body: ResendOrder,
        answer: ResendStarted,
        statuses: [202],
        refuses: [
          'not_found',
          'endpoint_inactive',
          'resend_running',
          'nothing_to_resend',
          'not_prepared',
          'preparing',
          'updates_gone',
        ],
        takesTurns: true,
      },
      async ({ params, body, caller }) => {
        const wish = parseResendWish(body);
        const webhookId = params.webhookId!;
        const webhook = isId('wh', webhookId) ? await webhooks.find(caller.accountId, webhookId) : null;
        if (webhook === null)
          throw new ApiError('not_found', 'There is no such webhook endpoint: GET /v1/webhooks lists yours.');
        return reply({ data: await resends.start(webhook, wish) }, 202);
      },
    ),
  };
}
