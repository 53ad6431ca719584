// What a shard knows of a customer's endpoint. Settings come whole from the main thread, at a run's start and at every
// change; the actor reads them at each attempt, so that a change applies to the next one (I8).

import type { FilterSpec } from '#schemas/http/filter-spec.ts';

export type WebhookMethod = 'post' | 'put';

export interface EndpointSubscription {
  readonly feedId: string;
  readonly filters: FilterSpec;
  readonly active: boolean;
}

export interface EndpointSettings {
  readonly webhookId: string;
  /** The number that stands for it in the delivery log. */
  readonly webhookNo: number;
  readonly accountId: string;
  readonly url: string;
  readonly method: WebhookMethod;
  /** False: paused. */
  readonly active: boolean;
  readonly secret: string;
  /** The secret before the last rotation and the Unix epoch milliseconds until which it signs as well. */
  readonly previousSecret: { readonly secret: string; readonly untilMs: number } | null;
  /** Apply to every feed of the endpoint. */
  readonly filters: FilterSpec;
  readonly subscriptions: readonly EndpointSubscription[];
}
