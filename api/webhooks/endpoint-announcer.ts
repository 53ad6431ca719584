// Sends the current settings of endpoints to the delivery engine whenever they change.

import { CUSTOM_ENDPOINTS_MAX } from '#api/plans/plan.ts';
import type { KeyedMutex } from '#engine/base/keyed-mutex.ts';
import type { DeliveryControl } from '#engine/delivery/cluster/delivery-control.ts';
import { endpointSettings, type SettingsParts } from './endpoint-settings.ts';
import type { WebhookListCache } from './webhook-list-cache.ts';
import type { WebhookRecord, WebhookStore } from './webhook-store.ts';

export interface AnnouncerParts extends SettingsParts {
  readonly store: WebhookStore;
  readonly control: DeliveryControl;
  readonly lists: WebhookListCache;
  /** By account id. Changes to endpoints and starts of runs use it. */
  readonly changes: KeyedMutex;
}

export class EndpointAnnouncer {
  readonly #parts: AnnouncerParts;

  constructor(parts: AnnouncerParts) {
    this.#parts = parts;
  }

  /** One endpoint was changed. Call while holding the account's mutex. */
  changed(webhook: WebhookRecord): void {
    this.#parts.lists.forget(webhook.accountId);
    this.#parts.control.endpointChanged(endpointSettings(webhook, this.#parts));
  }

  /** One endpoint was deleted, which may make room for another. Call while holding the account's mutex. */
  async deleted(accountId: string, webhookId: string, endpointsMax: number): Promise<void> {
    const { store, control, lists } = this.#parts;
    lists.forget(accountId);
    control.endpointDeleted(webhookId);
    if ((await store.count(accountId)) >= endpointsMax) await this.#all(accountId);
  }

  /** The account's plan has changed, which may change the coverage of every endpoint. */
  accountChanged(accountId: string): Promise<void> {
    this.#parts.lists.forget(accountId);
    return this.#parts.changes.run(accountId, () => this.#all(accountId));
  }

  async #all(accountId: string): Promise<void> {
    const { store, control } = this.#parts;
    for (const webhook of await store.list(accountId, CUSTOM_ENDPOINTS_MAX, 0)) {
      control.endpointChanged(endpointSettings(webhook, this.#parts));
    }
  }
}
