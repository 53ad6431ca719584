// What a shard knows of a customer's endpoint. The main thread sends all settings at the start of a run and at every
// change. The actor reads them for each attempt, so a change applies to the next one (I8).

import type { FilterSpec } from '#schemas/http/filter-spec.ts';

export type WebhookMethod = 'post' | 'put';

export interface EndpointSubscription {
  readonly feedId: string;
  readonly filters: FilterSpec;
  readonly active: boolean;
}

export interface EndpointSettings {
  readonly webhookId: string;
  /** Its number in the delivery log. */
  readonly webhookNo: number;
  readonly accountId: string;
  readonly url: string;
  readonly method: WebhookMethod;
  /** False while it is paused. */
  readonly active: boolean;
  readonly secret: string;
  /** The secret before the last rotation. It signs as well until `untilMs`, Unix epoch milliseconds. */
  readonly previousSecret: { readonly secret: string; readonly untilMs: number } | null;
  /** The customer's own header lines, each `name: value` and CR LF: none that the service sends; empty without any. */
  readonly headerLines: string;
  /** It gets the states of its feeds before its first update of a session. */
  readonly snapshot?: boolean;
  /** These apply to every feed of the endpoint. */
  readonly filters: FilterSpec;
  readonly subscriptions: readonly EndpointSubscription[];
}

/** What the plan of its account decides of them. */
export type EndpointCoverage = Pick<EndpointSettings, 'webhookId' | 'accountId' | 'active' | 'subscriptions'>;
