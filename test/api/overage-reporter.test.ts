// When overage is looked at: regularly, with growing pauses while the provider does not answer, and not after the end.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OverageReporter } from '#api/billing/overage/overage-reporter.ts';
import type { BegunBlock, OverageLedger, OverageStore } from '#api/billing/overage/overage-store.ts';
import type { MeterAnswer, UsageMeter } from '#api/billing/overage/usage-meter.ts';
import {
  OVERAGE_FAILURES_MAX,
  OVERAGE_LEDGERS_MAX,
  OVERAGE_PASS_MS,
  OVERAGE_REQUEST_PAUSE_MS,
  OVERAGE_RETRY_MS,
  OVERAGE_RETRY_MS_MAX,
} from '#engine/base/limits.ts';
import { silentLog } from '#test/support/database.ts';
import { SimulatedTime } from '#test/support/simulated-time.ts';

const MONTH = '2026-06-01';
const DOWN: MeterAnswer = { kind: 'unavailable', reason: 'down', perhaps: false };

/** As many accounts with one block each, compared a moment after the start. */
function trial(accounts: number) {
  const time = new SimulatedTime();
  const looks: number[] = [];
  const asked: number[] = [];
  const state = { answer: { kind: 'accepted' } as MeterAnswer };
  const ids = Array.from({ length: accounts }, (_, index) => `acc_${String(index).padStart(4, '0')}`);
  const sent = new Set<string>();
  const ledger = (accountId: string): OverageLedger => ({
    accountId,
    month: MONTH,
    customerIds: ['cus'],
    reported: 0,
    waiting: 1,
    made: 1,
    sentAt: null,
    trying: null,
    check: { difference: null, checkedAt: new Date(time.wallMs()) },
  });
  const store: OverageStore = {
    make: async () => 0,
    lapse: async () => {
      looks.push(time.nowMs());
      return [];
    },
    ledgers: async (after) =>
      ids
        .filter((id) => id > (after?.accountId ?? '') && !sent.has(id))
        .slice(0, OVERAGE_LEDGERS_MAX)
        .map(ledger),
    begin: async (accountId): Promise<BegunBlock | null> =>
      sent.has(accountId)
        ? null
        : { accountId, month: MONTH, block: 1, customerId: 'cus', value: 1, occurredAt: new Date(0), first: true },
    accepted: async ({ accountId }) => void sent.add(accountId),
    withdrawn: async () => {},
    found: async () => {},
    missed: async () => {},
    confirm: async () => {},
    record: async () => {},
    totals: async () => ({ billed: 1, reported: 0 }),
  };
  const meter: UsageMeter = {
    async report() {
      asked.push(time.nowMs());
      return state.answer;
    },
    total: async () => ({ kind: 'counted', attempts: 0 }),
  };
  return {
    time,
    looks,
    asked,
    state,
    sent,
    reporter: new OverageReporter({ store, meter, clock: time, log: silentLog }),
  };
}

const pauses = (times: readonly number[]) => times.slice(1).map((at, index) => at - times[index]!);

test('OV5: it looks at once and every few minutes, and all accounts get their turn, one request after the other', async () => {
  const { time, looks, asked, sent, reporter } = trial(OVERAGE_LEDGERS_MAX + 5);
  reporter.start();
  await time.pass(2 * OVERAGE_PASS_MS);
  assert.equal(looks[0], 0);
  assert.ok(pauses(looks).every((ms) => ms >= OVERAGE_PASS_MS));
  assert.equal(sent.size, OVERAGE_LEDGERS_MAX + 5);
  assert.ok(pauses(asked).every((ms) => ms >= OVERAGE_REQUEST_PAUSE_MS));
});

test('OV5: while the provider does not answer, a look ends after a few accounts, and the pauses grow to their bound', async () => {
  const { time, looks, asked, state, sent, reporter } = trial(20);
  state.answer = DOWN;
  reporter.start();
  await time.pass(2 * 3_600_000);
  assert.equal(asked.length, looks.length * OVERAGE_FAILURES_MAX);
  const minutes = pauses(looks).map((ms) => Math.floor(ms / OVERAGE_RETRY_MS));
  assert.deepEqual(minutes.slice(0, 6), [1, 2, 4, 8, 15, 15]);
  state.answer = { kind: 'accepted' };
  await time.pass(OVERAGE_RETRY_MS_MAX);
  assert.equal(sent.size, 20);
});

test('after the end nothing is asked any more, and a look under way ends with its request', async () => {
  const { time, looks, asked, reporter } = trial(20);
  reporter.start();
  await time.pass(5 * OVERAGE_REQUEST_PAUSE_MS);
  const ended = reporter.close();
  await ended;
  const before = [looks.length, asked.length];
  await time.pass(10 * OVERAGE_PASS_MS);
  assert.deepEqual([looks.length, asked.length], before);
  assert.ok(asked.length < 20);
});
