import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, test } from 'node:test';
import { billingRoutes } from '#api/billing/billing-routes.ts';
import { postgresBillingStore } from '#api/billing/postgres-billing-store.ts';
import { StripePayments } from '#api/billing/stripe-payments.ts';
import type { Plan } from '#api/plans/plan.ts';
import { newSecretToken } from '#api/tokens/secret-token.ts';
import { systemClock } from '#engine/base/clock.ts';
import type { Log } from '#engine/base/log.ts';
import { type Client, withApi } from '#test/support/api-harness.ts';
import { silentLog } from '#test/support/database.ts';
import { STRIPE_SETTINGS, type StripeCheckout, stripeSignature, withStripe } from '#test/support/stripe-server.ts';

const warnings: object[] = [];
const log: Log = { info() {}, warn: (details) => warnings.push(details), error() {} };
const stripe = await withStripe({ after });
const payments = new StripePayments(STRIPE_SETTINGS, { clock: systemClock, log, api: stripe.api });
/** What the log says about subscriptions that somebody pays for in vain. */
const paidInVain: { accountId?: string; subscriptionId?: string; message: string }[] = [];
const note = (details: object, message: string) => void paidInVain.push({ ...details, message });
const apiLog: Log = { info() {}, warn: note, error: note };
const api = await withApi({ after }, { payments, siteUrl: () => 'https://site.example.com', log: apiLog });
const CHECKOUT = '/v1/console/billing/checkout';
const PORTAL = '/v1/console/billing/portal';
const EVENTS = '/v1/billing/stripe-events';
let made = 0;

/** The cookie header of a new sign-in to this account. */
async function signIn({ accountId }: Client): Promise<{ cookie: string }> {
  const { token, tokenHash } = newSecretToken();
  await api.sql`
    insert into sign_in (token_hash, account_id, expires_at) values (${tokenHash}, ${accountId}, now() + interval '1 hour')`;
  return { cookie: `session=${token}` };
}

async function accountOf({ accountId }: Client): Promise<{ plan: Plan; customerId: string | null }> {
  return (await postgresBillingStore(api.sql).find(accountId))!;
}

/** The subscriptions among these that a test has named after the account. */
function ofAccount({ accountId }: Client, subscriptions: readonly string[]): string[] {
  return subscriptions.filter((subscription) => subscription.endsWith(accountId));
}

interface EventOrder {
  readonly type?: string;
  readonly status?: string;
  readonly subscription?: string;
  readonly customer?: string;
  /** Of the checkout. */
  readonly paymentStatus?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  /** When the event was created, in seconds. */
  readonly created?: number;
  /** When the subscription was created, in seconds. A completed checkout does not say it. */
  readonly begun?: number;
}

/**
 * An event in Stripe's format: a completed checkout or, if a status is given, a change of the subscription, which from now on
 * has this status.
 */
function eventOf(client: Client, order: EventOrder = {}): string {
  const { status, created = 1_780_000_000, metadata = { slipstream_account_id: client.accountId } } = order;
  const { begun = 1_780_000_000, paymentStatus: payment_status = 'paid' } = order;
  const subscription = order.subscription ?? `sub_${client.accountId}`;
  const customer = order.customer ?? `cus_${client.accountId}`;
  const type = order.type ?? (status === undefined ? 'checkout.session.completed' : 'customer.subscription.updated');
  if (status !== undefined) stripe.subscriptions.set(subscription, { status, customer, created: begun });
  const object =
    status === undefined
      ? {
          object: 'checkout.session',
          id: 'cs_1',
          mode: 'subscription',
          payment_status,
          customer,
          subscription,
          metadata,
        }
      : { object: 'subscription', id: subscription, created: begun, customer, status, metadata };
  return JSON.stringify({ id: `evt_${++made}`, object: 'event', type, created, data: { object } });
}

/** Sends an event and returns the status of the response. */
async function send(payload: string, signature = stripeSignature(payload)): Promise<number> {
  return (await api.call('POST', EVENTS, payload, { 'stripe-signature': signature })).status;
}

