// What streams send is counted once, and never beyond the allowance that deliveries take from too: over refused commits,
// lost answers, the turn of the month, and a process that dies.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FREE_DELIVERIES_PER_MONTH } from '#api/plans/plan.ts';
import { StreamUsage } from '#api/streams/stream-usage.ts';
import { Allowances } from '#api/usage/allowances.ts';
import type { MonthAttempts, UsageTotals } from '#api/usage/usage-store.ts';
import { RECORD_LAST_COMMIT_MS } from '#engine/base/limits.ts';
import type { RecordBatch } from '#engine/delivery/delivery-log/record-store.ts';
import { Allowance } from '#engine/delivery/usage/allowance.ts';
import { monthOf } from '#engine/delivery/usage/month.ts';
import type { UsageLedger } from '#engine/delivery/usage/usage-ledger.ts';
import { silentLog } from '#test/support/database.ts';
import { MemoryRecordStore, type StoreFault } from '#test/support/memory-record-store.ts';
import { SimulatedTime } from '#test/support/simulated-time.ts';

const ACCOUNTS = ['acc_one', 'acc_two'];
const FEED = 0;
const DAY_MS = 86_400_000;
/** The months that the clock may show. */
const MONTHS = Array.from({ length: 96 }, (_, number) => monthOf(Date.UTC(2022, number + 6, 1)).firstDay);
/** What deliveries have used of each month. */
const DELIVERED = FREE_DELIVERIES_PER_MONTH - 40;

/** The database as allowances see it: what is recorded. */
class RecordedUsage {
  readonly #records: MemoryRecordStore;

  constructor(records: MemoryRecordStore) {
    this.#records = records;
  }

  async totals(): Promise<UsageTotals> {
    return { plan: 'free', spendCapCents: 0, attempts: 0, succeeded: 0, failed: 0, skipped: 0 };
  }

  async attemptsByMonth(accountId: string): Promise<MonthAttempts[]> {
    return MONTHS.map((month) => ({ month, attempts: DELIVERED + this.streamed(accountId, month) }));
  }

  streamed(accountId: string, month: string): number {
    let sum = 0;
    for (const row of this.#records.usage.values())
      if (row.accountId === accountId && row.month === month) sum += row.streamed ?? 0;
    return sum;
  }
}

interface Open {
  readonly accountId: string;
  readonly ledger: UsageLedger;
  readonly allowance: Allowance;
}

class Process {
  readonly records: MemoryRecordStore;
  readonly recorded: RecordedUsage;
  readonly allowances: Allowances;
  readonly #time: SimulatedTime;
  readonly #usage: StreamUsage;
  readonly #open: Open[] = [];
  #lives = true;
  readonly kept: RecordBatch[] = [];
  /** Updates that were sent, by account and month. */
  readonly sent = new Map<string, number>();

  constructor(records: MemoryRecordStore, time: SimulatedTime, number: number) {
    this.records = records;
    this.#time = time;
    this.recorded = new RecordedUsage(records);
    this.allowances = new Allowances(this.recorded, time);
    const writer = { name: `streams-${number}`, epoch: 1 };
    const clock = Object.assign(Object.create(time) as SimulatedTime, {
      schedule: (ms: number, work: () => void) => time.schedule(ms, () => this.#lives && work()),
      nowMs: () => time.nowMs(),
      wallMs: () => time.wallMs(),
    });
    const { allowances } = this;
    const keep = (batches: readonly RecordBatch[]): number => this.kept.push(...batches);
    this.#usage = new StreamUsage({ store: records, writer, keep, allowances, clock, log: silentLog });
  }

  async open(accountId: string): Promise<void> {
    const cell = await this.allowances.hold(accountId);
    this.#open.push({ accountId, ledger: this.#usage.open(accountId), allowance: new Allowance(cell) });
  }

  send(stream: number, updates: number): void {
    const open = this.#open[stream % Math.max(1, this.#open.length)];
    if (open === undefined) return;
    const wallMs = this.#time.wallMs();
    const key = `${open.accountId} ${monthOf(wallMs).firstDay}`;
    for (let i = 0; i < updates && open.allowance.take(wallMs); i++) {
      this.#usage.sent(open.ledger, FEED, false, 1, wallMs);
      this.sent.set(key, (this.sent.get(key) ?? 0) + 1);
    }
  }

  close(stream: number): void {
    const [open] = this.#open.splice(stream % Math.max(1, this.#open.length), 1);
    if (open !== undefined) this.#usage.close(open.ledger);
  }

  /** Nothing of it runs any more. */
  kill(): void {
    this.#lives = false;
  }

  async end(patienceMs = 1_000): Promise<number> {
    while (this.#open.length > 0) this.close(0);
    const ended = this.#usage.end();
    await this.#time.pass(patienceMs);
    return ended;
  }
}

const step = fc.oneof(
  fc.record({ kind: fc.constant('open' as const), account: fc.nat(1) }),
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('send' as const), stream: fc.nat(5), updates: fc.nat(30) }) },
  fc.record({ kind: fc.constant('close' as const), stream: fc.nat(5) }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(300) }) },
  fc.record({
    kind: fc.constant('fault' as const),
    fault: fc.constantFrom<StoreFault>('none', 'refuse', 'lose-answer'),
  }),
  fc.record({ kind: fc.constant('step' as const), days: fc.constantFrom(-31, 31) }),
  fc.constant({ kind: 'crash' as const }),
);

