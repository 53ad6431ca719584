import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FREE_DELIVERIES_PER_MONTH } from '#api/plans/plan.ts';
import { Allowances } from '#api/usage/allowances.ts';
import type { MonthAttempts, UsageTotals } from '#api/usage/usage-store.ts';
import { Allowance } from '#engine/delivery/usage/allowance.ts';
import { SimulatedTime } from '#test/support/simulated-time.ts';

/** A store whose reads finish when the test says so. */
class SlowStore {
  readonly asked: string[] = [];
  account: Partial<UsageTotals> | null = {};
  readonly #answers: (() => void)[] = [];
  #slow = false;

  totals(accountId: string, month: string): Promise<UsageTotals | null> {
    this.asked.push(`${accountId} ${month}`);
    const now = this.account;
    const nothing = { attempts: 0, succeeded: 0, failed: 0, skipped: 0, spendCapCents: 5_000 };
    const row = now === null ? null : { ...nothing, plan: 'free' as const, ...now };
    if (!this.#slow) return Promise.resolve(row);
    return new Promise((resolve, reject) => {
      this.#answers.push(() => (row?.attempts === -1 ? reject(new Error('the database is away')) : resolve(row)));
    });
  }

  /** Usage of other months than the one that `totals` was last asked about. */
  others: { month: string; attempts: number }[] = [];

  demoAttempts = 0;

  async attemptsByMonth(): Promise<MonthAttempts[]> {
    const month = this.asked.at(-1)!.split(' ')[1]!;
    return [...this.others, { month, attempts: this.account?.attempts ?? 0, demoAttempts: this.demoAttempts }];
  }

  hold(): void {
    this.#slow = true;
  }

  /** Finishes the latest read. */
  answer(): void {
    this.#answers.pop()!();
  }
}

function setUp() {
  const time = new SimulatedTime();
  const store = new SlowStore();
  return { time, store, allowances: new Allowances(store, time) };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test('M1: holders share one cell and one read of the database, even while the read is under way', async () => {
  const { store, allowances, time } = setUp();
  store.account = { attempts: 7 };
  store.hold();
  const both = Promise.all([allowances.hold('acc_1'), allowances.hold('acc_1')]);
  store.answer();
  const [first, second] = await both;
  assert.equal(first, second);
  assert.equal(await allowances.hold('acc_1'), first);
  assert.deepEqual(store.asked, ['acc_1 2026-06-01']);
  assert.equal(new Allowance(first).used(time.wallMs()), 7);
});

test('M2: the cell lasts until its last holder releases it; the next holder reads the database again', async () => {
  const { store, allowances, time } = setUp();
  const cell = await allowances.hold('acc_1');
  await allowances.hold('acc_1');
  for (let i = 0; i < 5; i++) new Allowance(cell).take(time.wallMs());
  allowances.release('acc_1');
  assert.equal(await allowances.hold('acc_1'), cell);
  allowances.release('acc_1');
  allowances.release('acc_1');
  // Two of the five attempts were never recorded: their shard died.
  store.account = { attempts: 3 };
  const next = await allowances.hold('acc_1');
  assert.notEqual(next, cell);
  assert.equal(new Allowance(next).used(time.wallMs()), 3);
  assert.throws(() => allowances.release('acc_2'), /M1/);
});

test('if the read fails, every waiting caller is refused and holds nothing, and the next caller reads again', async () => {
  const { store, allowances, time } = setUp();
  store.hold();
  store.account = { attempts: -1 };
  const refused = [allowances.hold('acc_1'), allowances.hold('acc_1')];
  store.answer();
  for (const hold of refused) await assert.rejects(hold, /away/);
  store.account = { attempts: 4 };
  const next = allowances.hold('acc_1');
  store.answer();
  assert.equal(new Allowance(await next).used(time.wallMs()), 4);
  allowances.release('acc_1');
  assert.deepEqual(allowances.buckets(), []);
});

test('M5: the demo session has a cell of its own, which begins with its own attempts', async () => {
  const { store, allowances, time } = setUp();
  store.account = { attempts: 5_700 };
  store.demoAttempts = 700;
  const month = new Allowance(await allowances.hold('acc_1'));
  const demo = new Allowance(await allowances.hold('acc_1', 'demo'));
  assert.deepEqual([month.used(time.wallMs()), demo.used(time.wallMs())], [5_000, 700]);
  assert.deepEqual([month.take(time.wallMs()), demo.take(time.wallMs())], [false, true]);
  assert.deepEqual([allowances.left('acc_1', 'month'), allowances.left('acc_1', 'demo')], [0, 149_299]);
  store.account = { attempts: 5_700, plan: 'custom' };
  await allowances.reload('acc_1');
  assert.equal(allowances.left('acc_1', 'demo'), Number.POSITIVE_INFINITY);
});

test('M4: the plan that was read last applies, whatever the order of changes and reads', async () => {
  const { store, allowances, time } = setUp();
  store.hold();
  store.account = { plan: 'custom' };
  const held = allowances.hold('acc_1');
  // The plan changes twice while the first read is under way.
  store.account = { plan: 'developer' };
  const reloads = [allowances.reload('acc_1')];
  await settle();
  store.account = { plan: 'free', attempts: 1 };
  reloads.push(allowances.reload('acc_1'));
  for (let i = 0; i < 3; i++) {
    store.answer();
    await settle();
  }
  await Promise.all(reloads);
  const allowance = new Allowance(await held);
  assert.equal(allowance.used(time.wallMs()), 0, 'a reload does not change the count of the cell');
  for (let i = 0; i < FREE_DELIVERIES_PER_MONTH; i++) assert.equal(allowance.take(time.wallMs()), true);
  assert.equal(allowance.take(time.wallMs()), false);
  await allowances.reload('acc_unheld');
  assert.equal(store.asked.length, 3);
});

test('a failed reload does not block the next one', async () => {
  const { store, allowances, time } = setUp();
  const allowance = new Allowance(await allowances.hold('acc_1'));
  store.hold();
  store.account = { attempts: -1 };
  const failing = allowances.reload('acc_1');
  await settle();
  store.answer();
  await assert.rejects(failing, /away/);
  store.account = { spendCapCents: 0, plan: 'developer' };
  const again = allowances.reload('acc_1');
  await settle();
  store.answer();
  await again;
  assert.equal(allowance.exhausted(time.wallMs()), false);
  assert.equal(allowances.buckets()[0]!.terms.plan, 'developer');
  assert.equal(await allowances.hold('acc_1').then(() => 'held'), 'held');
});

test('a deleted account may start no more attempts', async () => {
  const { store, allowances, time } = setUp();
  const allowance = new Allowance(await allowances.hold('acc_1'));
  assert.equal(allowance.take(time.wallMs()), true);
  store.account = null;
  await allowances.reload('acc_1');
  assert.equal(allowance.take(time.wallMs()), false);
});

test('if the month changes during the read, the new month starts at zero', async () => {
  const { store, allowances, time } = setUp();
  await time.pass(Date.UTC(2026, 6, 1) - time.wallMs() - 5);
  store.hold();
  store.account = { attempts: 4_999 };
  const held = allowances.hold('acc_1');
  await time.pass(10);
  store.answer();
  const allowance = new Allowance(await held);
  assert.deepEqual(store.asked, ['acc_1 2026-06-01']);
  assert.equal(allowance.used(time.wallMs()), 0);
  assert.equal(allowance.used(time.wallMs() - 10), 4_999);
});

test('W3: every month starts at zero, however long an account is held', async () => {
  const { allowances, time } = setUp();
  const allowance = new Allowance(await allowances.hold('acc_1'));
  for (let week = 0; week < 120; week++) {
    allowance.take(time.wallMs());
    assert.ok(allowance.used(time.wallMs()) <= 5, `week ${week}`);
    await time.pass(7 * 24 * 3_600_000);
  }
});

test('W3: an account that is first held while the clock shows a later month keeps the count of the true one', async () => {
  const { allowances, time, store } = setUp();
  const trueMs = time.wallMs();
  store.others = [{ month: '2026-06-01', attempts: FREE_DELIVERIES_PER_MONTH - 1 }];
  time.stepWall(31 * 24 * 3_600_000);
  const allowance = new Allowance(await allowances.hold('acc_1'));
  assert.deepEqual(store.asked, ['acc_1 2026-07-01']);
  assert.equal(allowance.take(time.wallMs()), true);
  time.stepWall(trueMs - time.wallMs());
  assert.deepEqual([allowance.take(time.wallMs()), allowance.take(time.wallMs())], [true, false]);
  assert.equal(store.asked.length, 1, 'nothing is read again');
});
