// Converts a stored endpoint to the settings of the delivery engine: secrets unsealed, and only what the plan covers.
// Used at each change and at the start of a run.

import type { FeedCatalogue } from '#api/feeds/feed-catalogue.ts';
import type { Clock } from '#engine/base/clock.ts';
import type { EndpointCoverage, EndpointSettings } from '#engine/delivery/endpoint-settings.ts';
import type { SecretBox } from '#engine/storage/secrets/secret-box.ts';
import { coverageOf } from './coverage.ts';
import { headerLines, openHeaders } from './custom-headers.ts';
import type { CoverageRecord, WebhookRecord } from './webhook-store.ts';

/** How long both secrets sign after a rotation. */
export const PREVIOUS_SECRET_MS = 24 * 3_600_000;

export interface SettingsParts {
  readonly catalogue: FeedCatalogue;
  readonly secretBox: SecretBox;
  readonly clock: Clock;
}

export function endpointSettings(
  webhook: WebhookRecord,
  { catalogue, secretBox, clock }: SettingsParts,
): EndpointSettings {
  const { webhookNo, url, method, filters, previousSecretSealed } = webhook;
  const covered = endpointCoverage(webhook, catalogue);
  const untilMs = webhook.rotatedAt === null ? 0 : webhook.rotatedAt.getTime() + PREVIOUS_SECRET_MS;
  return {
    ...covered,
    webhookNo,
    url,
    method,
    // A deleted endpoint gets no more deliveries. It stays in its runs so its remaining updates are counted.
    active: covered.active && webhook.deletedAt === null,
    secret: secretBox.open(webhook.secretSealed),
    previousSecret:
      previousSecretSealed === null || untilMs <= clock.wallMs()
        ? null
        : { secret: secretBox.open(previousSecretSealed), untilMs },
    headerLines: headerLines(openHeaders(webhook.headersSealed, secretBox)),
    snapshot: webhook.snapshot,
    filters,
  };
}

/** What the plan decides of the settings of an endpoint that is not deleted. */
export function endpointCoverage(webhook: CoverageRecord, catalogue: FeedCatalogue): EndpointCoverage {
  const { webhookId, accountId } = webhook;
  const { suspended, subscriptions } = coverageOf(webhook, catalogue);
  return {
    webhookId,
    accountId,
    active: webhook.active && suspended === null,
    subscriptions: subscriptions
      .filter((subscription) => subscription.suspended === null)
      .map(({ feedId, filters, active }) => ({ feedId, filters, active })),
  };
}
