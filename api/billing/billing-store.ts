// What is kept of payments.

import type { Plan } from '#api/plans/plan.ts';
import type { SubscriptionNews } from './payment-provider.ts';

export interface BillingAccount {
  readonly email: string;
  readonly plan: Plan;
  /** Null before its first payment. */
  readonly customerId: string | null;
}

export interface BillingStore {
  find(accountId: string): Promise<BillingAccount | null>;
  /**
   * Takes note of an event, once, and gives the account the plan that follows: Developer while one of its subscriptions
   * is active, else Free; Custom stays. False when the event was known, is older than what is known, or is of no account.
   */
  take(news: SubscriptionNews, now: Date): Promise<boolean>;
}
