// Writes new endpoints. Those of one account one after the other, so that the ones that wait hold no connection to the
// database; and those that wait in one go, so that hundreds of them cost a few transactions and not one each. Between two
// goes the account rests for as long as the last one took: others need the database and this thread as well.

import { systemClock } from '#engine/base/clock.ts';
import { KeyedMutex } from '#engine/base/keyed-mutex.ts';
import { CHANGE_REST_MS_MAX, CREATED_AT_ONCE_MAX } from '#engine/base/limits.ts';
import type { NewWebhook, WebhookStore } from './webhook-store.ts';

interface Waiting {
  readonly webhook: NewWebhook;
  readonly endpointsMax: number;
  readonly resolve: (created: boolean) => void;
  readonly reject: (error: unknown) => void;
}

export class EndpointCreations {
  readonly #store: Pick<WebhookStore, 'insert' | 'findAll'>;
  readonly #goes = new KeyedMutex({ clock: systemClock, msMax: CHANGE_REST_MS_MAX });
  /** By account, the oldest first. An account's requests in progress bound them. */
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(store: Pick<WebhookStore, 'insert' | 'findAll'>) {
    this.#store = store;
  }

  /** Resolves with false when the account has `endpointsMax` endpoints already; exact under any concurrency. */
  create(webhook: NewWebhook, endpointsMax: number): Promise<boolean> {
    const { accountId } = webhook;
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { webhook, endpointsMax, resolve, reject };
      const others = this.#waiting.get(accountId);
      if (others !== undefined) {
        others.push(waiting);
        return;
      }
      this.#waiting.set(accountId, [waiting]);
      this.#goLater(accountId);
    });
  }

  #goLater(accountId: string): void {
    void this.#goes.run(accountId, () => this.#go(accountId));
  }

  async #go(accountId: string): Promise<void> {
    const all = this.#waiting.get(accountId)!;
    const [{ endpointsMax }] = all as [Waiting];
    // Those that came before a change of the plan do not go with those that came after it.
    const changed = all.findIndex((waiting) => waiting.endpointsMax !== endpointsMax);
    const some = all.splice(0, Math.min(CREATED_AT_ONCE_MAX, changed === -1 ? all.length : changed));
    const webhooks = some.map(({ webhook }) => webhook);
    try {
      const created = await this.#store.insert(accountId, webhooks, endpointsMax);
      for (const [place, { resolve }] of some.entries()) resolve(place < created);
    } catch (error) {
      const written = await this.#written(webhooks);
      for (const { webhook, resolve, reject } of some) {
        if (written.has(webhook.webhookId)) resolve(true);
        else reject(error);
      }
    }
    if (all.length > 0) this.#goLater(accountId);
    else this.#waiting.delete(accountId);
  }

  /** The database may have written them without saying so. A client that tried again would create them twice. */
  async #written(webhooks: readonly NewWebhook[]): Promise<ReadonlySet<string>> {
    const found = await this.#store.findAll(webhooks.map(({ webhookId }) => webhookId)).catch(() => []);
    return new Set(found.map(({ webhookId }) => webhookId));
  }
}
