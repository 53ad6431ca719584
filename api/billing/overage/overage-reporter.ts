// Reports overage to the payment provider, each attempt once, and holds what the provider has counted against our usage.
// Attempts are collected into blocks, one event each. Looks at the database now and then; deliveries never wait for it.
//
// OV1 Blocks are made from the counts of usage in one statement. Those of a month never add up to more than its billed
//    attempts, nor to more than the spend cap pays for when they are made.
// OV2 That a block is about to be sent is committed before its request. It is sent again only with the same identifier,
//    value and time, and only while the provider surely knows the identifier, which then counts it once. After that the
//    provider's sum of the month decides whether it was counted, once everything has had time to arrive.
// OV3 An account's blocks go out one by one, in order. So there is one at most of which it is unknown whether it was
//    counted, and the sum can tell.
// OV4 Before a process sends the first block of a month, it compares that month. While the provider has counted more
//    than was reported, or does not say, nothing more of that month is sent: a restored backup bills nothing twice.
// OV5 Requests go out one at a time, with pauses. While the provider does not answer, the pauses grow.

import { Backoff } from '#engine/base/backoff.ts';
import type { TimerClock } from '#engine/base/clock.ts';
import {
  OVERAGE_BLOCKS_MADE_MAX,
  OVERAGE_CHECK_MS,
  OVERAGE_DIFFERENCE_CHECK_MS,
  OVERAGE_FAILURES_MAX,
  OVERAGE_LEDGERS_MAX,
  OVERAGE_PASS_MS,
  OVERAGE_REQUEST_PAUSE_MS,
  OVERAGE_RESEND_MS,
  OVERAGE_RETRY_MS,
  OVERAGE_RETRY_MS_MAX,
  OVERAGE_SETTLE_MS,
} from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import { monthOf } from '#engine/delivery/usage/month.ts';
import { compare } from './overage-comparison.ts';
import type { BegunBlock, OverageCheck, OverageDifference, OverageLedger, OverageStore } from './overage-store.ts';
import type { UsageMeter } from './usage-meter.ts';

export interface OverageReporterParts {
  readonly store: OverageStore;
  readonly meter: UsageMeter;
  /** Whether this node of a cluster reports, for all: OV3 and OV5 need one that does. Default: it does. */
  readonly isKeeper?: () => boolean;
  readonly clock: TimerClock;
  readonly log: Log;
}

const WHAT_DIFFERS: Readonly<Record<OverageDifference, string>> = {
  provider_more: 'the payment provider has counted more overage than was reported; no more of that month is reported',
  provider_less: 'the payment provider has counted less overage than was reported',
  usage_more: 'more overage was used than was reported',
  usage_less: 'more overage was reported than was used',
  not_comparable: 'the payment provider gives no sum of the overage; no more of that month is reported',
};

/** While a month differs like this, nothing more of it is sent (OV4). */
const HOLDS: ReadonlySet<OverageDifference | null> = new Set<OverageDifference>(['provider_more', 'not_comparable']);

export class OverageReporter {
  readonly #parts: OverageReporterParts;
  readonly #startedMs: number;
  readonly #backoff = new Backoff(OVERAGE_RETRY_MS, OVERAGE_RETRY_MS_MAX);
  readonly #closing = new AbortController();
  #cancelLook: () => void = () => {};
  #looking: Promise<void> = Promise.resolve();
  #failures = 0;

  constructor(parts: OverageReporterParts) {
    this.#parts = parts;
    this.#startedMs = parts.clock.wallMs();
  }

  start(): void {
    this.#next(0);
  }

  /** Stops, and resolves when the request under way is answered. */
  close(): Promise<void> {
    this.#closing.abort();
    this.#cancelLook();
    return this.#looking;
  }

