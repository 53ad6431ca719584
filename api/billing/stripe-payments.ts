// Payments by Stripe. Overage is reported by overage/stripe-usage-meter.ts.

import Stripe from 'stripe';
import { ApiError } from '#api/http/api-error.ts';
import type { Clock } from '#engine/base/clock.ts';
import { PAYMENT_RETRIES_MAX, PAYMENT_TRY_MS } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import type {
  Checkout,
  CheckoutOrder,
  PaymentProvider,
  SubscriptionEvent,
  SubscriptionNews,
} from './payment-provider.ts';

export interface StripeSettings {
  readonly secretKey: string;
  /** The key of the signatures on Stripe's events. */
  readonly webhookSecret: string;
  /** Id of the recurring price of the Developer plan. */
  readonly priceId: string;
  /** Id of the metered price of an attempt beyond the included ones. Absent: overage is not billed. */
  readonly overagePriceId?: string;
}

export interface StripeParts {
  readonly clock: Clock;
  readonly log: Log;
  /** The address of the API. Default: Stripe's. */
  readonly api?: { readonly protocol: 'http' | 'https'; readonly host: string; readonly port: number };
}

/** Statuses of a subscription that is paid, or whose payment Stripe is still trying to collect. */
const ACTIVE: ReadonlySet<string> = new Set(['active', 'trialing', 'past_due']);

/** The first payment is under way, such as a bank's debit, or can still be made for a day. */
const UNDER_WAY = 'incomplete';

/** Statuses that never change again. */
const FINAL: ReadonlySet<string> = new Set(['canceled', 'incomplete_expired']);

/**
 * Metadata that only our own checkout sets. Events about other products of the same Stripe account lack it and are
 * ignored.
 */
const ACCOUNT_KEY = 'slipstream_account_id';

export class StripePayments implements PaymentProvider {
  readonly #stripe: Stripe;
  readonly #settings: StripeSettings;
  readonly #clock: Clock;
  readonly #log: Log;

