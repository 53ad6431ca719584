// The payment provider, as the billing operations see it. The binding is stripe-payments.ts.

export interface CheckoutOrder {
  readonly accountId: string;
  readonly email: string;
  /** The provider's id of the customer; null before the first payment. */
  readonly customerId: string | null;
  /** The provider's id of the page that this account opened last; null: it opened none. */
  readonly checkoutId: string | null;
  /** Where the payment page sends the customer's browser back to. */
  readonly returnUrl: string;
}

/** `paid`: the account has paid on the page that it opened last, and an event will follow, or has. */
export type Checkout =
  | { readonly kind: 'page'; readonly checkoutId: string; readonly url: string }
  | { readonly kind: 'paid' };

/** What an event reports about one subscription to the Developer plan. */
export interface SubscriptionNews {
  readonly eventId: string;
  /** When the provider created the event. */
  readonly occurredAt: Date;
  readonly accountId: string;
  readonly customerId: string;
  readonly subscriptionId: string;
  /** When the subscription was created, or a moment later: not every event says it. */
  readonly begunAt: Date;
  /** Whether the subscription entitles the account to the plan. */
  readonly active: boolean;
  /** The subscription is over for good; any later event about it is stale. */
  readonly ended: boolean;
}

/** An event about one of our subscriptions. */
export interface SubscriptionEvent {
  readonly accountId: string;
  /** Resolves with what it reports; asks the provider about what it leaves open. Rejects with `billing_failed`. */
  readonly read: () => Promise<SubscriptionNews>;
}

export interface PaymentProvider {
  /**
   * Resolves with a page for subscribing to the Developer plan: the one that was opened last while it can still be paid, so
   * that an account has one at a time, otherwise a new one. A customer that was deleted at the provider is made anew. Rejects with `billing_failed`.
   */
  checkout(order: CheckoutOrder): Promise<Checkout>;
  /**
   * Resolves with the URL of a page for changing or ending the subscription, or with null if the customer was deleted at the
   * provider. Rejects with `billing_failed`.
   */
  portalUrl(customerId: string, returnUrl: string): Promise<string | null>;
  /**
   * Cancels a subscription at once; nothing is refunded or invoiced. Resolves with false if it was over already. Rejects with
   * `billing_failed`.
   */
  cancel(subscriptionId: string): Promise<boolean>;
  /** Parses a signed event; null if it does not concern us. Throws `invalid_signature`. */
  parseEvent(body: Uint8Array, signature: string): SubscriptionEvent | null;
}
