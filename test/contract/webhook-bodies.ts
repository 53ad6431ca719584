// What webhooks get of a recorded session, to compare streams with it.

import type { TestContext } from 'node:test';
import type { ContractClient } from '#test/support/contract-service.ts';
import { eventually } from '#test/support/patience.ts';
import { startWebhookReceiver } from '#test/support/webhook-receiver.ts';
import { replay } from './short-session.ts';

/** Replays the session to an endpoint of every feed. Returns the bodies of all its updates, in order. */
export async function webhookBodies(t: TestContext, client: ContractClient, sessionId: string): Promise<string[]> {
  const receiver = await startWebhookReceiver();
  t.after(() => receiver.close());
  await client.webhook({ webhookUrl: receiver.url, feedIds: ['*'] });
  const runId = await replay(client, sessionId);
  const { updateCount } = (await client.call('GET', `/simulate/runs/${runId}`)).body.data;
  await eventually('all deliveries', () => receiver.received.length >= updateCount);
  const bySequence = new Map(receiver.received.map(({ body }) => [JSON.parse(body).sequence as number, body]));
  return Array.from({ length: updateCount }, (_, index) => bySequence.get(index + 1)!);
}
