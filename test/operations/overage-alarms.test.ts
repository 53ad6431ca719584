// What operators learn about overage: metrics and findings of the doctor.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Registry } from 'prom-client';
import { overageMetrics } from '#api/admin/metrics/overage-metrics.ts';
import { type OverageFigures, overageFigures } from '#api/billing/overage/postgres-overage-figures.ts';
import { OVERAGE_SETTLE_MS } from '#engine/base/limits.ts';
import { DAY_MS, INCLUDED, overageTrial } from '#test/support/overage-trial.ts';
import { PrometheusText } from '#test/support/prometheus-text.ts';
import { checkOverage } from '#workers/admin/doctor/overage-check.ts';

const { account, newReporter, sql, stripe, time, used } = await overageTrial({ after });
const stripeSettings = { secretKey: 'sk_1', webhookSecret: 'whsec_1', priceId: 'price_1', overagePriceId: 'price_2' };
const doctor = () => checkOverage(sql, { stripe: stripeSettings }, time.nowMs);

async function scraped(): Promise<PrometheusText> {
  const figures: OverageFigures = await overageFigures(sql, new Date(time.nowMs));
  const registry = new Registry();
  const clock = { nowMs: () => time.nowMs, wallMs: () => time.nowMs };
  for (const metric of overageMetrics(() => figures, clock)) registry.registerMetric(metric);
  return new PrometheusText(await registry.metrics());
}

const sums = (text: PrometheusText) =>
  ['due_attempts', 'due_age_seconds', 'differences'].map((name) => text.sum(`slipstream_overage_${name}`));

test('while the provider does not answer, metrics and doctor say how much waits and since when', async () => {
  await used(await account(), INCLUDED + 10);
  assert.deepEqual(sums(await scraped()), [0, 0, 0]);
  stripe.fault = 'limited';
  await newReporter().look();
  time.nowMs += OVERAGE_SETTLE_MS + 1_000;
  assert.deepEqual(sums(await scraped()), [10, OVERAGE_SETTLE_MS / 1_000 + 1, 0]);
  const [found] = await doctor();
  assert.deepEqual([found!.level, /^10 attempts wait for Stripe/.test(found!.text)], ['warning', true]);
  stripe.fault = null;
  await newReporter().look();
  assert.deepEqual(sums(await scraped()), [0, 0, 0]);
  assert.deepEqual(
    (await doctor()).map(({ level }) => level),
    ['ok'],
  );
});

test('a difference is counted and found with the account and the figures, until it is over', async () => {
  const client = await account();
  await used(client, INCLUDED + 10);
  await newReporter().look();
  stripe.events[0] = { ...stripe.events[0]!, value: 11 };
  time.nowMs += 60_000;
  await newReporter().look();
  assert.deepEqual(sums(await scraped()), [0, 0, 1]);
  const [found] = await doctor();
  assert.equal(found!.level, 'problem');
  assert.match(
    found!.text,
    new RegExp(`^${client.accountId}, \\d{4}-\\d\\d: .*usage 10, reported 10, counted by Stripe 11$`),
  );
  time.nowMs += 3 * DAY_MS;
  assert.deepEqual(sums(await scraped()), [0, 0, 0]);
});

test('without the price of overage the doctor says that overage is not billed', async () => {
  const [found] = await checkOverage(sql, { stripe: null }, time.nowMs);
  assert.deepEqual([found!.level, /not billed/.test(found!.text)], ['ok', true]);
});

test('overage of an account without a customer at the provider is a warning', async () => {
  const client = await account();
  await used(client, INCLUDED + 10);
  await sql`update account set stripe_customer_id = null`;
  const [found] = await doctor();
  assert.deepEqual([found!.level, /^1 accounts have overage/.test(found!.text)], ['warning', true]);
});
