// Sends the current settings of endpoints to the delivery engine whenever they change.

import type { TimerClock } from '#engine/base/clock.ts';
import type { KeyedMutex } from '#engine/base/keyed-mutex.ts';
import { ANNOUNCED_AT_ONCE_MAX, CHANGE_REST_MS_MAX } from '#engine/base/limits.ts';
import type { DeliveryControl } from '#engine/delivery/cluster/delivery-control.ts';
import { endpointSettings, type SettingsParts } from './endpoint-settings.ts';
import type { WebhookListCache } from './webhook-list-cache.ts';
import type { WebhookRecord, WebhookStore } from './webhook-store.ts';

export interface AnnouncerParts extends SettingsParts {
  readonly clock: TimerClock;
  readonly store: WebhookStore;
  readonly control: DeliveryControl;
  readonly lists: WebhookListCache;
  /** By account id. Changes to endpoints and starts of runs use it. */
  readonly changes: KeyedMutex;
}

export class EndpointAnnouncer {
  readonly #parts: AnnouncerParts;
  /** Announcements of a change of plan that have not begun, by account. They will cover later changes, too. */
  readonly #waiting = new Map<string, Promise<void>>();

  constructor(parts: AnnouncerParts) {
    this.#parts = parts;
  }

  /** One endpoint was changed. Call while holding the account's mutex. */
  changed(webhook: WebhookRecord): void {
    this.#parts.lists.forget(webhook.accountId);
    this.#parts.control.endpointsChanged([endpointSettings(webhook, this.#parts)]);
  }

  /**
   * One endpoint was deleted. If the plan has too little room, it covers the oldest that are left: perhaps one more.
   * Call while holding the account's mutex.
   */
  async deleted(accountId: string, webhookId: string, endpointsMax: number): Promise<void> {
    const { store, control, lists } = this.#parts;
    lists.forget(accountId);
    control.endpointDeleted(webhookId);
    this.#send(await store.list(accountId, 1, endpointsMax - 1));
  }

  /** The account's plan has changed, which may change the coverage of every endpoint. */
  accountChanged(accountId: string): Promise<void> {
    this.#parts.lists.forget(accountId);
    const waiting = this.#waiting.get(accountId);
    if (waiting !== undefined) return waiting;
    const announced = this.#parts.changes.run(accountId, () => {
      this.#waiting.delete(accountId);
      return this.#all(accountId);
    });
    this.#waiting.set(accountId, announced);
    return announced;
  }

  /**
   * In parts, so that neither this thread nor a shard is held up by thousands of endpoints. A rest after each part leaves
   * half of the time to other accounts, whose deliveries share the processor with the database.
   */
  async #all(accountId: string): Promise<void> {
    const { store, clock } = this.#parts;
    for (let sent = 0; ; sent += ANNOUNCED_AT_ONCE_MAX) {
      const beganMs = clock.nowMs();
      const page = await store.list(accountId, ANNOUNCED_AT_ONCE_MAX, sent);
      this.#send(page);
      if (page.length < ANNOUNCED_AT_ONCE_MAX) return;
      await clock.sleep(Math.min(clock.nowMs() - beganMs, CHANGE_REST_MS_MAX));
    }
  }

  #send(webhooks: readonly WebhookRecord[]): void {
    this.#parts.control.endpointsChanged(webhooks.map((webhook) => endpointSettings(webhook, this.#parts)));
  }
}