test('without payment settings, checkout, portal and events respond with 503', async () => {
  const bare = await withApi({ after }, { sql: api.sql });
  const cookie = await signIn(await api.client('free'));
  for (const path of [CHECKOUT, PORTAL]) {
    const { status, body } = await bare.call('POST', path, undefined, cookie);
    assert.deepEqual([status, body.code], [503, 'billing_not_configured']);
  }
  assert.equal((await bare.call('POST', EVENTS, '{}')).body.code, 'billing_not_configured');
});

test('checkout and portal require a sign-in', async () => {
  for (const path of [CHECKOUT, PORTAL]) {
    assert.equal((await api.call('POST', path)).body.code, 'not_signed_in');
    assert.equal((await (await api.client('free')).call('POST', path)).body.code, 'not_signed_in');
  }
});

test('checkout returns the URL of a page where this account subscribes to the Developer plan', async () => {
  const client = await api.client('free');
  const [{ email }] = (await api.sql`select email from account where account_id = ${client.accountId}`) as [
    { email: string },
  ];
  const { status, body, headers } = await api.call('POST', CHECKOUT, undefined, await signIn(client));
  assert.deepEqual([status, body], [200, { data: { url: [...stripe.checkouts.values()].at(-1)!.url } }]);
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.deepEqual(stripe.requests.at(-1), {
    path: '/v1/checkout/sessions',
    authorization: 'Bearer sk_test_only_in_tests',
    fields: {
      mode: 'subscription',
      'line_items[0][price]': 'price_developer',
      'line_items[0][quantity]': '1',
      client_reference_id: client.accountId,
      customer_email: email,
      'metadata[slipstream_account_id]': client.accountId,
      'subscription_data[metadata][slipstream_account_id]': client.accountId,
      success_url: 'https://site.example.com/billing?checkout=completed',
      cancel_url: 'https://site.example.com/billing?checkout=cancelled',
    },
  });
});

test('with a price of overage, the subscription has it too, without a quantity', async () => {
  const metered = new StripePayments(
    { ...STRIPE_SETTINGS, overagePriceId: 'price_overage' },
    { clock: systemClock, log, api: stripe.api },
  );
  const order = { accountId: 'acc_1', email: 'a@example.com', customerId: null, checkoutId: null };
  await metered.checkout({ ...order, returnUrl: 'https://s' });
  const { fields } = stripe.requests.at(-1)!;
  assert.deepEqual(
    Object.entries(fields).filter(([name]) => name.startsWith('line_items')),
    [
      ['line_items[0][price]', 'price_developer'],
      ['line_items[0][quantity]', '1'],
      ['line_items[1][price]', 'price_overage'],
    ],
  );
});

test('checkout is refused for an account that already has a paid plan', async () => {
  const before = stripe.requests.length;
  for (const plan of ['developer', 'custom'] as const) {
    const { status, body } = await api.call('POST', CHECKOUT, undefined, await signIn(await api.client(plan)));
    assert.deepEqual([status, body.code], [409, 'already_subscribed']);
  }
  assert.equal(stripe.requests.length, before);
});

test('while the page of a checkout is open, further checkouts of the account lead to it', async () => {
  const [client, other] = [await api.client('free'), await api.client('free')];
  const before = stripe.checkouts.size;
  const cookie = await signIn(client);
  const tabs = await Promise.all([1, 2, 3].map(() => api.call('POST', CHECKOUT, undefined, cookie)));
  const pages = new Set(tabs.map(({ body }) => body.data.url));
  assert.equal(pages.size, 1);
  assert.equal(stripe.checkouts.size, before + 1);
  const { body } = await api.call('POST', CHECKOUT, undefined, await signIn(other));
  assert.ok(!pages.has(body.data.url), 'another account has its own');
});

test('a checkout after one that has expired, or that Stripe does not know, gets a new page', async () => {
  const cookie = await signIn(await api.client('free'));
  const urls = new Set<string>();
  const ends: ((checkout: StripeCheckout) => void)[] = [
    (checkout) => Object.assign(checkout, { status: 'expired', url: null }),
    ({ id }) => stripe.checkouts.delete(id),
    () => {},
  ];
  for (const end of ends) {
    const { body } = await api.call('POST', CHECKOUT, undefined, cookie);
    urls.add(body.data.url);
    end([...stripe.checkouts.values()].at(-1)!);
  }
  assert.equal(urls.size, ends.length);
});

