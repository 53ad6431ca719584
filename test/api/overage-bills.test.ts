// Which attempts are billed and when they are reported, and that a difference to the payment provider is noticed.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { OVERAGE_BLOCK_MS, OVERAGE_PASS_MS, OVERAGE_SETTLE_MS } from '#engine/base/limits.ts';
import {
  type Account,
  DAY_MS,
  HOUR_MS,
  INCLUDED,
  MONTH,
  NEXT_MONTH_MS,
  overageTrial,
} from '#test/support/overage-trial.ts';

const { time, sql, stripe, store, lines, errors, newReporter, account, used, planned, blocks, difference } =
  await overageTrial({ after });

test('attempts beyond the included ones are reported once, an hour of them as one event in their month', async () => {
  const client = await account();
  const reporter = newReporter();
  await used(client, INCLUDED);
  await reporter.look();
  assert.deepEqual(await blocks(client), []);
  await used(client, INCLUDED + 10);
  await reporter.look();
  await used(client, INCLUDED + 25);
  await reporter.look();
  assert.deepEqual(await blocks(client), [{ value: 10, state: 'sent' }], 'the block of this hour is made');
  time.nowMs += OVERAGE_BLOCK_MS;
  await reporter.look();
  await reporter.look();
  assert.deepEqual(
    stripe.events.map(({ value, timestampS }) => [value, timestampS * 1_000]),
    [
      [10, time.nowMs - OVERAGE_BLOCK_MS],
      [15, time.nowMs],
    ],
  );
  time.nowMs += DAY_MS;
  await reporter.look();
  assert.deepEqual(new Set((await blocks(client)).map(({ state }) => state)), new Set(['confirmed']));
  assert.deepEqual(errors(), []);
});

test('OV4: a service that was restored from a backup notices that the provider has more, and bills nothing twice', async () => {
  const client = await account();
  await used(client, INCLUDED + 10);
  await newReporter().look();
  time.nowMs += HOUR_MS;
  await used(client, INCLUDED + 30);
  await newReporter().look();
  // The backup was made before the second block, and the deliveries since are made again.
  await sql`delete from overage_block where block = 2`;
  time.nowMs += 2 * DAY_MS;
  const reporter = newReporter();
  for (let hour = 0; hour < 3; hour++) {
    await reporter.look();
    time.nowMs += HOUR_MS;
  }
  assert.equal(stripe.billed(client.customerId), 30);
  assert.equal(await difference(client), 'provider_more');
  assert.match(errors()[0]!.message, /counted more .* no more of that month is reported/);
});

test('only attempts on Developer are billed, as many as the spend cap pays for, and none of the demo session', async () => {
  const cases: readonly (readonly [what: string, billed: number, play: () => Promise<Account>])[] = [
    [
      'demo attempts',
      5,
      async () => {
        const client = await account();
        await used(client, INCLUDED + 1_005, 1_000);
        return client;
      },
    ],
    [
      'beyond the cap',
      1_000,
      async () => {
        const client = await account('developer', 300);
        await used(client, INCLUDED + 5_000);
        return client;
      },
    ],
    [
      'to Custom',
      10,
      async () => {
        const client = await account();
        await used(client, INCLUDED + 10);
        await planned(client, 'custom');
        await used(client, INCLUDED + 900_000);
        return client;
      },
    ],
    [
      'from Custom',
      7,
      async () => {
        const client = await account('custom');
        await used(client, INCLUDED + 1_000);
        await planned(client, 'developer');
        await used(client, INCLUDED + 1_007);
        return client;
      },
    ],
    [
      'from Custom before the included ones are used',
      10,
      async () => {
        const client = await account('custom');
        await used(client, INCLUDED - 1_000);
        await planned(client, 'developer');
        await used(client, INCLUDED + 10);
        return client;
      },
    ],
    [
      'the subscription ends, and starts again',
      30,
      async () => {
        const client = await account();
        await used(client, INCLUDED + 10);
        await planned(client, 'free');
        await used(client, INCLUDED + 20);
        await planned(client, 'developer');
        await used(client, INCLUDED + 40);
        return client;
      },
    ],
    [
      'never on Developer',
      0,
      async () => {
        const client = await account('free');
        await used(client, INCLUDED + 10);
        return client;
      },
    ],
  ];
  for (const [what, billed, play] of cases) {
    const client = await play();
    await newReporter().look();
    assert.equal(stripe.billed(client.customerId), billed, what);
    assert.deepEqual(await store.totals(client.accountId, MONTH), { billed, reported: billed }, what);
  }
  assert.deepEqual(errors(), []);
});

test('when the subscription ends, what is owed is reported at once and not at the end of the hour', async () => {
  const client = await account();
  const reporter = newReporter();
  await used(client, INCLUDED + 10);
  await reporter.look();
  await used(client, INCLUDED + 15);
  await planned(client, 'free');
  time.nowMs += OVERAGE_PASS_MS;
  await reporter.look();
  assert.equal(stripe.billed(client.customerId), 15);
});

test('a cap that is lowered takes nothing back that was due before', async () => {
  const client = await account();
  await used(client, INCLUDED + 10_000);
  await newReporter().look();
  await sql`update account set spend_cap_cents = 300`;
  time.nowMs += 2 * DAY_MS;
  await newReporter().look();
  assert.deepEqual([stripe.billed(client.customerId), await difference(client)], [10_000, null]);
});

