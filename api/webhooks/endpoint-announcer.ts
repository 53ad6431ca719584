// Sends the current settings of endpoints to the delivery engine whenever they change, or what a new plan covers of them.

import type { TimerClock } from '#engine/base/clock.ts';
import type { KeyedMutex } from '#engine/base/keyed-mutex.ts';
import { ANNOUNCED_AT_ONCE_MAX, CHANGE_REST_MS_MAX } from '#engine/base/limits.ts';
import type { DeliveryControl } from '#engine/delivery/cluster/delivery-control.ts';
import type { EndpointCoverage } from '#engine/delivery/endpoint-settings.ts';
import { endpointCoverage, endpointSettings, type SettingsParts } from './endpoint-settings.ts';
import type { WebhookListCache } from './webhook-list-cache.ts';
import type { CoverageRecord, WebhookRecord, WebhookStore } from './webhook-store.ts';

export interface AnnouncerParts extends SettingsParts {
  readonly clock: TimerClock;
  readonly store: WebhookStore;
  readonly control: DeliveryControl;
  readonly lists: WebhookListCache;
  /** By account id. Changes to endpoints and starts of runs use it. */
  readonly changes: KeyedMutex;
}

/** A plan changes less than all settings, which costs half as much to read and send. */
type Announced = 'coverage' | 'settings';

export class EndpointAnnouncer {
  readonly #parts: AnnouncerParts;
  /** Announcements of all endpoints of an account that have not begun, by account. They will tell later changes, too. */
  readonly #waiting: Readonly<Record<Announced, Map<string, Promise<void>>>> = {
    coverage: new Map(),
    settings: new Map(),
  };

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
    control.coverageChanged(this.#covered(await store.list(accountId, 1, endpointsMax - 1)));
  }

  /** The account's plan has changed, which may change what is covered of every endpoint. */
  planChanged(accountId: string): Promise<void> {
    return this.#announce(accountId, 'coverage');
  }

  /** Changes of the account's endpoints may have been made without being sent: the database was away. */
  changesMissed(accountId: string): Promise<void> {
    return this.#announce(accountId, 'settings');
  }

  #announce(accountId: string, what: Announced): Promise<void> {
    this.#parts.lists.forget(accountId);
    const waiting = this.#waiting[what].get(accountId);
    if (waiting !== undefined) return waiting;
    const announced = this.#parts.changes.run(accountId, () => {
      this.#waiting[what].delete(accountId);
      return this.#all(accountId, what);
    });
    this.#waiting[what].set(accountId, announced);
    return announced;
  }

  /**
   * In parts, so that neither this thread nor a shard is held up by thousands of endpoints. A rest after each part leaves
   * half of the time to other accounts, whose deliveries share the processor with the database. Only while the account has a
   * run: a later one starts with the settings of its time.
   */
  async #all(accountId: string, what: Announced): Promise<void> {
    const { store, control, clock } = this.#parts;
    if (what === 'settings')
      for (const webhookId of await store.deletedInRuns(accountId)) control.endpointDeleted(webhookId);
    let last: CoverageRecord | null = null;
    while (control.delivers(accountId)) {
      const beganMs = clock.nowMs();
      const page: readonly CoverageRecord[] = await this.#part(accountId, last, what);
      if (page.length < ANNOUNCED_AT_ONCE_MAX) return;
      last = page.at(-1)!;
      await clock.sleep(Math.min(clock.nowMs() - beganMs, CHANGE_REST_MS_MAX));
    }
  }

  async #part(accountId: string, last: CoverageRecord | null, what: Announced): Promise<readonly CoverageRecord[]> {
    const { store, control } = this.#parts;
    if (what === 'coverage') {
      const page = await store.coverageAfter(accountId, last, ANNOUNCED_AT_ONCE_MAX);
      control.coverageChanged(this.#covered(page));
      return page;
    }
    const page = await store.listAfter(accountId, last, ANNOUNCED_AT_ONCE_MAX);
    control.endpointsChanged(page.map((webhook) => endpointSettings(webhook, this.#parts)));
    return page;
  }

  #covered(webhooks: readonly CoverageRecord[]): EndpointCoverage[] {
    return webhooks.map((webhook) => endpointCoverage(webhook, this.#parts.catalogue));
  }
}
