// Routes for webhook endpoints and their signing secrets: create, list, change, delete. The delivery engine gets every
// change at once and applies it to the next attempt (I8).

import { randomBytes } from 'node:crypto';
import type { Static } from 'typebox';
import type { FeedCatalogue } from '#api/feeds/feed-catalogue.ts';
import { ApiError } from '#api/http/api-error.ts';
import { jsonWriter } from '#api/http/json-writer.ts';
import { bearerOperation, type Caller, type Operation, reply } from '#api/http/operation.ts';
import { pageOf } from '#api/http/page.ts';
import { refuseViolations } from '#api/http/violations.ts';
import { PLAN_NAMES, type Plan, TERMS } from '#api/plans/plan.ts';
import type { LiveDeliveries } from '#api/webhooks/live/live-deliveries.ts';
import type { Clock } from '#engine/base/clock.ts';
import { isId, newId } from '#engine/base/ids.ts';
import type { KeyedMutex } from '#engine/base/keyed-mutex.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import type { FilterContext } from '#engine/delivery/filter/filter-parser.ts';
import type { SecretBox } from '#engine/storage/secrets/secret-box.ts';
import { pageQuery } from '#schemas/http/page.ts';
import {
  SecretRotated,
  SubscriptionAnswer,
  SubscriptionChange,
  type Webhook,
  WebhookAnswer,
  WebhookChange,
  WebhookCreated,
  WebhookCreation,
  WebhookDeleted,
  WebhookList,
  WebhookSecret,
} from '#schemas/http/webhooks.ts';
import { type CoveredSubscription, coverageOf } from './coverage.ts';
import { maskedHeaders, openHeaders, parseHeaders, sealHeaders } from './custom-headers.ts';
import type { EndpointAnnouncer } from './endpoint-announcer.ts';
import { EndpointCreations } from './endpoint-creations.ts';
import { admitDescription } from './endpoint-description.ts';
import type { EndpointHealthStore } from './health/endpoint-health-store.ts';
import { shownHealth } from './health/shown-health.ts';
import { changedFilters, type SubscriptionOrder, selectsFeeds, subscriptionOrder } from './subscription-order.ts';
import { admitUrl, type NameResolver } from './url-admission.ts';
import type { WebhookListCache } from './webhook-list-cache.ts';
import type { WebhookRecord, WebhookStore } from './webhook-store.ts';

export interface WebhookParts {
  readonly store: WebhookStore;
  readonly catalogue: FeedCatalogue;
  readonly announcer: EndpointAnnouncer;
  /** The live sessions, which a new endpoint joins. */
  readonly live: Pick<LiveDeliveries, 'endpointCreated'>;
  readonly lists: WebhookListCache;
  readonly health: EndpointHealthStore;
  readonly secretBox: SecretBox;
  readonly clock: Clock;
  readonly resolve: NameResolver;
  /** Whether webhooks on the service's own machine are accepted. */
  readonly servesLocalhost: boolean;
  /** Of the service's own headers, which no endpoint may set. */
  readonly headerPrefix: string;
  /** By account id. Starts of runs use it too. */
  readonly changes: KeyedMutex;
  /** Sends the engine what the database has of the account, as soon as it says. */
  readonly changesMissed: (accountId: string) => void;
}

type WebhookOperation = 'create' | 'list' | 'get' | 'secret' | 'change' | 'changeFeed' | 'delete' | 'rotateSecret';