  constructor(settings: StripeSettings, { clock, log, api }: StripeParts) {
    this.#settings = settings;
    this.#clock = clock;
    this.#log = log;
    this.#stripe = new Stripe(settings.secretKey, {
      timeout: PAYMENT_TRY_MS,
      maxNetworkRetries: PAYMENT_RETRIES_MAX,
      telemetry: false,
      ...api,
    });
  }

  async checkout(order: CheckoutOrder): Promise<Checkout> {
    return (order.checkoutId === null ? null : await this.#earlier(order.checkoutId)) ?? this.#opened(order);
  }

  /** Null: nothing can be paid on the page any more, and what was paid there is over. */
  async #earlier(checkoutId: string): Promise<Checkout | null> {
    const earlier = await this.#asked(async () => {
      try {
        return await this.#stripe.checkout.sessions.retrieve(checkoutId, { expand: ['subscription', 'customer'] });
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    });
    if (earlier === null) return null;
    switch (earlier.status) {
      case 'open':
        // For a customer that was deleted since, nothing can be paid there.
        return isDeleted(earlier.customer) ? null : this.#page(earlier);
      case 'complete': {
        const status = typeof earlier.subscription === 'object' ? earlier.subscription?.status : undefined;
        return status !== undefined && (ACTIVE.has(status) || status === UNDER_WAY) ? { kind: 'paid' } : null;
      }
      case 'expired':
        return null;
      default:
        return this.#unexpected('the response from Stripe does not say what became of a checkout');
    }
  }

  async #opened(order: CheckoutOrder): Promise<Checkout> {
    const { accountId, customerId } = order;
    const opened = await this.#asked(async () => {
      try {
        return await this.#open(order);
      } catch (error) {
        if (customerId === null || !isMissing(error) || error.param !== 'customer') throw error;
        this.#log.warn({ accountId, customerId }, 'the customer was deleted in Stripe; a checkout makes a new one');
        return this.#open({ ...order, customerId: null });
      }
    });
    return this.#page(opened);
  }

  #open({ accountId, email, customerId, returnUrl }: CheckoutOrder): Promise<Stripe.Checkout.Session> {
    const metadata = { [ACCOUNT_KEY]: accountId };
    const { priceId, overagePriceId } = this.#settings;
    return this.#stripe.checkout.sessions.create({
      mode: 'subscription',
      line_items: [
        { price: priceId, quantity: 1 },
        // What is reported to the meter is invoiced only for a subscription that has its price. It has no quantity.
        ...(overagePriceId === undefined ? [] : [{ price: overagePriceId }]),
      ],
      client_reference_id: accountId,
      // Without a customer, Stripe makes one of the address.
      ...(customerId === null ? { customer_email: email } : { customer: customerId }),
      metadata,
      subscription_data: { metadata },
      success_url: `${returnUrl}?checkout=completed`,
      cancel_url: `${returnUrl}?checkout=cancelled`,
    });
  }

  async portalUrl(customerId: string, returnUrl: string): Promise<string | null> {
    const opened = await this.#asked(async () => {
      try {
        return await this.#stripe.billingPortal.sessions.create({ customer: customerId, return_url: returnUrl });
      } catch (error) {
        if (isMissing(error) && error.param === 'customer') return null;
        throw error;
      }
    });
    return opened === null ? null : this.#urlOf(opened);
  }

  async cancel(subscriptionId: string): Promise<boolean> {
    const status = await this.#asked(async () => {
      try {
        return (await this.#stripe.subscriptions.cancel(subscriptionId)).status;
      } catch (error) {
        // What is cancelled cannot be cancelled again: Stripe says that there is no such subscription.
        if (isMissing(error)) return null;
        throw error;
      }
    });
    if (status === null || status === 'canceled') return status !== null;
    return this.#unexpected('the response from Stripe does not say that the subscription is cancelled');
  }

  parseEvent(body: Uint8Array, signature: string): SubscriptionEvent | null {
    const event = this.#verified(body, signature);
    switch (event.type) {
      case 'checkout.session.completed': {
        const { metadata, customer, subscription, payment_status } = event.data.object;
        // A session does not say when its subscription was created. The event comes after that.
        const state = { active: true, ended: false, begunAt: dateOf(event.created) };
        const completed = news(event, metadata, customer, subscription, state);
        // What is to be paid later, by a bank's debit for example: only the subscription says what it gives meanwhile.
        return this.#eventOf(completed, payment_status === 'unpaid');
      }
      case 'customer.subscription.updated': {
        const { metadata, customer } = event.data.object;
        const updated = news(event, metadata, customer, event.data.object, stateOf(event.data.object));
        // Of two events of one second only the subscription itself says which is the later one.
        return this.#eventOf(updated, updated?.ended === false);
      }
      case 'customer.subscription.deleted': {
        const { metadata, customer, created } = event.data.object;
        const over = { active: false, ended: true, begunAt: dateOf(created) };
        return this.#eventOf(news(event, metadata, customer, event.data.object, over), false);
      }
      default:
        return null;
    }
  }

  /** `leavesOpen`: only the subscription as it is says what it gives. */
  #eventOf(told: SubscriptionNews | null, leavesOpen: boolean): SubscriptionEvent | null {
    if (told === null) return null;
    const read = async () => (leavesOpen ? { ...told, ...(await this.#stateOf(told.subscriptionId)) } : told);
    return { accountId: told.accountId, read };
  }

  async #stateOf(subscriptionId: string): Promise<SubscriptionState> {
    const subscription = await this.#asked(() => this.#stripe.subscriptions.retrieve(subscriptionId));
    if (typeof subscription.status === 'string') return stateOf(subscription);
    return this.#unexpected('the response from Stripe does not say what became of a subscription');
  }

  #verified(body: Uint8Array, signature: string): Stripe.Event {
    const { webhooks } = this.#stripe;
    const { webhookSecret } = this.#settings;
    const nowMs = this.#clock.wallMs();
    try {
      return webhooks.constructEvent(body, signature, webhookSecret, undefined, undefined, nowMs);
    } catch (error) {
      if (error instanceof Stripe.errors.StripeSignatureVerificationError) throw new ApiError('invalid_signature');
      throw error;
    }
  }

  #page(session: Stripe.Checkout.Session): Checkout {
    return { kind: 'page', checkoutId: session.id, url: this.#urlOf(session) };
  }

  #urlOf({ url }: { readonly url?: string | null }): string {
    return typeof url === 'string' ? url : this.#unexpected('the response from Stripe has no page URL');
  }

  /** The library treats any JSON without an error as success, whatever the status. */
  #unexpected(what: string): never {
    this.#log.warn({}, what);
    throw new ApiError('billing_failed');
  }

  async #asked<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeError)) throw error;
      // The error itself is not logged: it holds the whole response, with the customer's address.
      const { type, code, statusCode, requestId, message } = error;
      const details = { type, code, statusCode, stripeRequestId: requestId, reason: message };
      this.#log.warn(details, 'Stripe refused a request or did not respond');
      throw new ApiError('billing_failed');
    }
  }
}

/** Whether Stripe does not have (any more) what a request names. */
function isMissing(error: unknown): error is Stripe.errors.StripeInvalidRequestError {
  return error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing';
}

function isDeleted(customer: Stripe.Checkout.Session['customer']): boolean {
  return typeof customer === 'object' && customer?.deleted === true;
}

type SubscriptionState = Pick<SubscriptionNews, 'active' | 'ended' | 'begunAt'>;

function stateOf({ status, created }: Pick<Stripe.Subscription, 'status' | 'created'>): SubscriptionState {
  return { active: ACTIVE.has(status), ended: FINAL.has(status), begunAt: dateOf(created) };
}

type Reference = string | { readonly id: string } | null;

/** Null if the event is about something that our checkout did not sell. */
function news(
  { id, created }: Stripe.Event,
  metadata: Stripe.Metadata | null,
  customer: Reference,
  subscription: Reference,
  state: SubscriptionState,
): SubscriptionNews | null {
  const accountId = metadata?.[ACCOUNT_KEY];
  const customerId = idOf(customer);
  const subscriptionId = idOf(subscription);
  if (accountId === undefined || customerId === null || subscriptionId === null) return null;
  return { eventId: id, occurredAt: dateOf(created), accountId, customerId, subscriptionId, ...state };
}

function dateOf(seconds: number): Date {
  return new Date(seconds * 1_000);
}

function idOf(reference: Reference): string | null {
  return typeof reference === 'string' ? reference : (reference?.id ?? null);
}