  /** Reports and compares what is due. Resolves with whether the provider has answered throughout. */
  async look(): Promise<boolean> {
    const { store, clock, log } = this.#parts;
    const now = new Date(clock.wallMs());
    for (const lapsed of await store.lapse(now))
      log.error(lapsed, 'the payment provider takes no overage of this month any more; bill it by hand');
    while ((await store.make(now)) === OVERAGE_BLOCKS_MADE_MAX);
    let failedInRow = 0;
    let failed = false;
    let page: OverageLedger[] = [];
    do {
      page = await store.ledgers(page.at(-1) ?? null, now);
      for (const ledger of page) {
        if (this.#closing.signal.aborted) return !failed;
        const answered = await this.#settle(ledger);
        failedInRow = answered ? 0 : failedInRow + 1;
        failed ||= !answered;
        if (failedInRow === OVERAGE_FAILURES_MAX) return false;
      }
    } while (page.length === OVERAGE_LEDGERS_MAX);
    return !failed;
  }

  #next(pauseMs: number): void {
    this.#cancelLook = this.#parts.clock.schedule(pauseMs, () => {
      this.#looking = this.#lookSafely();
    });
  }

  async #lookSafely(): Promise<void> {
    if (this.#parts.isKeeper?.() === false) return this.#next(OVERAGE_PASS_MS);
    const answered = await this.look().catch((error: Error) => {
      if (!this.#closing.signal.aborted)
        this.#parts.log.warn({ err: error }, 'could not report overage yet; it is retried');
      return false;
    });
    if (this.#closing.signal.aborted) return;
    const pauseMs = answered ? OVERAGE_PASS_MS : this.#backoff.pauseMs(this.#failures);
    this.#failures = answered ? 0 : this.#failures + 1;
    this.#next(pauseMs);
  }

  /** False: the provider did not answer. */
  async #settle(ledger: OverageLedger): Promise<boolean> {
    let difference = ledger.check?.difference ?? null;
    if (this.#isToCompare(ledger)) {
      const check = await this.#compare(ledger);
      if (check === null) return false;
      difference = check.difference;
    }
    return HOLDS.has(difference) || ledger.made === ledger.reported || this.#send(ledger);
  }

  #isToCompare({ check, trying }: OverageLedger): boolean {
    if (check === null) return true;
    const nowMs = this.#parts.clock.wallMs();
    const checkedMs = check.checkedAt.getTime();
    if (checkedMs < this.#startedMs || checkedMs > nowMs) return true;
    const everyMs = check.difference === null ? OVERAGE_CHECK_MS : OVERAGE_DIFFERENCE_CHECK_MS;
    if (nowMs - checkedMs >= everyMs) return true;
    if (trying === null || nowMs - trying.begunAt.getTime() < OVERAGE_RESEND_MS) return false;
    const settledMs = trying.triedAt.getTime() + OVERAGE_SETTLE_MS;
    return checkedMs < settledMs && settledMs <= nowMs;
  }

  /** Null: the provider did not answer. */
  async #compare(ledger: OverageLedger): Promise<OverageCheck | null> {
    const { store, clock, log } = this.#parts;
    const { accountId, month, reported, trying } = ledger;
    const counted = await this.#counted(ledger);
    if (counted === 'unavailable') return null;
    const nowMs = clock.wallMs();
    const now = new Date(nowMs);
    const latestMs = Math.max(ledger.sentAt?.getTime() ?? 0, trying?.triedAt.getTime() ?? 0);
    const settled = latestMs + OVERAGE_SETTLE_MS <= nowMs;
    let difference: OverageDifference | null = 'not_comparable';
    let reportedNow = reported;
    if (counted !== null) {
      const comparison = compare({ reported, trying: trying?.value ?? 0, counted, settled });
      if (comparison.tried === 'counted') {
        await store.found(accountId, month, now);
        reportedNow += trying!.value;
      }
      if (comparison.tried === 'not_counted' && trying !== null) await store.missed(accountId, month);
      if (comparison.confirms) await store.confirm(accountId, month, now);
      difference = comparison.difference;
    }
    const { billed } = await store.totals(accountId, month);
    difference ??= this.#usageDiffers(ledger, billed, reportedNow);
    const check = { accountId, month, used: billed, reported: reportedNow, counted, difference };
    await store.record(check, now);
    if (difference !== null) log.error(check, WHAT_DIFFERS[difference]);
    return check;
  }

  /** Null: the provider refuses to say. */
  async #counted({ accountId, month, customerIds }: OverageLedger): Promise<number | null | 'unavailable'> {
    const { meter, clock, log } = this.#parts;
    let sum = 0;
    for (const customerId of customerIds) {
      await this.#pace();
      const total = await meter.total(customerId, monthOf(Date.parse(month)), new Date(clock.wallMs()));
      if (total.kind === 'counted') {
        sum += total.attempts;
        continue;
      }
      log.warn({ accountId, month, reason: total.reason }, 'cannot compare overage with the payment provider');
      return total.kind === 'refused' ? null : 'unavailable';
    }
    return sum;
  }

  #usageDiffers({ month, made, waiting }: OverageLedger, billed: number | null, reported: number) {
    if (billed === null) return null;
    if (billed < made) return 'usage_less';
    const isOver = monthOf(Date.parse(month)).endsMs + OVERAGE_SETTLE_MS <= this.#parts.clock.wallMs();
    return isOver && billed > reported + waiting ? 'usage_more' : null;
  }

  /** Sends what is due, in order (OV3). */
  async #send({ accountId, month }: OverageLedger): Promise<boolean> {
    const { store, meter, clock, log } = this.#parts;
    while (!this.#closing.signal.aborted) {
      await this.#pace();
      const begun = await store.begin(accountId, monthOf(Date.parse(month)), new Date(clock.wallMs()));
      if (begun === null) return true;
      const { customerId, value, occurredAt } = begun;
      const answer = await meter.report({ identifier: identifierOf(begun), customerId, value, occurredAt });
      if (answer.kind === 'accepted') {
        await store.accepted(begun, new Date(clock.wallMs()));
        continue;
      }
      const { block } = begun;
      if (answer.kind === 'refused') {
        await store.withdrawn(begun, answer.reason);
        log.error(
          { accountId, month, block, reason: answer.reason },
          'the payment provider refuses overage; it is retried',
        );
        return true;
      }
      if (!answer.perhaps) await store.withdrawn(begun, null);
      log.warn({ accountId, month, block, reason: answer.reason }, 'could not report overage yet; it is retried');
      return false;
    }
    return true;
  }

  #pace(): Promise<void> {
    return this.#parts.clock.sleep(OVERAGE_REQUEST_PAUSE_MS, this.#closing.signal);
  }
}

/** The same for a block whenever and wherever it is made, so that the provider also counts once what a restored backup makes again. */
function identifierOf({ accountId, month, block }: BegunBlock): string {
  return `slipstream-${accountId}-${month}-${block}`;
}
