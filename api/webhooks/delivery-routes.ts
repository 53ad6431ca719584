// The route for tests of an endpoint.

import type Type from 'typebox';
import type { FeedCatalogue } from '#api/feeds/feed-catalogue.ts';
import { ApiError } from '#api/http/api-error.ts';
import { bearerOperation, type Operation, reply } from '#api/http/operation.ts';
import { Shares } from '#api/http/shares.ts';
import { Turns } from '#api/http/turns.ts';
import type { Allowances } from '#api/usage/allowances.ts';
import type { Clock } from '#engine/base/clock.ts';
import { isId } from '#engine/base/ids.ts';
import { ACCOUNT_TESTS_MAX, ACCOUNT_TURNS_MAX } from '#engine/base/limits.ts';
import { isDelivered } from '#engine/delivery/attempt-result.ts';
import type { DeliveryControl } from '#engine/delivery/cluster/delivery-control.ts';
import type { TestOutcome } from '#engine/delivery/endpoint/test-delivery.ts';
import type { SecretBox } from '#engine/storage/secrets/secret-box.ts';
import { TestAnswer } from '#schemas/http/deliveries.ts';
import { coverageOf } from './coverage.ts';
import { endpointSettings } from './endpoint-settings.ts';
import { samplePayload } from './sample-payload.ts';
import type { WebhookRecord, WebhookStore } from './webhook-store.ts';

export interface DeliveryParts {
  readonly store: WebhookStore;
  readonly control: DeliveryControl;
  readonly allowances: Allowances;
  readonly catalogue: FeedCatalogue;
  readonly secretBox: SecretBox;
  readonly clock: Clock;
}

export function deliveryRoutes(parts: DeliveryParts): { readonly test: Operation } {
  const { store, control, allowances, catalogue, clock } = parts;
  /** Test deliveries under way, by account. */
  const tests = new Shares(ACCOUNT_TESTS_MAX);
  /** Their questions to the database, which would otherwise all come before the next one of another account. */
  const lookUps = new Turns(ACCOUNT_TURNS_MAX, ACCOUNT_TESTS_MAX);
  const send = async (webhook: WebhookRecord): Promise<TestOutcome> => {
    const feedId = sampleFeed(webhook, catalogue);
    const body = samplePayload(feedId, clock.wallMs());
    const allowance = await allowances.hold(webhook.accountId);
    try {
      return await control.test({ settings: endpointSettings(webhook, parts), feedId, body, allowance });
    } finally {
      allowances.release(webhook.accountId);
    }
  };
  return {
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
  return new ApiError('not_found', 'There is no such webhook endpoint: GET /v1/webhooks lists yours.');
}
