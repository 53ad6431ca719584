// A delivery as OpenAPI describes it: the request that this service sends to a customer's endpoint.

import { ATTEMPTS_MAX } from '#engine/base/limits.ts';
import { PAYLOAD_SCHEMAS } from '#schemas/webhook/payloads.ts';
import type { DocumentSettings } from './document-settings.ts';
import type { JsonObject, NamedSchemas } from './named-schemas.ts';

const TEST_PAYLOAD: JsonObject = {
  type: 'object',
  description: 'What POST /webhooks/{webhookId}/test sends: the envelope of a feed with a message.',
  required: ['feed', 'seriesId', 'sessionId', 'sequence', 'utc', 'data'],
  properties: {
    feed: { type: 'string' },
    seriesId: { type: 'string' },
    sessionId: { type: 'string', const: 'test' },
    sequence: { type: 'integer', const: 0 },
    utc: { type: 'string' },
    data: { type: 'object', required: ['message'], properties: { message: { type: 'string' } } },
  },
};

/** The document's `webhooks`. */
export function deliveryWebhook(
  { headerPrefix, feeds }: Pick<DocumentSettings, 'headerPrefix' | 'feeds'>,
  schemas: NamedSchemas,
): JsonObject {
  const offered = new Set(feeds.map(({ feedId }) => feedId));
  const payloads = Object.entries(PAYLOAD_SCHEMAS)
    .filter(([feedId]) => offered.has(feedId))
    .map(([feedId, schema]) => [feedId, schemas.name(payloadName(feedId), schema as JsonObject)] as const);
  const byFeed = {
    oneOf: payloads.map(([, reference]) => reference),
    discriminator: {
      propertyName: 'feed',
      mapping: Object.fromEntries(payloads.map(([feedId, { $ref }]) => [feedId, $ref])),
    },
  };
  const schema = { anyOf: [byFeed, schemas.name('TestPayload', TEST_PAYLOAD)] };
  return {
    delivery: {
      post: {
        operationId: 'delivery',
        summary: 'An update, as it is sent to an endpoint',
        description:
          'Sent with the webhookMethod of the endpoint, POST or PUT. The field `feed` tells which of the payloads it is; ' +
          'attempts at 0, 1, 5 and 30 seconds after the one before, until one is answered with 2xx within 10 seconds.',
        tags: ['Deliveries'],
        security: [],
        parameters: deliveryHeaders(headerPrefix),
        requestBody: { required: true, content: { 'application/json': { schema } } },
        responses: {
          '2XX': { description: 'Delivered.' },
          '4XX': { description: 'Tried again, as after any answer but 2xx.' },
        },
      },
    },
  };
}

function deliveryHeaders(prefix: string): JsonObject[] {
  const text = { type: 'string' };
  const header = (name: string, description: string, schema: JsonObject = text, required = true): JsonObject => ({
    name,
    in: 'header',
    required,
    description,
    schema,
  });
  const replayOnly = (name: string, description: string, schema?: JsonObject) =>
    header(name, `In replays only: ${description}`, schema, false);
  return [
    header(
      `${prefix}-Signature`,
      '`sha256=` and the hex HMAC-SHA256 of the raw body, keyed with the whole webhookSecret. Compare in constant time.',
    ),
    header(`${prefix}-Feed`, 'The feed id.'),
    header(`${prefix}-Mode`, 'What it belongs to.', { type: 'string', enum: ['live', 'replay', 'test'] }),
    header(`${prefix}-Delivery-Id`, 'The same for all attempts of one update to one endpoint.'),
    header(`${prefix}-Attempt`, 'Which attempt it is, from 1.', { type: 'integer', minimum: 1, maximum: ATTEMPTS_MAX }),
    replayOnly(`${prefix}-Replay-Session`, 'the session id.'),
    replayOnly(`${prefix}-Replay-Run-Id`, 'the run, shared by all its deliveries.'),
    replayOnly(`${prefix}-Replay-Speed`, 'the multiplier.', { type: 'number' }),
    header('webhook-id', 'The delivery id, as Standard Webhooks names it.'),
    header('webhook-timestamp', 'Unix seconds of the attempt, as Standard Webhooks has it.'),
    header('webhook-signature', 'The Standard Webhooks signatures, separated by spaces.'),
  ];
}

/** `timing.app-data` is `TimingAppDataPayload`. */
function payloadName(feedId: string): string {
  const words = feedId.split(/[.-]/).map((word) => word.slice(0, 1).toUpperCase() + word.slice(1));
  return `${words.join('')}Payload`;
}
