// The store of webhook endpoints.

import type { Plan } from '#api/plans/plan.ts';
import type { WebhookMethod } from '#engine/delivery/endpoint-settings.ts';
import type { FilterSpec } from '#schemas/http/filter-spec.ts';

export interface SubscriptionRecord {
  readonly feedId: string;
  readonly filters: FilterSpec;
  readonly active: boolean;
  /** Its place in the customer's order; null for settings of a feed that a pattern means. */
  readonly place: number | null;
}

export interface WebhookRecord {
  readonly webhookId: string;
  readonly webhookNo: number;
  readonly accountId: string;
  /** The account's plan today. */
  readonly plan: Plan;
  /** How many older endpoints the account has. */
  readonly rank: number;
  readonly url: string;
  readonly method: WebhookMethod;
  readonly seriesId: string;
  readonly active: boolean;
  readonly filters: FilterSpec;
  readonly secretSealed: Buffer;
  readonly previousSecretSealed: Buffer | null;
  /** Null without headers of the customer's own. */
  readonly headersSealed: Buffer | null;
  /** Empty if there is none. */
  readonly description: string;
  readonly snapshot: boolean;
  readonly rotatedAt: Date | null;
  /** Since when the previous secret was the one in force; null if there is none, or if it is not known. */
  readonly previousSince: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly deletedAt: Date | null;
  /** `*` and group globs, as the customer wrote them. */
  readonly feedPatterns: readonly string[];
  /** In the order in which the customer named them. */
  readonly subscriptions: readonly SubscriptionRecord[];
}

/** What tells how much of an endpoint the plan covers. */
export type CoverageRecord = Pick<
  WebhookRecord,
  'webhookId' | 'accountId' | 'plan' | 'rank' | 'seriesId' | 'active' | 'feedPatterns' | 'subscriptions'
>;

export interface NewSubscription {
  readonly feedId: string;
  /** Null when none are given: a new feed has none, one that stays keeps its own. */
  readonly filters: FilterSpec | null;
}

export interface NewWebhook {
  readonly webhookId: string;
  readonly accountId: string;
  readonly url: string;
  readonly method: WebhookMethod;
  readonly seriesId: string;
  readonly filters: FilterSpec;
  readonly secretSealed: Buffer;
  readonly headersSealed: Buffer | null;
  readonly description: string;
  readonly snapshot: boolean;
  readonly createdAt: Date;
  readonly feedPatterns: readonly string[];
  readonly subscriptions: readonly NewSubscription[];
}

/** The feeds of an endpoint from now on. */
export interface NewFeeds {
  readonly seriesId: string;
  readonly feedPatterns: readonly string[];
  readonly subscriptions: readonly NewSubscription[];
  /** All of them today, those that patterns mean included: the settings of all others are forgotten. */
  readonly feedIds: readonly string[];
}

/** Null: leave it as it is. */
export interface WebhookPatch {
  readonly active: boolean | null;
  readonly url: string | null;
  readonly method: WebhookMethod | null;
  readonly filters: FilterSpec | null;
  readonly feeds: NewFeeds | null;
  readonly description: string | null;
  readonly headers: { readonly sealed: Buffer | null } | null;
  readonly snapshot: boolean | null;
}

export interface SubscriptionPatch {
  readonly active: boolean | null;
  readonly filters: FilterSpec | null;
}

/**
 * Endpoints of other accounts count as non-existent in all methods. So do deleted ones, unless a method says otherwise.
 */
export interface WebhookStore {
  /**
   * Inserts new endpoints of an account, in this order, until it has `endpointsMax`. Resolves with how many were inserted;
   * exact under any concurrency.
   */
  insert(accountId: string, webhooks: readonly NewWebhook[], endpointsMax: number): Promise<number>;
  /** A page of the account's endpoints, oldest first. */
  list(accountId: string, limit: number, offset: number): Promise<WebhookRecord[]>;
  /** The account's endpoints after `last`, oldest first, or its first ones. What came before is not read again. */
  listAfter(
    accountId: string,
    last: Pick<WebhookRecord, 'webhookId' | 'rank'> | null,
    limit: number,
  ): Promise<WebhookRecord[]>;
  /** The same, but only what tells how much of them the plan covers. */
  coverageAfter(accountId: string, last: CoverageRecord | null, limit: number): Promise<CoverageRecord[]>;
  count(accountId: string): Promise<number>;
  find(accountId: string, webhookId: string): Promise<WebhookRecord | null>;
  /** These endpoints, deleted ones included. */
  findAll(webhookIds: readonly string[]): Promise<WebhookRecord[]>;
  /** Deleted ones that are in unfinished runs. */
  deletedInRuns(accountId: string): Promise<readonly string[]>;
  /** Those that get deliveries: active, and among the oldest that the plan covers (O3). */
  activeIds(accountId: string, coveredMax: number): Promise<string[]>;
  /** False when there is no such endpoint; so for all below. */
  patch(accountId: string, webhookId: string, patch: WebhookPatch, now: Date): Promise<boolean>;
  /** Also for a feed that only a pattern means: it gets settings of its own. */
  patchSubscription(
    accountId: string,
    webhookId: string,
    feedId: string,
    patch: SubscriptionPatch,
    now: Date,
  ): Promise<boolean>;
  /** The secret in force becomes the previous one. */
  rotateSecret(accountId: string, webhookId: string, secretSealed: Buffer, now: Date): Promise<boolean>;
  /** Marks it deleted; the delivery log stays. */
  delete(accountId: string, webhookId: string, now: Date): Promise<boolean>;
}
