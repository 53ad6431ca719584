// Warnings about the monthly bucket: what is mailed and when, and that each is mailed once. The claims are in a real
// database.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { postgresBillingStore } from '#api/billing/postgres-billing-store.ts';
import type { Mail } from '#api/mail/mailer.ts';
import type { Plan } from '#api/plans/plan.ts';
import { postgresPlanStore } from '#api/plans/postgres-plan-store.ts';
import { Allowances } from '#api/usage/allowances.ts';
import { BUCKET_WATCH_MS, BucketWatch } from '#api/usage/bucket-watch.ts';
import { postgresBucketWarningStore } from '#api/usage/postgres-bucket-warning-store.ts';
import { postgresUsageStore } from '#api/usage/postgres-usage-store.ts';
import { systemClock } from '#engine/base/clock.ts';
import { BUCKET_WARNING_RETRY_MS } from '#engine/base/limits.ts';
import { Allowance } from '#engine/delivery/usage/allowance.ts';
import { RecordedMailer, until } from '#test/support/api-harness.ts';
import { silentLog, withDatabase } from '#test/support/database.ts';
import { SimulatedTime } from '#test/support/simulated-time.ts';

const { sql } = await withDatabase({ after });

class CountingMailer extends RecordedMailer {
  tries = 0;

  override send(mail: Mail): Promise<void> {
    this.tries++;
    return super.send(mail);
  }
}

function startWatch(time: SimulatedTime, mailer: RecordedMailer) {
  const allowances = new Allowances(postgresUsageStore(sql), time);
  const looks: (() => void)[] = [];
  const watch = new BucketWatch({
    allowances,
    store: postgresBucketWarningStore(sql),
    mailer,
    clock: {
      ...systemClock,
      nowMs: () => time.nowMs(),
      wallMs: () => time.wallMs(),
      schedule(delayMs, callback) {
        assert.equal(delayMs, BUCKET_WATCH_MS);
        looks.push(callback);
        return () => looks.pop();
      },
    },
    log: silentLog,
  });
  watch.start();
  return {
    allowances,
    watch,
    /** Runs one check to its end, when the next one is scheduled. */
    async look(): Promise<void> {
      looks.shift()!();
      await until(() => looks.length === 1);
    },
  };
}

async function setUp(plan: Plan, { verified = true, spendCapCents = 5_000 } = {}) {
  const accountId = `acc_${randomUUID()}`;
  const email = `${accountId}@example.com`;
  await sql`insert into account (account_id, email, plan, client_id, client_secret_sealed, verified_at, spend_cap_cents)
    values (${accountId}, ${email}, ${plan}, ${accountId}, ''::bytea, ${verified ? new Date() : null}, ${spendCapCents})`;
  const time = new SimulatedTime();
  const mailer = new CountingMailer();
  const started = startWatch(time, mailer);
  const allowance = new Allowance(await started.allowances.hold(accountId));
  const takeUpTo = (count: number): void => {
    while (allowance.used(time.wallMs()) < count) assert.ok(allowance.take(time.wallMs()));
  };
  const kinds = (): string[] => mailer.sent.map(({ kind }) => kind);
  return { accountId, email, time, mailer, kinds, takeUpTo, ...started };
}

test('Free accounts are warned once at 80 % and once at 100 % of the included deliveries', async () => {
  const { email, mailer, kinds, takeUpTo, look } = await setUp('free');
  takeUpTo(3_999);
  await look();
  assert.deepEqual(kinds(), []);
  takeUpTo(4_000);
  await look();
  await look();
  assert.deepEqual(kinds(), ['bucket-near']);
  takeUpTo(4_999);
  await look();
  assert.deepEqual(kinds(), ['bucket-near']);
  takeUpTo(5_000);
  await look();
  await look();
  assert.deepEqual(kinds(), ['bucket-near', 'bucket-reached']);
  const [near, reached] = mailer.sent;
  assert.equal(near!.to, email);
  assert.match(near!.subject, /80 %/);
  assert.match(near!.text, /used 4,000 deliveries in June 2026/);
  assert.match(near!.text, /Deliveries past 5,000 are skipped until the month ends/);
  assert.match(near!.text, /begins anew on 1 July 2026, 00:00 UTC/);
  assert.match(reached!.text, /used 5,000 deliveries/);
  assert.doesNotMatch(reached!.text, /cost|cap/);
});

test('Developer accounts get a third warning when the spend cap is used up, and the mails state the overage price', async () => {
  const { mailer, kinds, takeUpTo, look } = await setUp('developer', { spendCapCents: 300 });
  takeUpTo(50_000);
  await look();
  assert.deepEqual(kinds(), ['bucket-near', 'bucket-reached']);
  assert.match(mailer.sent[1]!.text, /Deliveries past 50,000 cost \$3\.00 per 1,000, up to your spend cap of \$3\.00/);
  assert.match(mailer.sent[1]!.text, /Past 51,000 they are skipped/);
  takeUpTo(51_000);
  await look();
  await look();
  assert.deepEqual(kinds(), ['bucket-near', 'bucket-reached', 'bucket-spend-cap']);
  assert.match(mailer.sent[2]!.text, /Your spend cap of \$3\.00 pays for 1,000 more/);
});

