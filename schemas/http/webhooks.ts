// Webhook endpoints, as clients send and receive them.

import Type from 'typebox';
import { choice } from './choice.ts';
import type { FilterSpec } from './filter-spec.ts';
import { nullable } from './nullable.ts';
import { data, PAGE_PLACE } from './page.ts';

const WebhookMethod = choice(['post', 'put'], 'HTTP method of the deliveries.');

/**
 * Validated by the filter parser, which reports every violation in terms of filters. `filters.ts` has the public
 * schema.
 */
const GivenFilters = Type.Unknown({ title: 'Filters' });

export const Filters = Type.Unsafe<FilterSpec>({ title: 'Filters', type: 'object', additionalProperties: true });

const Strict = { additionalProperties: false };

const Description = Type.String({ description: "The customer's own note, at most 256 characters." });

/** Names and values are validated by the parser of custom headers. `custom-headers.ts` has the public schema. */
const GivenHeaders = Type.Unsafe<Readonly<Record<string, unknown>>>({ title: 'CustomHeaders', type: 'object' });

const Snapshot = Type.Boolean({
  description:
    'Before its first update of a session the endpoint gets a snapshot of each of its feeds that has a state so far: ' +
    'what the updates before have left behind, with snapshot: true in the payload. Default: false.',
});

/** The three ways to name feeds. A request has one of them at most. */
const FEED_SELECTORS = {
  feedId: Type.Optional(Type.String({ description: 'One feed.' })),
  feedIds: Type.Optional(
    Type.Array(Type.String(), {
      minItems: 1,
      description: 'Several feeds: ids, `*` for all feeds of the plan, or groups such as `analytics.*`.',
    }),
  ),
  subscriptions: Type.Optional(
    Type.Array(
      Type.Object(
        { feedId: Type.String({ description: 'Id of the feed.' }), filters: Type.Optional(GivenFilters) },
        Strict,
      ),
      {
        minItems: 1,
        description: 'Several feeds, each with filters of its own.',
      },
    ),
  ),
};

export const WebhookCreation = Type.Object(
  {
    webhookUrl: Type.String({
      minLength: 1,
      description:
        'Where deliveries go: `https` on a public address. For replays also `http` on the machine of the service.',
    }),
    ...FEED_SELECTORS,
    filters: Type.Optional(GivenFilters),
    webhookMethod: Type.Optional(WebhookMethod),
    description: Type.Optional(Description),
    headers: Type.Optional(GivenHeaders),
    snapshot: Type.Optional(Snapshot),
  },
  { ...Strict, title: 'WebhookCreation' },
);

export const WebhookChange = Type.Object(
  {
    active: Type.Optional(Type.Boolean({ description: 'Whether deliveries are sent; false: paused.' })),
    webhookUrl: Type.Optional(Type.String({ minLength: 1, description: 'Where deliveries go.' })),
    webhookMethod: Type.Optional(WebhookMethod),
    filters: Type.Optional(GivenFilters),
    ...FEED_SELECTORS,
    description: Type.Optional(Description),
    headers: Type.Optional(GivenHeaders),
    snapshot: Type.Optional(Snapshot),
  },
  {
    ...Strict,
    title: 'WebhookChange',
    description:
      'What is left out stays as it is. feedId, feedIds or subscriptions, at most one of them, is the new set of feeds: ' +
      'feeds that are not in it are removed. A feed that stays keeps its filters and its pause, unless its ' +
      'subscription has other filters. headers replaces all headers.',
  },
);

export const SubscriptionChange = Type.Object(
  {
    filters: Type.Optional(GivenFilters),
    active: Type.Optional(Type.Boolean({ description: 'Whether deliveries are sent; false: paused.' })),
  },
  { ...Strict, title: 'SubscriptionChange' },
);

export const Subscription = Type.Object(
  {
    feedId: Type.String({ description: 'Id of the feed.' }),
    filters: Filters,
    active: Type.Boolean({ description: 'Whether deliveries are sent; false: paused.' }),
    suspended: nullable(
      choice(
        ['tier', 'feed_limit', 'not_offered'],
        'Why nothing of this feed is delivered although it is active. tier: the plan does not include it. ' +
          'feed_limit: the plan has no room for it. not_offered: this service does not offer it. Null: not suspended.',
      ),
    ),
  },
  { title: 'Subscription' },
);

