// POST /v1/console/billing/...: links to the payment provider's pages. POST /v1/billing/stripe-events: the provider's
// events. Only these events change plans.

import Type from 'typebox';
import { ApiError } from '#api/http/api-error.ts';
import { type Operation, publicOperation, reply, sessionOperation } from '#api/http/operation.ts';
import type { Clock } from '#engine/base/clock.ts';
import { KeyedMutex } from '#engine/base/keyed-mutex.ts';
import type { Log } from '#engine/base/log.ts';
import { EventReceived, PaymentPage } from '#schemas/http/billing.ts';
import { BILLING_PAGE } from './billing-page.ts';
import type { BillingAccount, BillingStore } from './billing-store.ts';
import type { PaymentProvider, SubscriptionNews } from './payment-provider.ts';

export interface BillingParts {
  readonly store: BillingStore;
  /** Null: payments are not configured. */
  readonly payments: PaymentProvider | null;
  readonly clock: Clock;
  readonly log: Log;
  /** Base URL of the web pages, without a trailing slash. */
  readonly siteUrl: () => string;
  /** Called when an account's plan may have changed. */
  readonly accountChanged: (accountId: string) => void;
}

type BillingOperation = 'checkout' | 'portal' | 'event' | 'page';

export function billingRoutes(parts: BillingParts): Readonly<Record<BillingOperation, Operation>> {
  const { store, clock, log, accountChanged } = parts;
  /** Of one account one after the other: two at once would open two pages, and both could be paid. */
  const checkouts = new KeyedMutex();
  /**
   * Of one account one after the other: what one has asked the provider for would be old when it is written, if another one
   * asks and writes meanwhile. Two nodes of a cluster that get them in the same moment are not kept apart.
   */
  const events = new KeyedMutex();
  const returnUrl = () => `${parts.siteUrl()}/billing`;

  const payments = (): PaymentProvider => {
    if (parts.payments === null) throw new ApiError('billing_not_configured');
    return parts.payments;
  };

  const find = async (accountId: string): Promise<BillingAccount> => {
    const account = await store.find(accountId);
    if (account === null) throw new ApiError('not_signed_in');
    return account;
  };

  /**
   * Cancels what a newer subscription has replaced, so that nobody goes on paying twice. Whether it fails or this process dies,
   * the provider repeats the event, and each later event of the account tries again.
   */
  const cancelReplaced = async (provider: PaymentProvider, accountId: string): Promise<void> => {
    for (const replaced of await store.replaced(accountId)) {
      const { subscriptionId } = replaced;
      const details = { accountId, ...replaced };
      if (await provider.cancel(subscriptionId))
        log.error(details, 'an account had two subscriptions; the older one is cancelled: refund what was paid twice');
      else
        log.warn(details, 'an account had two subscriptions; the older one is over already: see whether to refund it');
      await store.end(subscriptionId);
    }
  };

  const take = async (provider: PaymentProvider, news: SubscriptionNews): Promise<void> => {
    const { accountId, subscriptionId, customerId, active } = news;
    if (await store.take(news, new Date(clock.wallMs()))) accountChanged(accountId);
    await cancelReplaced(provider, accountId);
    // Another service may share the provider's account, so it is not for this one to cancel.
    if (active && (await store.find(accountId)) === null)
      log.warn(
        { accountId, subscriptionId, customerId },
        'a subscription is paid for and its account does not exist: cancel it if the account was deleted',
      );
  };

  return {
    checkout: sessionOperation(
      {
        summary: 'Get the payment page for the Developer plan',
        answer: PaymentPage,
        takesTurns: true,
        refuses: ['already_subscribed', 'billing_failed', 'billing_not_configured'],
      },
      async ({ caller: { accountId } }) => {
        const provider = payments();
        return checkouts.run(accountId, async () => {
          const { email, plan, customerId, checkoutId } = await find(accountId);
          if (plan !== 'free') throw new ApiError('already_subscribed');
          const checkout = await provider.checkout({
            accountId,
            email,
            customerId,
            checkoutId,
            returnUrl: returnUrl(),
          });
          if (checkout.kind === 'paid') throw new ApiError('already_subscribed');
          // Before the customer sees the page: one that nobody has seen may be forgotten.
          if (checkout.checkoutId !== checkoutId) await store.opened(accountId, checkout.checkoutId);
          return reply({ data: { url: checkout.url } });
        });
      },
    ),

    portal: sessionOperation(
      {
        summary: 'Get the page for managing the subscription',
        answer: PaymentPage,
        takesTurns: true,
        refuses: ['no_subscription', 'billing_failed', 'billing_not_configured'],
      },
      async ({ caller: { accountId } }) => {
        const provider = payments();
        const { customerId } = await find(accountId);
        const url = customerId === null ? null : await provider.portalUrl(customerId, returnUrl());
        if (url === null) throw new ApiError('no_subscription');
        return reply({ data: { url } });
      },
    ),

    event: publicOperation(
      {
        summary: 'Receive an event from the payment provider',
        answer: EventReceived,
        refuses: ['invalid_signature', 'billing_failed', 'billing_not_configured'],
        raw: true,
        reads: ['stripe-signature'],
        undocumented: true,
      },
      async ({ rawBody, headers }) => {
        const provider = payments();
        const event = provider.parseEvent(rawBody, headers['stripe-signature']!);
        if (event !== null) await events.run(event.accountId, async () => take(provider, await event.read()));
        return reply({ data: { received: true } });
      },
    ),

    page: publicOperation(
      { summary: 'Show the page that the payment pages lead back to', answer: Type.Unknown(), undocumented: true },
      async () => ({ kind: 'document', contentType: 'text/html; charset=utf-8', content: BILLING_PAGE }),
    ),
  };
}
