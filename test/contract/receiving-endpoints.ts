// Endpoints with a receiver of their own, for a whole file of tests.

import type { ContractClient } from '#test/support/contract-service.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';

interface Receiving {
  readonly receiver: WebhookReceiver;
  readonly webhookId: string;
}

/** Returns a function that makes an endpoint, of every feed unless `body` says otherwise. Receivers close `after`. */
export function receivingEndpoints({ after }: { readonly after: (close: () => Promise<unknown>) => void }) {
  const opened: WebhookReceiver[] = [];
  after(() => Promise.all(opened.map((receiver) => receiver.close())));
  return async (client: ContractClient, body: Record<string, unknown> = { feedIds: ['*'] }): Promise<Receiving> => {
    const receiver = await startWebhookReceiver();
    opened.push(receiver);
    return { receiver, webhookId: await client.webhook({ webhookUrl: receiver.url, ...body }) };
  };
}
