// How long receivers may still have the old secret of an endpoint.

import { ApiError } from '#api/http/api-error.ts';
import { type Operation, reply, sessionOperation } from '#api/http/operation.ts';
import { PREVIOUS_SECRET_MS } from '#api/webhooks/endpoint-settings.ts';
import type { WebhookStore } from '#api/webhooks/webhook-store.ts';
import type { Clock } from '#engine/base/clock.ts';
import { isId } from '#engine/base/ids.ts';
import { SecretOverlap } from '#schemas/http/console-overlap.ts';

export function overlapRoute(store: Pick<WebhookStore, 'find'>, clock: Clock): Operation {
  return sessionOperation(
    {
      summary: 'Show until when the old secret of an endpoint signs as well',
      answer: SecretOverlap,
      undocumented: true,
      takesTurns: true,
      refuses: ['not_found'],
    },
    async ({ params, caller }) => {
      const webhookId = params.subject!;
      const webhook = isId('wh', webhookId) ? await store.find(caller.accountId, webhookId) : null;
      if (webhook === null)
        throw new ApiError('not_found', 'There is no such webhook endpoint: GET /v1/webhooks lists yours.');
      const { rotatedAt, previousSecretSealed } = webhook;
      const untilMs = rotatedAt === null ? 0 : rotatedAt.getTime() + PREVIOUS_SECRET_MS;
      const signs = previousSecretSealed !== null && untilMs > clock.wallMs();
      return reply({ data: { previousSecretUntil: signs ? new Date(untilMs).toISOString() : null } });
    },
  );
}
