// Describes a delivery in OpenAPI: the request that this service sends to a customer's endpoint.

import { ATTEMPTS_MAX } from '#engine/base/limits.ts';
import { PAYLOAD_SCHEMAS } from '#schemas/webhook/payloads.ts';
import { RACE_EVENT_TYPES } from '#schemas/webhook/race-event-types.ts';
import { RACE_EVENT_PAYLOADS, RaceEventPayload } from '#schemas/webhook/race-events.ts';
import type { DocumentSettings } from './document-settings.ts';
import type { JsonObject, NamedSchemas } from './named-schemas.ts';

/** Returns the document's `webhooks`. */
export function deliveryWebhook(
  { headerPrefix, feeds }: Pick<DocumentSettings, 'headerPrefix' | 'feeds'>,
  schemas: NamedSchemas,
): JsonObject {
  const offered = new Set(feeds.map(({ feedId }) => feedId));
  const payloads = Object.entries<unknown>(PAYLOAD_SCHEMAS)
    .filter(([feedId]) => offered.has(feedId))
    .map(([feedId, schema]) => {
      const documented = feedId === 'events.race' ? raceEventUnion(schemas) : (schema as JsonObject);
      return [feedId, schemas.name(payloadName(feedId), documented)] as const;
    });
  const schema = schemas.name('WebhookPayload', {
    description: 'The body of a delivery. `feed` says which payload it is.',
    ...unionBy('feed', payloads),
  });
  return {
    delivery: {
      post: {
        operationId: 'delivery',
        summary: 'Delivery of an update to an endpoint',
        description:
          "Sent with the endpoint's webhookMethod, POST or PUT. The field `feed` identifies the payload. The first " +
          'attempt starts at once; up to three retries follow 1, 5 and 30 seconds after the previous attempt, until ' +
          'the endpoint responds with 2xx within 10 seconds.',
        tags: ['Deliveries'],
        security: [],
        parameters: deliveryHeaders(headerPrefix),
        requestBody: { required: true, content: { 'application/json': { schema } } },
        responses: {
          '2XX': { description: 'Delivered.' },
          '4XX': { description: 'Retried, like every response other than 2xx.' },
        },
      },
    },
  };
}

/** The payloads of race events, by `event`. */
function raceEventUnion(schemas: NamedSchemas): JsonObject {
  const events = RACE_EVENT_TYPES.map(
    (event) => [event, schemas.refer(RACE_EVENT_PAYLOADS[event]) as JsonObject] as const,
  );
  return { description: RaceEventPayload.description, ...unionBy('event', events) };
}

/** Returns the union of named schemas, told apart by a property that has one value in each. */
function unionBy(propertyName: string, members: readonly (readonly [value: string, reference: JsonObject])[]) {
  return {
    oneOf: members.map(([, reference]) => reference),
    discriminator: { propertyName, mapping: Object.fromEntries(members.map(([value, { $ref }]) => [value, $ref])) },
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
    header(name, `Only in replays: ${description}`, schema, false);
  return [
    header(
      `${prefix}-Signature`,
      '`sha256=` followed by the hex HMAC-SHA256 of the raw body. The key is the whole webhookSecret, including its ' +
        'prefix. Compare in constant time.',
    ),
    header(
      `${prefix}-Signature-Previous`,
      'Only for 24 hours after a rotation: the same, keyed with the secret before it. Accept a delivery if either ' +
        'matches.',
      text,
      false,
    ),
    header(`${prefix}-Feed`, 'Id of the feed.'),
    header(`${prefix}-Mode`, 'Whether the delivery belongs to a live session, a replay or a test.', {
      type: 'string',
      enum: ['live', 'replay', 'test'],
    }),
    header(`${prefix}-Delivery-Id`, 'Id of the delivery, the same for all attempts of one update to one endpoint.'),
    header(`${prefix}-Attempt`, 'Number of the attempt, from 1.', {
      type: 'integer',
      minimum: 1,
      maximum: ATTEMPTS_MAX,
    }),
    replayOnly(`${prefix}-Replay-Session`, 'id of the session.'),
    replayOnly(`${prefix}-Replay-Run-Id`, 'id of the run, the same for all its deliveries.'),
    replayOnly(`${prefix}-Replay-Speed`, 'speed as a multiple of real time.', { type: 'number' }),
    header(
      `${prefix}-Resend`,
      'Only when it is sent again after POST /webhooks/{webhookId}/resend: id of the run that does so. All else is as ' +
        'it was: mode, replay headers, delivery id and body.',
      text,
      false,
    ),
    header('webhook-id', 'Id of the delivery (Standard Webhooks).'),
    header('webhook-timestamp', 'Time of the attempt in Unix seconds (Standard Webhooks).'),
    header('webhook-signature', 'Signatures, separated by spaces (Standard Webhooks).'),
  ];
}

/** Turns `timing.app-data` into `TimingAppDataPayload`. */
function payloadName(feedId: string): string {
  const words = feedId.split(/[.-]/).map((word) => word.slice(0, 1).toUpperCase() + word.slice(1));
  return `${words.join('')}Payload`;
}
