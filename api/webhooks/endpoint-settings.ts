// Converts a stored endpoint to the settings of the delivery engine: secrets unsealed, and only what the plan covers.
// Used at each change and at the start of a run.

import type { FeedCatalogue } from '#api/feeds/feed-catalogue.ts';
import type { Clock } from '#engine/base/clock.ts';
import type { EndpointSettings } from '#engine/delivery/endpoint-settings.ts';
import type { SecretBox } from '#engine/storage/secrets/secret-box.ts';
import { coverageOf } from './coverage.ts';
import { headerLines, openHeaders } from './custom-headers.ts';
import type { WebhookRecord } from './webhook-store.ts';

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
  const { webhookId, webhookNo, accountId, url, method, filters, previousSecretSealed } = webhook;
  const { suspended, subscriptions } = coverageOf(webhook, catalogue);
  const untilMs = webhook.rotatedAt === null ? 0 : webhook.rotatedAt.getTime() + PREVIOUS_SECRET_MS;
  return {
    webhookId,
    webhookNo,
    accountId,
    url,
    method,
    // A deleted endpoint gets no more deliveries. It stays in its runs so its remaining updates are counted.
    active: webhook.active && webhook.deletedAt === null && suspended === null,
    secret: secretBox.open(webhook.secretSealed),
    previousSecret:
      previousSecretSealed === null || untilMs <= clock.wallMs()
        ? null
        : { secret: secretBox.open(previousSecretSealed), untilMs },
    headerLines: headerLines(openHeaders(webhook.headersSealed, secretBox)),
    snapshot: webhook.snapshot,
    filters,
    subscriptions: subscriptions
      .filter((subscription) => subscription.suspended === null)
      .map(({ feedId, filters, active }) => ({ feedId, filters, active })),
  };
}