test('M2, M3, R4: whatever happens, what streams send is recorded once in its month, and no month has more than its limit', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const time = new SimulatedTime(Date.UTC(2026, 10, 15));
      const records = new MemoryRecordStore();
      let number = 0;
      let process = new Process(records, time, number);
      for (const one of steps) {
        if (one.kind === 'open') await process.open(ACCOUNTS[one.account]!);
        else if (one.kind === 'send') process.send(one.stream, one.updates);
        else if (one.kind === 'close') process.close(one.stream);
        else if (one.kind === 'pass') await time.pass(one.ms);
        else if (one.kind === 'fault') records.fault = one.fault;
        else if (one.kind === 'step') time.stepWall(one.days * DAY_MS);
        else {
          // The next process reads what the database has, and the dead one's commits are fenced off.
          const dead = process;
          dead.kill();
          records.supersedeWriters();
          process = new Process(records, time, ++number);
          for (const [key, sent] of dead.sent) {
            const [accountId, month] = key.split(' ') as [string, string];
            const recorded = dead.recorded.streamed(accountId, month);
            assert.ok(recorded <= sent, `${key}: ${recorded} recorded of ${sent}`);
            process.sent.set(key, recorded);
          }
        }
      }
      records.fault = 'none';
      await time.pass(120_000);
      assert.equal(await process.end(), 0);
      for (const [key, sent] of process.sent) {
        const [accountId, month] = key.split(' ') as [string, string];
        assert.equal(process.recorded.streamed(accountId, month), sent, key);
        assert.ok(sent <= FREE_DELIVERIES_PER_MONTH - DELIVERED, `${key}: ${sent}`);
      }
      for (const accountId of ACCOUNTS)
        assert.ok(!process.allowances.isHeld(accountId), 'M2: nothing is held any more');
    }),
    { numRuns: 150 },
  );
});

test('R6: what the database does not take at the end is kept for the next start', async () => {
  const time = new SimulatedTime();
  const records = new MemoryRecordStore();
  const process = new Process(records, time, 0);
  await process.open('acc_one');
  process.send(0, 3);
  records.fault = 'refuse';
  assert.equal(await process.end(RECORD_LAST_COMMIT_MS + 1_000), 0);
  assert.deepEqual(
    process.kept.flatMap(({ usage }) => usage.map(({ accountId, streamed }) => [accountId, streamed])),
    [['acc_one', 3]],
  );
});

test('M2: an account stays held until its counts are written', async () => {
  const time = new SimulatedTime();
  const records = new MemoryRecordStore();
  const process = new Process(records, time, 0);
  await process.open('acc_one');
  process.send(0, 3);
  records.fault = 'refuse';
  process.close(0);
  await time.pass(5_000);
  assert.ok(process.allowances.isHeld('acc_one'));
  records.fault = 'none';
  await time.pass(60_000);
  assert.ok(!process.allowances.isHeld('acc_one'));
});