test('who has paid cannot start another checkout before the event comes, but can when that subscription is over', async () => {
  const cookie = await signIn(await api.client('free'));
  await api.call('POST', CHECKOUT, undefined, cookie);
  const paid = [...stripe.checkouts.values()].at(-1)!;
  for (const status of ['active', 'trialing', 'past_due', 'incomplete']) {
    Object.assign(paid, { status: 'complete', url: null, subscription: { id: 'sub_paid', status } });
    const { status: code, body } = await api.call('POST', CHECKOUT, undefined, cookie);
    assert.deepEqual([code, body.code], [409, 'already_subscribed'], status);
  }
  paid.subscription = { id: 'sub_paid', status: 'canceled' };
  const { body } = await api.call('POST', CHECKOUT, undefined, cookie);
  assert.equal(body.data.url, [...stripe.checkouts.values()].at(-1)!.url);
});

test('while Stripe does not say what became of the earlier checkout, no other page is opened', async () => {
  const cookie = await signIn(await api.client('free'));
  const first = await api.call('POST', CHECKOUT, undefined, cookie);
  const before = stripe.checkouts.size;
  for (const body of ['not json', '{"id":"cs_1"}', '{"id":"cs_1","status":"open","url":null}']) {
    stripe.answer = (response) => response.end(body);
    const { status, body: answer } = await api.call('POST', CHECKOUT, undefined, cookie);
    assert.deepEqual([status, answer.code], [502, 'billing_failed'], body);
  }
  stripe.answer = null;
  assert.deepEqual((await api.call('POST', CHECKOUT, undefined, cookie)).body, first.body);
  assert.equal(stripe.checkouts.size, before);
});

test('a completed checkout gives the Developer plan at once, even to tokens in use', async () => {
  const client = await api.client('free');
  const webhook = { webhookUrl: 'https://hooks.example.com/in', feedId: 'timing.data' };
  assert.equal((await client.call('POST', '/v1/webhooks', webhook)).status, 402);
  assert.equal(await send(eventOf(client)), 200);
  const { plan, customerId } = await accountOf(client);
  assert.deepEqual([plan, customerId], ['developer', `cus_${client.accountId}`]);
  assert.equal((await client.call('POST', '/v1/webhooks', webhook)).status, 201);
});

test('a checkout that is completed and not paid yet gives the plan only if its subscription does', async () => {
  for (const [status, plan] of [
    ['incomplete', 'free'],
    ['active', 'developer'],
    ['trialing', 'developer'],
    ['incomplete_expired', 'free'],
  ] as const) {
    const client = await api.client('free');
    const [subscription, customer] = [`sub_${client.accountId}`, `cus_${client.accountId}`];
    stripe.subscriptions.set(subscription, { status, customer, created: 1_780_000_000 });
    assert.equal(await send(eventOf(client, { paymentStatus: 'unpaid' })), 200);
    assert.equal((await accountOf(client)).plan, plan, status);
    await send(eventOf(client, { status: 'active', created: 1_780_000_100 }));
    assert.equal((await accountOf(client)).plan, status === 'incomplete_expired' ? 'free' : 'developer', status);
  }
});

test('while Stripe does not say whether a checkout will be paid, its event gets 502 and is taken when it is repeated', async () => {
  const client = await api.client('free');
  stripe.subscriptions.set(`sub_${client.accountId}`, {
    status: 'active',
    customer: `cus_${client.accountId}`,
    created: 1_780_000_000,
  });
  const completed = eventOf(client, { paymentStatus: 'unpaid' });
  for (const body of ['not json', '{"id":"sub_1"}']) {
    stripe.answer = (response) => response.end(body);
    assert.equal(await send(completed), 502, body);
  }
  stripe.answer = null;
  assert.equal((await accountOf(client)).plan, 'free');
  assert.equal(await send(completed), 200);
  assert.equal((await accountOf(client)).plan, 'developer');
  const asked = stripe.requests.length;
  await send(eventOf(client, { paymentStatus: 'unpaid', metadata: {} }));
  assert.equal(stripe.requests.length, asked, 'about what we did not sell nothing is asked');
});

