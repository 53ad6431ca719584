// Who takes the money, as the billing operations see it; the binding is stripe-payments.ts.

export interface CheckoutOrder {
  readonly accountId: string;
  readonly email: string;
  /** Who the account is at the provider; null before its first payment. */
  readonly customerId: string | null;
  /** Where the customer's browser goes from the payment page. */
  readonly returnUrl: string;
}

/** What an event says of one subscription to the Developer plan. */
export interface SubscriptionNews {
  readonly eventId: string;
  /** When it was so. */
  readonly toldAt: Date;
  readonly accountId: string;
  readonly customerId: string;
  readonly subscriptionId: string;
  /** Whether it gives the account its plan. */
  readonly active: boolean;
  /** It is over for good; whatever is told of it after that is old. */
  readonly ended: boolean;
}

export interface PaymentProvider {
  /** The address of a page where the Developer plan is subscribed to. Refuses with `billing_failed`. */
  checkoutUrl(order: CheckoutOrder): Promise<string>;
  /** The address of a page where the customer changes or ends the subscription. Refuses with `billing_failed`. */
  portalUrl(customerId: string, returnUrl: string): Promise<string>;
  /** What a signed event says; null when that is nothing to us. Refuses with `invalid_signature`. */
  readEvent(body: Uint8Array, signature: string): SubscriptionNews | null;
}