export const EndpointHealth = Type.Object(
  {
    state: choice(
      ['healthy', 'failing', 'paused_for_run'],
      'failing: the last 20 attempts failed, or more; the next success ends it. paused_for_run: the circuit breaker of ' +
        'the running replay has paused it.',
    ),
    failingSince: nullable(Type.String({ description: 'Null unless it is failing.' })),
    attempts: Type.Integer({
      description: 'Attempts of the last hour, in every mode. The hour ends a few seconds ago.',
    }),
    successShare: nullable(
      Type.Number({ description: 'The part of them that was answered with a 2xx, 0 to 1. Null without attempts.' }),
    ),
    p95LatencyMs: nullable(
      Type.Number({
        description: '95 % of those that were answered with a 2xx took no longer, within 12 %. Null without any.',
      }),
    ),
    lastFailure: nullable(
      Type.Object(
        {
          at: Type.String({ description: 'When the attempt started.' }),
          code: Type.String({ description: 'As failureCode of the delivery log.' }),
          statusCode: nullable(Type.Integer({ description: 'Null if there was no response.' })),
        },
        { description: 'The latest attempt that failed; null without one.' },
      ),
    ),
    missedUpdates: Type.Integer({
      description:
        'Updates of the latest 20 live sessions that ended undelivered, because four attempts failed or the time was up, and that no resend has delivered since.',
    }),
  },
  { title: 'EndpointHealth' },
);

export const Webhook = Type.Object(
  {
    webhookId: Type.String({ description: 'Id of the endpoint.' }),
    webhookUrl: Type.String({ description: 'Where deliveries go.' }),
    description: Type.String({ description: "The customer's own note; empty if there is none." }),
    webhookMethod: WebhookMethod,
    headers: Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string' },
      description: "The customer's own headers by name. Values are never shown: asterisks stand in their place.",
    }),
    seriesId: Type.String({ description: 'The series, such as `f1`.' }),
    active: Type.Boolean({ description: 'Whether deliveries are sent; false: paused.' }),
    suspended: nullable(
      choice(
        ['endpoint_limit'],
        'endpoint_limit: the plan has no room for this endpoint, so nothing is delivered to it. Null: not suspended.',
      ),
    ),
    subscriptionTier: choice(['free', 'developer', 'custom'], 'The plan of the account.'),
    snapshot: Snapshot,
    feedCount: Type.Integer({ description: 'Number of feeds it is subscribed to.' }),
    feedPatterns: Type.Array(Type.String(), {
      description: 'Patterns: `*` and group globs. The plan decides which feeds they match.',
    }),
    filters: Filters,
    subscriptions: Type.Array(Subscription, { description: 'One for each feed.' }),
    health: EndpointHealth,
    createdAt: Type.String({ description: 'When it was made, ISO 8601.' }),
    updatedAt: Type.String({ description: 'When it was changed last, ISO 8601.' }),
  },
  { title: 'WebhookEndpoint' },
);

export const WebhookCreated = data(
  Type.Object({
    webhookId: Type.String({ description: 'Id of the endpoint.' }),
    webhookUrl: Type.String({ description: 'Where deliveries go.' }),
    active: Type.Boolean({ description: 'Whether deliveries are sent; false: paused.' }),
    subscriptions: Type.Array(
      Type.Object({
        feedId: Type.String({ description: 'Id of the feed.' }),
        active: Type.Boolean({ description: 'Whether deliveries are sent; false: paused.' }),
      }),
      { description: 'The feeds, one each.' },
    ),
    webhookSecret: Type.String({ description: 'Key of the delivery signatures. Store it like a password.' }),
  }),
);

export const WebhookAnswer = data(Webhook);
export const WebhookList = data(
  Type.Object({ endpoints: Type.Array(Webhook, { description: 'The endpoints of this page.' }), ...PAGE_PLACE }),
);
export const SubscriptionAnswer = data(Subscription);
export const WebhookSecret = data(
  Type.Object({
    webhookId: Type.String({ description: 'Id of the endpoint.' }),
    webhookSecret: Type.String({ description: 'Key of the delivery signatures. Store it like a password.' }),
  }),
);
export const SecretRotated = data(
  Type.Object({
    webhookSecret: Type.String({ description: 'Key of the delivery signatures. Store it like a password.' }),
  }),
);
export const WebhookDeleted = data(
  Type.Object({
    webhookId: Type.String({ description: 'Id of the endpoint.' }),
    deleted: Type.Boolean({ description: 'Always true.' }),
  }),
);