test('the portal requires an earlier payment, and a later checkout uses the same Stripe customer', async () => {
  const client = await api.client('free');
  const cookie = await signIn(client);
  assert.equal((await api.call('POST', PORTAL, undefined, cookie)).body.code, 'no_subscription');
  await send(eventOf(client));
  const { body } = await api.call('POST', PORTAL, undefined, cookie);
  assert.deepEqual(body, { data: { url: 'https://pay.example.com/v1/billing_portal/sessions' } });
  const fields = { customer: `cus_${client.accountId}`, return_url: 'https://site.example.com/billing' };
  assert.deepEqual(stripe.requests.at(-1)!.fields, fields);
  await send(eventOf(client, { status: 'canceled', type: 'customer.subscription.deleted' }));
  assert.equal((await api.call('POST', CHECKOUT, undefined, cookie)).status, 200);
  const { customer, customer_email } = stripe.requests.at(-1)!.fields;
  assert.deepEqual([customer, customer_email], [`cus_${client.accountId}`, undefined]);
});

test('for an account whose customer was deleted in Stripe, a checkout makes a new one, and the portal says no', async () => {
  const client = await api.client('free');
  const cookie = await signIn(client);
  const old = `cus_${client.accountId}`;
  await send(eventOf(client));
  await send(eventOf(client, { status: 'canceled', type: 'customer.subscription.deleted' }));
  const open = await api.call('POST', CHECKOUT, undefined, cookie);
  stripe.deleted.add(old);
  const { status, body } = await api.call('POST', CHECKOUT, undefined, cookie);
  assert.equal(status, 200);
  assert.notEqual(body.data.url, open.body.data.url, 'nobody can pay on the page of the old customer');
  const { customer, customer_email } = stripe.requests.at(-1)!.fields;
  assert.deepEqual(
    [customer, customer_email],
    [undefined, (await postgresBillingStore(api.sql).find(client.accountId))!.email],
  );
  assert.deepEqual((await api.call('POST', CHECKOUT, undefined, cookie)).body, body, 'that page is open now');
  assert.equal((await api.call('POST', PORTAL, undefined, cookie)).body.code, 'no_subscription');
  const at = { created: 1_780_000_500, begun: 1_780_000_500 };
  await send(
    eventOf(client, { subscription: `sub_new_${client.accountId}`, customer: `cus_new_${client.accountId}`, ...at }),
  );
  assert.equal((await accountOf(client)).customerId, `cus_new_${client.accountId}`);
  assert.equal((await api.call('POST', PORTAL, undefined, cookie)).status, 200);
});

test('a price that Stripe does not know is no reason to make another customer', async () => {
  const client = await api.client('free');
  const cookie = await signIn(client);
  await send(eventOf(client));
  await send(eventOf(client, { status: 'canceled', type: 'customer.subscription.deleted' }));
  const before = stripe.requests.length;
  const missing = { type: 'invalid_request_error', code: 'resource_missing', param: 'line_items[0][price]' };
  stripe.answer = (response) =>
    response.writeHead(400).end(JSON.stringify({ error: { ...missing, message: "No such price: 'price_developer'" } }));
  assert.equal((await api.call('POST', CHECKOUT, undefined, cookie)).body.code, 'billing_failed');
  stripe.answer = null;
  assert.equal(stripe.requests.length, before + 1);
});

test('a subscription gives its plan while it is paid for or Stripe is still trying to collect', async () => {
  const client = await api.client('free');
  const plans: [status: string, plan: Plan][] = [
    ['active', 'developer'],
    ['unpaid', 'free'],
    ['trialing', 'developer'],
    ['paused', 'free'],
    ['past_due', 'developer'],
    ['incomplete_expired', 'free'],
    // An expired subscription never becomes active again.
    ['active', 'free'],
  ];
  for (const [status, plan] of plans) {
    assert.equal(await send(eventOf(client, { status })), 200);
    assert.equal((await accountOf(client)).plan, plan, status);
  }
});

test('events do not change a Custom plan', async () => {
  const client = await api.client('custom');
  await send(eventOf(client));
  assert.equal((await accountOf(client)).plan, 'custom');
  await send(eventOf(client, { status: 'canceled', type: 'customer.subscription.deleted' }));
  assert.equal((await accountOf(client)).plan, 'custom');
});

test('an event that Stripe repeats changes nothing', async () => {
  const client = await api.client('free');
  const completed = eventOf(client);
  await send(completed);
  await send(eventOf(client, { status: 'canceled', type: 'customer.subscription.deleted' }));
  assert.equal(await send(completed), 200);
  assert.equal((await accountOf(client)).plan, 'free');
});

