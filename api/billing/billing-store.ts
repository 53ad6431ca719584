// The store of payments.

import type { Plan } from '#api/plans/plan.ts';
import type { SubscriptionNews } from './payment-provider.ts';

export interface BillingAccount {
  readonly email: string;
  readonly plan: Plan;
  /** Null before the first payment. */
  readonly customerId: string | null;
}

export interface BillingStore {
  find(accountId: string): Promise<BillingAccount | null>;
  /**
   * Records an event once, and sets the account's plan: Developer while one of its subscriptions is active, Free when the
   * last of them no longer is; Custom stays. The account is the customer of the newest active one. Another plan gives
   * back the claims of the account's bucket warnings (BW1). Resolves with false if the event is a duplicate, is older than
   * a recorded one, or belongs to no account.
   */
  take(news: SubscriptionNews, now: Date): Promise<boolean>;
}