test('an account without a customer is not reported', async () => {
  const client = await account();
  await sql`update account set stripe_customer_id = null`;
  await used(client, INCLUDED + 10);
  await newReporter().look();
  assert.deepEqual([await blocks(client), stripe.paths], [[], []]);
});

test('blocks of a deleted account are sent all the same', async () => {
  const client = await account();
  await used(client, INCLUDED + 10);
  await store.make(new Date(time.nowMs));
  await sql`delete from account`;
  await newReporter().look();
  assert.equal(stripe.billed(client.customerId), 10);
  time.nowMs += DAY_MS;
  await newReporter().look();
  assert.deepEqual([await difference(client), errors()], [null, []]);
});

test('what is recorded after the end of its month is reported in its month, as long as the provider takes it', async () => {
  const client = await account();
  await used(client, INCLUDED + 10);
  time.nowMs = NEXT_MONTH_MS - 1_000;
  await newReporter().look();
  await used(client, INCLUDED + 12);
  time.nowMs = NEXT_MONTH_MS + 60_000;
  await newReporter().look();
  await used(client, INCLUDED + 15);
  time.nowMs = NEXT_MONTH_MS + 33 * DAY_MS;
  await newReporter().look();
  assert.deepEqual(
    stripe.events.map(({ value }) => value),
    [10, 2, 3],
  );
  assert.ok(stripe.events.every(({ timestampS }) => timestampS * 1_000 === NEXT_MONTH_MS - 1_000));
  assert.deepEqual([await difference(client), errors()], [null, []]);
});

test('what could not be reported while its month was open lapses, and the log says so', async () => {
  const client = await account();
  await used(client, INCLUDED + 10);
  await newReporter().look();
  await used(client, INCLUDED + 15);
  time.nowMs = NEXT_MONTH_MS + 60_000;
  stripe.fault = 'down';
  await newReporter().look();
  time.nowMs = NEXT_MONTH_MS + 35 * DAY_MS;
  stripe.fault = null;
  await newReporter().look();
  assert.equal(stripe.billed(client.customerId), 10);
  assert.deepEqual(
    (await blocks(client)).map(({ state }) => state),
    ['sent', 'lapsed'],
  );
  const [{ details, message }] = errors() as [ReturnType<typeof errors>[0]];
  assert.match(message, /bill it by hand/);
  assert.deepEqual([details.accountId, details.value], [client.accountId, 5]);
});

test('a month that ended with more or less usage than was reported is an alarm', async () => {
  const [more, less] = [await account(), await account()];
  for (const client of [more, less]) await used(client, INCLUDED + 10);
  await newReporter().look();
  await used(less, INCLUDED + 9);
  // As after a lost block.
  await sql`update overage_block set state = 'lapsed' where account_id = ${more.accountId}`;
  stripe.events.splice(
    stripe.events.findIndex(({ customerId }) => customerId === more.customerId),
    1,
  );
  time.nowMs = NEXT_MONTH_MS + OVERAGE_SETTLE_MS;
  await newReporter().look();
  assert.deepEqual([await difference(more), await difference(less)], ['usage_more', 'usage_less']);
  assert.equal(errors().length, 2);
});

test('a customer whom the provider does not know is an alarm, holds up no other, and is reported once it is known', async () => {
  const [unknown, other] = [await account(), await account()];
  for (const client of [unknown, other]) await used(client, INCLUDED + 10);
  stripe.customers.delete(unknown.customerId);
  const reporter = newReporter();
  assert.equal(await reporter.look(), true);
  assert.deepEqual([stripe.billed(unknown.customerId), stripe.billed(other.customerId)], [0, 10]);
  assert.equal(await difference(unknown), 'not_comparable');
  stripe.customers.add(unknown.customerId);
  time.nowMs += HOUR_MS;
  await reporter.look();
  assert.deepEqual([stripe.billed(unknown.customerId), await difference(unknown)], [10, null]);
});

test('a price that would invoice another amount than customers see is refused, and nothing is reported', async () => {
  const client = await account();
  await used(client, INCLUDED + 10);
  const wrong: readonly (readonly [Partial<Record<'price' | 'meter', object>>, RegExp])[] = [
    [{ price: { recurring: { usage_type: 'licensed', meter: null } } }, /has no meter/],
    [{ price: { unit_amount_decimal: '3' } }, /is not 3 US dollars for 1,000 attempts/],
    [{ price: { currency: 'jpy' } }, /is not 3 US dollars for 1,000 attempts/],
    [{ meter: { default_aggregation: { formula: 'last' } } }, /must sum up/],
    [{ meter: { event_time_window: 'day' } }, /must sum up/],
  ];
  const { price, meter } = stripe;
  for (const [changed, reason] of wrong) {
    lines.length = 0;
    Object.assign(stripe, { price: { ...price, ...changed.price }, meter: { ...meter, ...changed.meter } });
    assert.equal(await newReporter().look(), false);
    assert.match(String(lines[0]!.details.reason), reason);
  }
  Object.assign(stripe, {
    price: { ...price, unit_amount_decimal: '300', transform_quantity: { divide_by: 1_000 } },
    meter,
  });
  assert.equal(await newReporter().look(), true);
  Object.assign(stripe, { price });
  assert.equal(stripe.events.length, 1);
});