test('an old event does not undo a newer one, even if it arrives later', async () => {
  const client = await api.client('free');
  await send(eventOf(client, { status: 'canceled', type: 'customer.subscription.deleted', created: 1_780_000_500 }));
  await send(eventOf(client, { created: 1_780_000_000 }));
  assert.equal((await accountOf(client)).plan, 'free');
  await send(eventOf(client, { status: 'active', created: 1_780_000_400 }));
  assert.equal((await accountOf(client)).plan, 'free');
});

test('of two changes in the same second the later one counts, whichever event arrives last', async () => {
  for (const [earlier, later, plan] of [
    ['active', 'unpaid', 'free'],
    ['unpaid', 'active', 'developer'],
  ] as const) {
    for (const arrives of ['in order', 'reversed']) {
      const client = await api.client('free');
      await send(eventOf(client, { created: 1_780_000_000 }));
      const events = [earlier, later].map((status) => eventOf(client, { status, created: 1_780_000_100 }));
      if (arrives === 'reversed') events.reverse();
      for (const event of events) assert.equal(await send(event), 200);
      assert.equal((await accountOf(client)).plan, plan, `${earlier}, ${later}, ${arrives}`);
    }
  }
});

test('a state that Stripe gave earlier does not replace a later one, however late it comes; other accounts do not wait for it', async () => {
  const [client, other] = [await api.client('free'), await api.client('free')];
  const created = 1_780_000_100;
  const asked = Promise.withResolvers<ServerResponse>();
  stripe.answer = (response) => {
    stripe.answer = null;
    asked.resolve(response);
  };
  const first = send(eventOf(client, { status: 'active', created }));
  const late = await asked.promise;
  const second = send(eventOf(client, { status: 'unpaid', created }));
  // Time in which the second one would overtake the first.
  for (let count = 0; count < 5; count++) assert.equal(await send(eventOf(other, { status: 'active' })), 200);
  late.end(JSON.stringify({ object: 'subscription', status: 'active', created }));
  assert.deepEqual(await Promise.all([first, second]), [200, 200]);
  assert.deepEqual([(await accountOf(client)).plan, (await accountOf(other)).plan], ['free', 'developer']);
});

test('a cancelled subscription stays cancelled, even if events of the same second arrive in the wrong order', async () => {
  const client = await api.client('free');
  await send(eventOf(client));
  await send(eventOf(client, { status: 'canceled', type: 'customer.subscription.deleted' }));
  await send(eventOf(client, { status: 'active' }));
  await send(eventOf(client, { status: 'active', created: 1_780_000_900 }));
  assert.equal((await accountOf(client)).plan, 'free');
});

test('if one subscription ends while another starts, the account keeps the paid plan', async () => {
  for (let round = 0; round < 10; round++) {
    const client = await api.client('free');
    const [first, second] = [`sub_a_${client.accountId}`, `sub_b_${client.accountId}`];
    await send(eventOf(client, { subscription: first }));
    await Promise.all([
      send(eventOf(client, { subscription: first, status: 'canceled', type: 'customer.subscription.deleted' })),
      send(eventOf(client, { subscription: second, status: 'active' })),
    ]);
    assert.equal((await accountOf(client)).plan, 'developer', `round ${round}`);
  }
});

test('ending one subscription does not end another', async () => {
  const client = await api.client('free');
  await send(eventOf(client, { subscription: 'sub_first' }));
  await send(eventOf(client, { subscription: 'sub_second' }));
  await send(eventOf(client, { subscription: 'sub_first', status: 'canceled' }));
  assert.equal((await accountOf(client)).plan, 'developer');
  await send(eventOf(client, { subscription: 'sub_second', status: 'canceled' }));
  assert.equal((await accountOf(client)).plan, 'free');
});

