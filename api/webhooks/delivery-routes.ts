// Routes for an endpoint's delivery log and for tests.

import type Type from 'typebox';
import type { FeedCatalogue } from '#api/feeds/feed-catalogue.ts';
import { ApiError } from '#api/http/api-error.ts';
import { bearerOperation, type Operation, reply } from '#api/http/operation.ts';
import { Shares } from '#api/http/shares.ts';
import { Turns } from '#api/http/turns.ts';
import type { Allowances } from '#api/usage/allowances.ts';
import type { Clock } from '#engine/base/clock.ts';
import { isId, logId } from '#engine/base/ids.ts';
import { ACCOUNT_TESTS_MAX, ACCOUNT_TURNS_MAX } from '#engine/base/limits.ts';
import { isDelivered } from '#engine/delivery/attempt-result.ts';
import type { DeliveryControl } from '#engine/delivery/cluster/delivery-control.ts';
import type { TestOutcome } from '#engine/delivery/endpoint/test-delivery.ts';
import type { SecretBox } from '#engine/storage/secrets/secret-box.ts';
import { LogPage, LogQuery, TestAnswer } from '#schemas/http/deliveries.ts';
import { FEEDS } from '#schemas/webhook/feeds.ts';
import { coverageOf } from './coverage.ts';
import type { DeliveryLogStore } from './delivery-log-store.ts';
import { endpointSettings } from './endpoint-settings.ts';
import { readCursor, writeCursor } from './log-cursor.ts';
import { shownSince } from './log-window.ts';
import { samplePayload } from './sample-payload.ts';
import type { WebhookRecord, WebhookStore } from './webhook-store.ts';

export interface DeliveryParts {
  readonly store: WebhookStore;
  readonly log: DeliveryLogStore;
  readonly control: DeliveryControl;
  readonly allowances: Allowances;
  readonly catalogue: FeedCatalogue;
  readonly secretBox: SecretBox;
  readonly clock: Clock;
  /** How long entries of the log are shown. */
  readonly logRetentionDays: number;
}

const LOGS_DEFAULT = 50;

export function deliveryRoutes(parts: DeliveryParts): { readonly logs: Operation; readonly test: Operation } {
  const { store, log, control, allowances, catalogue, clock, logRetentionDays } = parts;
  /** Test deliveries under way, by account. */
  const tests = new Shares(ACCOUNT_TESTS_MAX);
  /** Their questions to the database, which would otherwise all come before the next one of another account. */
  const lookUps = new Turns(ACCOUNT_TURNS_MAX, ACCOUNT_TESTS_MAX);
  const send = async (webhook: WebhookRecord): Promise<TestOutcome> => {
    const feedId = sampleFeed(webhook, catalogue);
    const body = samplePayload(feedId, webhook.seriesId, clock.wallMs());
    const allowance = await allowances.hold(webhook.accountId);
    try {
      return await control.test({ settings: endpointSettings(webhook, parts), feedId, body, allowance });
    } finally {
      allowances.release(webhook.accountId);
    }
  };
  return {
    logs: bearerOperation(
      { summary: 'Read the delivery log of an endpoint', query: LogQuery, answer: LogPage },
      async ({ params, query, caller }) => {
        const before = query.cursor === undefined ? null : readCursor(query.cursor);
        if (query.cursor !== undefined && before === null) {
          throw new ApiError('invalid_query', 'cursor is not a nextCursor of an earlier answer');
        }
        const webhookId = params.webhookId!;
        const owner = isId('wh', webhookId) ? await log.owner(caller.accountId, webhookId) : null;
        const since = owner === null ? null : shownSince(owner.deletedAt, clock.wallMs(), logRetentionDays);
        if (owner === null || since === null) throw notFound();
        const limit = query.limit ?? LOGS_DEFAULT;
        // One extra entry shows whether there is a next page.
        const attempts = await log.page(owner.webhookNo, since, before, limit + 1);
        const shown = attempts.slice(0, limit);
        const logs = shown.map(({ logNo, feed, latencyMs, createdAt, error, ...attempt }) => ({
          logId: logId(logNo),
          webhookId,
          ...attempt,
          feedId: FEEDS[feed]?.feedId ?? '',
          latencyMs: Math.round(latencyMs * 100) / 100,
          createdAt: createdAt.toISOString(),
          errorMessage: error,
        }));
        return reply({ data: { logs, nextCursor: attempts.length > limit ? writeCursor(shown.at(-1)!.logNo) : null } });
      },
    ),

    test: bearerOperation(
      { summary: 'Send a sample payload to an endpoint', answer: TestAnswer },
      async ({ params, caller }) => {
        const webhookId = params.webhookId!;
        const { accountId } = caller;
        if (!tests.take(accountId)) throw tooManyTests();
        try {
          const found = isId('wh', webhookId) && lookUps.run(accountId, () => store.find(accountId, webhookId));
          const webhook = found ? await found : null;
          if (webhook === null) throw notFound();
          return reply({ data: testAnswer(await send(webhook)) });
        } finally {
          tests.give(accountId);
        }
      },
    ),
  };
}

function tooManyTests(): ApiError {
  const text = `This account has ${ACCOUNT_TESTS_MAX} test deliveries under way: wait for some of them.`;
  return new ApiError('unavailable', text, { 'retry-after': '1' });
}

function testAnswer(outcome: TestOutcome): Type.Static<typeof TestAnswer>['data'] {
  if (outcome.kind === 'unavailable') throw new ApiError('unavailable');
  if (outcome.kind === 'skipped') {
    return { delivered: false, statusCode: null, latencyMs: 0, errorMessage: 'the monthly delivery limit is reached' };
  }
  const { result } = outcome;
  const latencyMs = Math.round(outcome.latencyMs * 100) / 100;
  if (result.kind === 'failed') return { delivered: false, statusCode: null, latencyMs, errorMessage: result.detail };
  const { statusCode } = result;
  const delivered = isDelivered(result);
  return { delivered, statusCode, latencyMs, errorMessage: delivered ? null : `HTTP ${statusCode}` };
}

/** A feed that the endpoint would get, if there is one. */
function sampleFeed(webhook: WebhookRecord, catalogue: FeedCatalogue): string {
  const { subscriptions } = coverageOf(webhook, catalogue);
  const subscription = subscriptions.find(({ suspended }) => suspended === null) ?? subscriptions[0];
  return (subscription ?? catalogue.feeds[0]!).feedId;
}

function notFound(): ApiError {
  return new ApiError('not_found', 'There is no such webhook endpoint.');
}
