// Webhook endpoints: list, inspect, create, change, test and delete them.
//
// An assistant neither reads nor sets what is secret: the signing secret, and values of the customer's own headers.

import Type from 'typebox';
import type { CreateWebhookRequest, WebhookEndpoint } from '#api/client/slipstream-client.ts';
import { MCP_ITEMS_MAX } from '#engine/base/limits.ts';
import { FILTERS_SCHEMA } from '#schemas/http/filters.ts';
import { SubscriptionChange, WebhookChange, WebhookCreation } from '#schemas/http/webhooks.ts';
import { id, page, readingTool, writingTool } from './tool.ts';

type Filters = NonNullable<CreateWebhookRequest['filters']>;

/** Spelled out once: the list of the tools costs an assistant room. The API checks all of them. */
const FILTERS = Type.Optional(Type.Unsafe<Filters>(FILTERS_SCHEMA));
const filters = Type.Optional(
  Type.Unsafe<Filters>({ type: 'object', description: 'As filters of create_webhook, whose keys combine with AND.' }),
);
const FEEDS = {
  feedIds: WebhookCreation.properties.feedIds,
  subscriptions: Type.Optional(
    Type.Array(Type.Object({ feedId: Type.String(), filters }, { additionalProperties: false }), {
      minItems: 1,
      description: 'Instead of feedIds: several feeds, each with filters of its own.',
    }),
  ),
};
const { webhookUrl, webhookMethod, description, snapshot } = WebhookCreation.properties;
const active = Type.Optional(Type.Boolean({ description: 'False pauses it, true lets it deliver again.' }));

export const WEBHOOK_TOOLS = [
  readingTool({
    name: 'list_webhooks',
    title: 'List the endpoints',
    description:
      'Lists the webhook endpoints of the account with URL, whether they are active, and their health. get_webhook has the ' +
      'subscriptions and filters of one.',
    operations: ['GET /webhooks'],
    input: page(MCP_ITEMS_MAX),
    async run(input, { client, signal }) {
      const { endpoints, ...place } = await client.listWebhooks(input, { signal });
      return { endpoints: endpoints.map(listed), ...place };
    },
  }),
  readingTool({
    name: 'get_webhook',
    title: 'Inspect an endpoint',
    description: 'Shows one endpoint: URL, subscriptions, filters, and how its deliveries have gone of late.',
    operations: ['GET /webhooks/{webhookId}'],
    input: { webhookId: id('webhookId') },
    run: (input, { client, signal }) => client.getWebhook(input, { signal }),
  }),
  writingTool({
    name: 'create_webhook',
    title: 'Create an endpoint',
    description:
      'Registers a URL and the feeds that are sent to it: exactly one of feedIds and subscriptions. The secret that signs ' +
      'its deliveries is not shown here: its owner reads it in the API (GET /v1/webhooks/ID/secret).',
    operations: ['POST /webhooks'],
    destructive: false,
    idempotent: false,
    input: { webhookUrl, ...FEEDS, filters: FILTERS, webhookMethod, description, snapshot },
    async run(input, { client, signal }) {
      const { webhookSecret, ...created } = await client.createWebhook(input, { signal });
      const path = `/v1/webhooks/${created.webhookId}/secret`;
      return { ...created, secret: `not shown: the owner of the account reads it with GET ${path}` };
    },
  }),
  writingTool({
    name: 'change_webhook',
    title: 'Change, pause or resume an endpoint',
    description:
      'Changes what is given and leaves the rest. feedIds or subscriptions are the new set of feeds: others are removed. ' +
      'What is missed while it is paused is skipped, not kept.',
    operations: ['PATCH /webhooks/{webhookId}'],
    destructive: true,
    idempotent: true,
    input: {
      webhookId: id('webhookId'),
      active,
      webhookUrl: WebhookChange.properties.webhookUrl,
      ...FEEDS,
      filters,
      webhookMethod,
      description,
      snapshot,
    },
    run: (input, { client, signal }) => client.changeWebhook(input, { signal }),
  }),
  writingTool({
    name: 'change_subscription',
    title: 'Change or pause one feed of an endpoint',
    description: 'Replaces the filters of one feed of an endpoint, or pauses it. Its other feeds stay as they are.',
    operations: ['PATCH /webhooks/{webhookId}/feeds/{feedId}'],
    destructive: true,
    idempotent: true,
    input: { webhookId: id('webhookId'), feedId: id('feedId'), filters, active: SubscriptionChange.properties.active },
    run: (input, { client, signal }) => client.changeSubscription(input, { signal }),
  }),
  writingTool({
    name: 'delete_webhook',
    title: 'Delete an endpoint',
    description: 'Removes an endpoint for good. Its delivery log can be read for 90 more days.',
    operations: ['DELETE /webhooks/{webhookId}'],
    destructive: true,
    idempotent: true,
    input: { webhookId: id('webhookId') },
    run: (input, { client, signal }) => client.deleteWebhook(input, { signal }),
  }),
  writingTool({
    name: 'test_webhook',
    title: 'Send a sample to an endpoint',
    description: 'Sends one sample payload to the endpoint, without retries, and says what became of it.',
    operations: ['POST /webhooks/{webhookId}/test'],
    destructive: false,
    idempotent: false,
    input: { webhookId: id('webhookId') },
    run: (input, { client, signal }) => client.testWebhook(input, { signal }),
  }),
];

function listed({ webhookId, webhookUrl, description, active, suspended, feedCount, health }: WebhookEndpoint) {
  return { webhookId, webhookUrl, description, active, suspended, feedCount, health };
}