test('the end of a subscription of another customer does not take the customer of the one that is paid for', async () => {
  const client = await api.client('free');
  await send(eventOf(client, { subscription: 'sub_one', customer: 'cus_one' }));
  await send(eventOf(client, { subscription: 'sub_two', customer: 'cus_two' }));
  const ended = { status: 'canceled', type: 'customer.subscription.deleted' };
  await send(eventOf(client, { ...ended, subscription: 'sub_one', customer: 'cus_one' }));
  const { plan, customerId } = await accountOf(client);
  assert.deepEqual([plan, customerId], ['developer', 'cus_two']);
  await send(eventOf(client, { ...ended, subscription: 'sub_two', customer: 'cus_two' }));
  await send(eventOf(client, { subscription: 'sub_three', customer: 'cus_three' }));
  assert.equal((await accountOf(client)).customerId, 'cus_three');
});

test('events of an older subscription do not make the account its customer again', async () => {
  const client = await api.client('free');
  const older = { subscription: 'sub_older', customer: 'cus_older' };
  const newer = { subscription: 'sub_newer', customer: 'cus_newer', created: 1_780_000_100, begun: 1_780_000_100 };
  await send(eventOf(client, older));
  await send(eventOf(client, newer));
  for (const status of ['active', 'past_due', 'unpaid', 'active', 'canceled']) {
    await send(eventOf(client, { ...older, status, created: 1_780_000_200 }));
    const { plan, customerId } = await accountOf(client);
    assert.deepEqual([plan, customerId], ['developer', 'cus_newer'], status);
  }
  await send(eventOf(client, { ...newer, status: 'unpaid', created: 1_780_000_300 }));
  await send(eventOf(client, { ...older, subscription: 'sub_oldest', status: 'canceled' }));
  const { plan, customerId } = await accountOf(client);
  assert.deepEqual([plan, customerId], ['free', 'cus_newer'], 'while none is paid for');
});

test('the checkout of an older subscription, told only after a newer one, does not make the account its customer', async () => {
  const client = await api.client('free');
  const at = { created: 1_780_000_100, begun: 1_780_000_100 };
  await send(eventOf(client, { subscription: 'sub_told', customer: 'cus_told', status: 'active', ...at }));
  await send(eventOf(client, { subscription: 'sub_late', customer: 'cus_late' }));
  const { plan, customerId } = await accountOf(client);
  assert.deepEqual([plan, customerId], ['developer', 'cus_told']);
});

test('a subscription of which no event has told when it began counts as older than one that has', async () => {
  const client = await api.client('free');
  await api.sql`
    update account set plan = 'developer', stripe_customer_id = 'cus_before' where account_id = ${client.accountId}`;
  await api.sql`
    insert into stripe_subscription (subscription_id, account_id, active, ended, told_at)
    values ('sub_before', ${client.accountId}, true, false, ${new Date(1_770_000_000_000)})`;
  await send(eventOf(client, { subscription: 'sub_unpaid', customer: 'cus_unpaid', status: 'unpaid' }));
  assert.equal((await accountOf(client)).customerId, 'cus_before');
  await send(eventOf(client, { subscription: 'sub_since', customer: 'cus_since' }));
  await send(eventOf(client, { subscription: 'sub_unpaid', customer: 'cus_unpaid', status: 'canceled' }));
  const { plan, customerId } = await accountOf(client);
  assert.deepEqual([plan, customerId], ['developer', 'cus_since']);
});

test('of two subscriptions that are paid for the newest stays, and the log says that the older was cancelled', async () => {
  for (const order of ['as they began', 'late']) {
    const client = await api.client('free');
    const [older, newer] = [`sub_older_${client.accountId}`, `sub_newer_${client.accountId}`];
    const events = [
      eventOf(client, { subscription: older, customer: `cus_older_${client.accountId}` }),
      eventOf(client, { subscription: newer, created: 1_780_000_060 }),
    ];
    for (const event of order === 'late' ? events.reverse() : events) assert.equal(await send(event), 200);
    assert.deepEqual(ofAccount(client, stripe.cancelled), [older], order);
    const said = paidInVain.filter(({ accountId }) => accountId === client.accountId);
    assert.deepEqual(
      said.map(({ subscriptionId }) => subscriptionId),
      [older],
    );
    assert.match(said[0]!.message, /cancelled.*refund/);
    const { plan, customerId } = await accountOf(client);
    assert.deepEqual([plan, customerId], ['developer', `cus_${client.accountId}`]);
    await send(eventOf(client, { subscription: newer, status: 'active', created: 1_780_000_090 }));
    assert.equal(ofAccount(client, stripe.cancelled).length, 1, 'it is not asked again');
  }
});

