// Tells the delivery engine how endpoints are now, after anything that they follow from has changed.

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
  /** By account id; changes of endpoints and starts of runs pass through it. */
  readonly changes: KeyedMutex;
}

export class EndpointAnnouncer {
  readonly #parts: AnnouncerParts;

  constructor(parts: AnnouncerParts) {
    this.#parts = parts;
  }

  /** One endpoint was changed. To be called within the account's turn. */
  changed(webhook: WebhookRecord): void {
    this.#parts.lists.forget(webhook.accountId);
    this.#parts.control.endpointChanged(endpointSettings(webhook, this.#parts));
  }

  /** One endpoint was deleted, which may make room for another. To be called within the account's turn. */
  async deleted(accountId: string, webhookId: string, endpointsMax: number): Promise<void> {
    const { store, control, lists } = this.#parts;
    lists.forget(accountId);
    control.endpointDeleted(webhookId);
    if ((await store.count(accountId)) >= endpointsMax) await this.#all(accountId);
  }

  /** The account's plan was changed: every endpoint of it may be covered otherwise. */
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
