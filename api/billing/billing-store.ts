// The store of payments.

import type { Plan } from '#api/plans/plan.ts';
import type { SubscriptionNews } from './payment-provider.ts';

export interface BillingAccount {
  readonly email: string;
  readonly plan: Plan;
  /** Null before the first payment. */
  readonly customerId: string | null;
  /** The payment page that was opened last. */
  readonly checkoutId: string | null;
}

/** A subscription whose place a newer one of its account has taken, and that is not known to be over. */
export interface ReplacedSubscription {
  readonly subscriptionId: string;
  readonly customerId: string | null;
}

export interface BillingStore {
  find(accountId: string): Promise<BillingAccount | null>;
  /** The account has opened this payment page. */
  opened(accountId: string, checkoutId: string): Promise<void>;
  /**
   * Records an event once, and sets the account's plan: Developer while one of its subscriptions is active, Free when it
   * no longer is; Custom stays. The account is the customer of that subscription. If two are active, the newest replaces the
   * other for good. Another plan gives back the claims of the account's bucket warnings (BW1). Resolves with false if the
   * event is a duplicate, is older than a recorded one, or belongs to no account.
   */
  take(news: SubscriptionNews, now: Date): Promise<boolean>;
  /** The account's subscriptions that are to be cancelled. */
  replaced(accountId: string): Promise<readonly ReplacedSubscription[]>;
  /** The subscription is over, whatever an event may still say. */
  end(subscriptionId: string): Promise<void>;
}