test('when Stripe does not cancel the older subscription, the event gets 502, and its repetition tries again', async () => {
  const client = await api.client('free');
  const [older, newer] = [`sub_older_${client.accountId}`, `sub_newer_${client.accountId}`];
  await send(eventOf(client, { subscription: older }));
  const bought = eventOf(client, { subscription: newer, created: 1_780_000_060 });
  const failures: (typeof stripe.answer)[] = [
    (response) => response.writeHead(500, { 'stripe-should-retry': 'false' }).end('{}'),
    (response) => response.end('{"id":"sub_1","status":"active"}'),
  ];
  for (const failure of failures) {
    stripe.answer = failure;
    assert.equal(await send(bought), 502);
    assert.equal((await accountOf(client)).plan, 'developer');
  }
  stripe.answer = null;
  assert.equal(await send(bought), 200);
  assert.deepEqual(ofAccount(client, stripe.cancelled), [older]);
});

test('an older subscription that is over already at Stripe needs no cancelling', async () => {
  const client = await api.client('free');
  const [older, newer] = [`sub_older_${client.accountId}`, `sub_newer_${client.accountId}`];
  stripe.cancelled.push(older);
  await send(eventOf(client, { subscription: newer, created: 1_780_000_060 }));
  assert.equal(await send(eventOf(client, { subscription: older })), 200);
  assert.match(paidInVain.find(({ subscriptionId }) => subscriptionId === older)!.message, /over already/);
  const asked = stripe.requests.length;
  assert.equal(await send(eventOf(client, { subscription: older, status: 'active' })), 200);
  assert.equal(stripe.requests.length, asked + 1, 'its state is asked for, and nothing is cancelled');
});

test('an older subscription that a newer one has replaced gives no plan, and cannot replace it', async () => {
  const client = await api.client('free');
  const [older, newer] = [`sub_older_${client.accountId}`, `sub_newer_${client.accountId}`];
  await send(eventOf(client, { subscription: older }));
  stripe.cancels = false;
  await send(eventOf(client, { subscription: newer, created: 1_780_000_060, begun: 1_780_000_060 }));
  await send(eventOf(client, { subscription: newer, status: 'unpaid', created: 1_780_000_090, begun: 1_780_000_060 }));
  assert.equal((await accountOf(client)).plan, 'free');
  await send(eventOf(client, { subscription: older, status: 'active', created: 1_780_000_100 }));
  assert.equal((await accountOf(client)).plan, 'free');
  await send(eventOf(client, { subscription: newer, status: 'active', created: 1_780_000_120, begun: 1_780_000_060 }));
  stripe.cancels = true;
  await send(eventOf(client, { subscription: older, status: 'active', created: 1_780_000_130, begun: 1_780_000_130 }));
  assert.deepEqual(ofAccount(client, stripe.cancelled), [older]);
  assert.equal((await accountOf(client)).plan, 'developer');
});

test('a plan that was given by hand does not end with a subscription that did not give it', async () => {
  const client = await api.client('free');
  const ended = { status: 'canceled', type: 'customer.subscription.deleted' };
  await send(eventOf(client));
  await send(eventOf(client, ended));
  await api.sql`update account set plan = 'developer' where account_id = ${client.accountId}`;
  await send(eventOf(client, { ...ended, created: 1_780_000_100 }));
  assert.equal((await accountOf(client)).plan, 'developer', 'the plan stays');
  await send(eventOf(client, { subscription: 'sub_unpaid', status: 'unpaid' }));
  assert.equal((await accountOf(client)).plan, 'developer', 'another one was never paid');
});

test('a subscription stays with the account that bought it', async () => {
  const [buyer, other] = [await api.client('free'), await api.client('free')];
  await send(eventOf(buyer, { subscription: 'sub_bought' }));
  await send(eventOf(other, { subscription: 'sub_bought' }));
  const { plan, customerId } = await accountOf(buyer);
  assert.deepEqual([plan, customerId], ['developer', `cus_${buyer.accountId}`]);
  assert.equal((await accountOf(other)).plan, 'free');
});