test('after a change of plan there are warnings about the bucket of the new plan, and a higher spend cap has its own', async () => {
  const { accountId, email, kinds, takeUpTo, look, allowances } = await setUp('free');
  const change = async (...[plan, spendCapCents]: [Plan, number | null]): Promise<void> => {
    await postgresPlanStore(sql).change(email, plan, spendCapCents);
    await allowances.reload(accountId);
    await look();
  };
  takeUpTo(5_000);
  await look();
  await change('free', null);
  assert.deepEqual(kinds(), ['bucket-near', 'bucket-reached']);
  await change('developer', 300);
  assert.deepEqual(kinds(), ['bucket-near', 'bucket-reached'], 'nothing of the new plan is near');
  takeUpTo(40_000);
  await look();
  await look();
  assert.deepEqual(kinds().slice(2), ['bucket-near']);
  takeUpTo(51_000);
  await look();
  assert.deepEqual(kinds().slice(3), ['bucket-reached', 'bucket-spend-cap']);
  await change('developer', 600);
  takeUpTo(52_000);
  await look();
  await look();
  assert.deepEqual(kinds().slice(5), ['bucket-spend-cap']);
});

test('after a payment there are warnings about the bucket of the plan that was paid for', async () => {
  const { accountId, time, kinds, takeUpTo, look, allowances } = await setUp('free');
  const billing = postgresBillingStore(sql);
  const told = async (eventId: string): Promise<void> => {
    const ids = {
      eventId: `${eventId}_${accountId}`,
      customerId: `cus_${accountId}`,
      subscriptionId: `sub_${accountId}`,
    };
    const now = new Date(time.wallMs());
    assert.ok(
      await billing.take({ ...ids, accountId, occurredAt: now, begunAt: now, active: true, ended: false }, now),
    );
    await allowances.reload(accountId);
  };
  takeUpTo(5_000);
  await look();
  await told('first');
  takeUpTo(50_000);
  await look();
  assert.deepEqual(kinds(), ['bucket-near', 'bucket-reached', 'bucket-near', 'bucket-reached']);
  const claimed = () => sql`select from bucket_warning where account_id = ${accountId}`;
  await told('renewed');
  assert.equal((await claimed()).length, 2, 'news of the same plan change nothing');
});

test('with a spend cap of zero there is no separate warning about the cap', async () => {
  const { mailer, kinds, takeUpTo, look } = await setUp('developer', { spendCapCents: 0 });
  takeUpTo(50_000);
  await look();
  assert.deepEqual(kinds(), ['bucket-near', 'bucket-reached']);
  assert.match(mailer.sent[1]!.text, /Deliveries past 50,000 are skipped/);
});

test('Custom accounts are never warned', async () => {
  const { kinds, takeUpTo, look } = await setUp('custom');
  takeUpTo(200_000);
  await look();
  assert.deepEqual(kinds(), []);
});

test('BW1: a warning that could not be mailed is retried, even after the account is released', async () => {
  const { accountId, time, mailer, kinds, takeUpTo, look, allowances } = await setUp('free');
  mailer.failing = true;
  takeUpTo(4_000);
  await look();
  await look();
  assert.equal(mailer.tries, 1, 'the retry is not immediate');
  await time.pass(BUCKET_WARNING_RETRY_MS);
  await look();
  assert.equal(mailer.tries, 2);
  const rows = () => sql`select from bucket_warning where account_id = ${accountId}`;
  assert.equal((await rows()).length, 0, 'the claim is released');
  allowances.release(accountId);
  mailer.failing = false;
  await time.pass(BUCKET_WARNING_RETRY_MS);
  await look();
  await look();
  assert.deepEqual(kinds(), ['bucket-near']);
  assert.equal((await rows()).length, 1);
});

test('usage between the last check and the release of an account is checked', async () => {
  const { accountId, kinds, takeUpTo, look, allowances } = await setUp('free');
  await look();
  takeUpTo(5_000);
  allowances.release(accountId);
  await look();
  assert.deepEqual(kinds(), ['bucket-near', 'bucket-reached']);
});

test('BW1: two services on one database, and one after a restart, mail each warning once', async () => {
  const { accountId, time, mailer, kinds, takeUpTo, look } = await setUp('free');
  const other = startWatch(time, mailer);
  const allowance = new Allowance(await other.allowances.hold(accountId));
  while (allowance.used(time.wallMs()) < 5_000) allowance.take(time.wallMs());
  takeUpTo(5_000);
  await Promise.all([look(), other.look()]);
  await Promise.all([look(), other.look()]);
  assert.deepEqual(kinds().sort(), ['bucket-near', 'bucket-reached']);
});

test('each month has its own warnings', async () => {
  const { time, mailer, kinds, takeUpTo, look } = await setUp('free');
  takeUpTo(4_000);
  await look();
  await time.pass(Date.UTC(2026, 6, 1) - time.wallMs());
  await look();
  assert.deepEqual(kinds(), ['bucket-near']);
  takeUpTo(4_000);
  await look();
  assert.deepEqual(kinds(), ['bucket-near', 'bucket-near']);
  assert.match(mailer.sent[1]!.text, /in July 2026/);
});

test('a warning that could not be mailed in its month is not mailed in the next', async () => {
  const { time, mailer, kinds, takeUpTo, look } = await setUp('free');
  mailer.failing = true;
  takeUpTo(4_000);
  await look();
  await time.pass(Date.UTC(2026, 6, 1) - time.wallMs());
  mailer.failing = false;
  await look();
  assert.deepEqual(kinds(), []);
});

test('an unverified address gets no mail', async () => {
  const { accountId, kinds, takeUpTo, look } = await setUp('free', { verified: false });
  takeUpTo(5_000);
  await look();
  assert.deepEqual(kinds(), []);
  assert.equal((await sql`select from bucket_warning where account_id = ${accountId}`).length, 0);
});

test('a closed watch stops checking', async () => {
  const { kinds, takeUpTo, watch } = await setUp('free');
  await watch.close();
  takeUpTo(5_000);
  await watch.close();
  assert.deepEqual(kinds(), []);
});