export function webhookRoutes(parts: WebhookParts): Readonly<Record<WebhookOperation, Operation>> {
  const { store, catalogue, announcer, live, lists, secretBox, clock, changes } = parts;
  const sealed = (given: Readonly<Record<string, unknown>>) => {
    const parsed = parseHeaders(given, parts.headerPrefix);
    if ('violations' in parsed) refuseViolations('invalid_body', parsed.violations);
    return 'ok' in parsed ? sealHeaders(parsed.ok, secretBox) : null;
  };
  const show = (webhook: WebhookRecord) => shown(webhook, catalogue, secretBox);
  const admit = (url: string) => admitUrl(url, parts.resolve, parts.servesLocalhost);
  const creations = new EndpointCreations(store);
  const serialiseList = jsonWriter(WebhookList);

  const find = async (caller: Caller, webhookId: string): Promise<WebhookRecord> => {
    const webhook = isId('wh', webhookId) ? await store.find(caller.accountId, webhookId) : null;
    if (webhook === null) throw notFound();
    return webhook;
  };

  /** Makes a change in the account's turn. When it fails, the database may have made it all the same, and not said so. */
  const changing = <Result>({ accountId }: Caller, work: () => Promise<Result>): Promise<Result> =>
    changes.run(accountId, work).catch((error: Error) => {
      if (!(error instanceof ApiError)) parts.changesMissed(accountId);
      throw error;
    });

  /**
   * Applies a change, sends it to the engine, and resolves with the changed endpoint. `apply` gets the endpoint as it is in
   * the account's turn: what was read before it, another change may have made wrong.
   */
  const change = (
    caller: Caller,
    webhookId: string,
    apply: (webhook: WebhookRecord, now: Date) => Promise<boolean>,
  ): Promise<WebhookRecord> =>
    changing(caller, async () => {
      if (!(await apply(await find(caller, webhookId), new Date(clock.wallMs())))) throw notFound();
      const webhook = await find(caller, webhookId);
      announcer.changed(webhook);
      return webhook;
    });

  const subscriptionOf = (webhook: WebhookRecord, feedId: string): CoveredSubscription => {
    const found = coverageOf(webhook, catalogue).subscriptions.find((subscription) => subscription.feedId === feedId);
    if (found === undefined || found.suspended === 'not_offered') {
      throw new ApiError('not_found', 'The endpoint does not subscribe to this feed.');
    }
    return found;
  };

  /** The feeds that an endpoint has today, for what is said about all of them. */
  const wholeEndpoint = (webhook: WebhookRecord): FilterContext => ({
    scope: 'endpoint',
    feedIds: coverageOf(webhook, catalogue).subscriptions.map(({ feedId }) => feedId),
    patterns: webhook.feedPatterns.length > 0,
  });

  /** The new set of feeds that a change selects. The endpoint's filters, if they stay, must have a meaning for them. */
  const newFeeds = (body: Static<typeof WebhookChange>, { filters }: WebhookRecord, plan: Plan): SubscriptionOrder =>
    body.filters === undefined
      ? subscriptionOrder({ ...body, filters }, plan, catalogue, "the endpoint's filters")
      : subscriptionOrder(body, plan, catalogue);

  const withHealth = async (endpoints: readonly Omit<Static<typeof Webhook>, 'health'>[]) => {
    const found = await parts.health.of(
      endpoints.map(({ webhookId }) => webhookId),
      new Date(clock.wallMs()),
    );
    return endpoints.flatMap((endpoint) => {
      const health = found.get(endpoint.webhookId);
      // Its account was deleted in the meantime.
      return health === undefined ? [] : [{ ...endpoint, health: shownHealth(health) }];
    });
  };

  const answer = async (webhook: WebhookRecord) => {
    const [data] = await withHealth([show(webhook)]);
    if (data === undefined) throw notFound();
    return reply({ data });
  };

  return {
    create: bearerOperation(
      {
        summary: 'Register an endpoint',
        body: WebhookCreation,
        answer: WebhookCreated,
        statuses: [201],
        refuses: ['invalid_filters', 'plan_limit_reached', 'tier_required', 'insufficient_tier'],
      },
      async ({ body, caller }) => {
        const { seriesId, filters, feedPatterns, feedIds, subscriptions } = subscriptionOrder(
          body,
          caller.plan,
          catalogue,
        );
        const { text: url } = await admit(body.webhookUrl);
        const webhookId = newId('wh', clock.wallMs(), systemRandomBytes);
        const webhookSecret = newSigningSecret();
        const { endpoints } = TERMS[caller.plan];
        const webhook = {
          webhookId,
          accountId: caller.accountId,
          url,
          method: body.webhookMethod ?? 'post',
          seriesId,
          filters,
          secretSealed: secretBox.seal(webhookSecret),
          headersSealed: sealed(body.headers ?? {}),
          description: admitDescription(body.description ?? ''),
          snapshot: body.snapshot ?? false,
          createdAt: new Date(clock.wallMs()),
          feedPatterns,
          subscriptions,
        };
        if (!(await creations.create(webhook, endpoints))) {
          throw new ApiError(
            'plan_limit_reached',
            `The plan ${PLAN_NAMES[caller.plan]} has room for ${endpoints} endpoints: delete one, or take a higher plan.`,
          );
        }
        lists.forget(caller.accountId);
        await live.endpointCreated(caller.accountId, webhookId);
        const feeds = feedIds.map((feedId) => ({ feedId, active: true }));
        return reply({ data: { webhookId, webhookUrl: url, active: true, subscriptions: feeds, webhookSecret } }, 201);
      },
    ),

    list: bearerOperation(
      { summary: 'List the endpoints', query: pageQuery(100), answer: WebhookList },
      async ({ query, caller: { accountId } }) => {
        const { limit, offset } = pageOf(query);
        const text = await lists.get(accountId, { limit, offset }, async () => {
          const [webhooks, total] = await Promise.all([store.list(accountId, limit, offset), store.count(accountId)]);
          const endpoints = await withHealth(webhooks.map(show));
          return serialiseList({ data: { endpoints, total, limit, offset } });
        });
        return { kind: 'text' as const, text };
      },
    ),

    get: bearerOperation({ summary: 'Read one endpoint', answer: WebhookAnswer }, async ({ params, caller }) =>
      answer(await find(caller, params.webhookId!)),
    ),

    secret: bearerOperation(
      { summary: 'Read the signing secret of an endpoint', answer: WebhookSecret },
      async ({ params, caller }) => {
        const { webhookId, secretSealed } = await find(caller, params.webhookId!);
        return reply({ data: { webhookId, webhookSecret: secretBox.open(secretSealed) } });
      },
    ),

    change: bearerOperation(
      {
        summary: 'Change an endpoint',
        body: WebhookChange,
        answer: WebhookAnswer,
        refuses: ['invalid_filters', 'plan_limit_reached', 'tier_required', 'insufficient_tier'],
      },
      async ({ params, body, caller }) => {
        const webhookId = params.webhookId!;
        const settings = {
          active: body.active ?? null,
          description: body.description === undefined ? null : admitDescription(body.description),
          headers: body.headers === undefined ? null : { sealed: sealed(body.headers) },
          snapshot: body.snapshot ?? null,
          // A name server may take seconds, for which the account's other changes must not wait.
          url: body.webhookUrl === undefined ? null : (await admit(body.webhookUrl)).text,
          method: body.webhookMethod ?? null,
        };
        const changed = await change(caller, webhookId, (webhook, now) => {
          const feeds = selectsFeeds(body) ? newFeeds(body, webhook, caller.plan) : null;
          const filters =
            body.filters === undefined || feeds === null
              ? changedFilters(body.filters, wholeEndpoint(webhook))
              : feeds.filters;
          return store.patch(caller.accountId, webhookId, { ...settings, feeds, filters }, now);
        });
        return answer(changed);
      },
    ),

    changeFeed: bearerOperation(
      {
        summary: 'Change one feed subscription',
        body: SubscriptionChange,
        answer: SubscriptionAnswer,
        refuses: ['invalid_filters'],
      },
      async ({ params, body, caller }) => {
        const feedId = params.feedId!;
        const webhookId = params.webhookId!;
        const changed = await change(caller, webhookId, (webhook, now) => {
          subscriptionOf(webhook, feedId);
          const feed = catalogue.find(feedId)!;
          const patch = {
            active: body.active ?? null,
            filters: changedFilters(body.filters, { scope: 'feed', feed }),
          };
          return store.patchSubscription(caller.accountId, webhookId, feedId, patch, now);
        });
        return reply({ data: subscriptionOf(changed, feedId) });
      },
    ),

    delete: bearerOperation({ summary: 'Delete an endpoint', answer: WebhookDeleted }, async ({ params, caller }) => {
      const webhookId = params.webhookId!;
      await changing(caller, async () => {
        const now = new Date(clock.wallMs());
        const deleted = isId('wh', webhookId) && (await store.delete(caller.accountId, webhookId, now));
        if (!deleted) throw notFound();
        await announcer.deleted(caller.accountId, webhookId, TERMS[caller.plan].endpoints);
      });
      return reply({ data: { webhookId, deleted: true } });
    }),

    rotateSecret: bearerOperation(
      { summary: 'Replace the signing secret of an endpoint', answer: SecretRotated },
      async ({ params, caller }) => {
        const webhookId = params.webhookId!;
        const webhookSecret = newSigningSecret();
        const sealed = secretBox.seal(webhookSecret);
        await change(caller, webhookId, (_, now) => store.rotateSecret(caller.accountId, webhookId, sealed, now));
        return reply({ data: { webhookSecret } });
      },
    ),
  };
}

function notFound(): ApiError {
  return new ApiError('not_found', 'There is no such webhook endpoint: GET /v1/webhooks lists yours.');
}

/** The form in which Standard Webhooks libraries expect a secret; signatures are keyed with the whole text. */
function newSigningSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

function shown(
  webhook: WebhookRecord,
  catalogue: FeedCatalogue,
  secretBox: SecretBox,
): Omit<Static<typeof Webhook>, 'health'> {
  const { webhookId, url, method, seriesId, active, plan, filters, feedPatterns, createdAt, updatedAt } = webhook;
  const { suspended, subscriptions } = coverageOf(webhook, catalogue);
  return {
    webhookId,
    webhookUrl: url,
    description: webhook.description,
    webhookMethod: method,
    headers: maskedHeaders(openHeaders(webhook.headersSealed, secretBox)),
    seriesId,
    active,
    suspended,
    subscriptionTier: plan,
    snapshot: webhook.snapshot,
    feedCount: subscriptions.length,
    feedPatterns: [...feedPatterns],
    filters,
    subscriptions: [...subscriptions],
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}