test('events that do not concern our subscriptions are accepted and ignored', async () => {
  const client = await api.client('free');
  assert.equal(await send(eventOf(client, { type: 'invoice.paid' })), 200);
  assert.equal(await send(eventOf(client, { metadata: {} })), 200);
  assert.equal(await send(eventOf(client, { metadata: {}, status: 'active' })), 200);
  assert.equal(await send(eventOf(client, { metadata: { slipstream_account_id: 'acc_nobody' } })), 200);
  assert.equal((await accountOf(client)).plan, 'free');
});

test('a subscription that is paid for without an account is accepted, and the log names it', async () => {
  const gone: Client = { ...(await api.client('free')), accountId: 'acc_gone' };
  const said = () => paidInVain.filter(({ accountId }) => accountId === gone.accountId);
  await send(eventOf(gone, { status: 'unpaid' }));
  await send(eventOf(gone, { status: 'canceled', type: 'customer.subscription.deleted' }));
  assert.deepEqual(said(), []);
  assert.equal(await send(eventOf(gone, { status: 'active' })), 200);
  assert.deepEqual(
    said().map(({ subscriptionId }) => subscriptionId),
    ['sub_acc_gone'],
  );
  assert.match(said()[0]!.message, /cancel it/);
});

test('an event with an invalid or old signature gets 400 and changes nothing', async () => {
  const client = await api.client('free');
  const payload = eventOf(client);
  const tampered = payload.replace(client.accountId, (await api.client('free')).accountId);
  const forged: [payload: string, signature: string][] = [
    [payload, stripeSignature(payload, { secret: 'whsec_other' })],
    [payload, stripeSignature(payload, { atMs: Date.now() - 6 * 60_000 })],
    [payload, ''],
    [payload, 't=1,v1=00'],
    [tampered, stripeSignature(payload)],
    ['no json', 't=x'],
  ];
  for (const [body, signature] of forged) {
    const answer = await api.call('POST', EVENTS, body, { 'stripe-signature': signature });
    assert.deepEqual([answer.status, answer.body.code], [400, 'invalid_signature']);
    assert.doesNotMatch(JSON.stringify(answer.body), /whsec/);
  }
  assert.equal((await accountOf(client)).plan, 'free');
});

test('if the same event arrives many times at once, it is applied once', async () => {
  const client = await api.client('free');
  const changed: string[] = [];
  const { event } = billingRoutes({
    store: postgresBillingStore(api.sql),
    payments,
    clock: systemClock,
    log: silentLog,
    siteUrl: () => '',
    accountChanged: (accountId) => changed.push(accountId),
  });
  const payload = eventOf(client);
  const request = { rawBody: Buffer.from(payload), headers: { 'stripe-signature': stripeSignature(payload) } };
  const replies = await Promise.all(Array.from({ length: 20 }, () => event.handle(request as never)));
  assert.ok(replies.every((answer) => answer.kind === 'json' && answer.status === 200));
  assert.deepEqual(changed, [client.accountId]);
  assert.equal((await accountOf(client)).plan, 'developer');
});

test('when Stripe refuses, fails or disconnects, the response is 502 and the log says why without the API key', async () => {
  const cookie = await signIn(await api.client('free'));
  const failures: (typeof stripe.answer)[] = [
    (response) => response.writeHead(401).end('{"error":{"type":"invalid_request_error","message":"No such price"}}'),
    (response) => response.writeHead(500, { 'stripe-should-retry': 'false' }).end('{}'),
    (response) => response.writeHead(200).end('not json'),
    (response) => response.end('{"id":"cs_1","url":null}'),
    (response) => response.destroy(),
  ];
  warnings.length = 0;
  for (const failure of failures) {
    stripe.answer = failure;
    const { status, body } = await api.call('POST', CHECKOUT, undefined, cookie);
    assert.deepEqual([status, body.code], [502, 'billing_failed']);
  }
  stripe.answer = null;
  assert.equal(warnings.length, failures.length);
  assert.match(JSON.stringify(warnings[0]), /No such price/);
  assert.doesNotMatch(JSON.stringify(warnings), /sk_test/);
  assert.equal((await api.call('POST', CHECKOUT, undefined, cookie)).status, 200);
});

test('the page that customers return to after checkout exists', async () => {
  const { status, headers, body } = await api.call('GET', '/billing?checkout=completed');
  assert.deepEqual([status, headers.get('content-type')], [200, 'text/html; charset=utf-8']);
  assert.match(body, /<h1>/);
});
