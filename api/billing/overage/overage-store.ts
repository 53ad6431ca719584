// The store of overage: what is to be reported to the payment provider, what has been, and how both compare.

import type { Month } from '#engine/delivery/usage/month.ts';

/** One event at the provider: the attempts of a month that no earlier block holds. */
export interface OverageBlock {
  readonly accountId: string;
  /** First day of the month, `2026-11-01`. */
  readonly month: string;
  /** Counts from 1 in the month. */
  readonly block: number;
  readonly customerId: string;
  readonly value: number;
}

/** A block whose request may go out: that it may is committed. */
export interface BegunBlock extends OverageBlock {
  readonly occurredAt: Date;
  /** No earlier request can have counted it. */
  readonly first: boolean;
}

/**
 * How a month differs. `provider_*`: the provider has counted more, or less, than was reported. `usage_*`: our usage is
 * more, or less, than was reported. `not_comparable`: the provider gives no sum.
 */
export type OverageDifference = 'provider_more' | 'provider_less' | 'usage_more' | 'usage_less' | 'not_comparable';

/** An account's month as it was reported. Sums are of attempts. */
export interface OverageLedger {
  readonly accountId: string;
  readonly month: string;
  readonly customerIds: readonly string[];
  /** What the provider has accepted. */
  readonly reported: number;
  /** What waits since less than OVERAGE_SETTLE_MS. */
  readonly waiting: number;
  /** All blocks. */
  readonly made: number;
  /** When the provider accepted the latest block; null: none waits for its sum. */
  readonly sentAt: Date | null;
  /** The block that a request may have counted already; null: none. */
  readonly trying: { readonly value: number; readonly begunAt: Date; readonly triedAt: Date } | null;
  readonly check: { readonly difference: OverageDifference | null; readonly checkedAt: Date } | null;
}

export interface OverageCheck {
  readonly accountId: string;
  readonly month: string;
  /** What our usage bills; null: the account is gone. */
  readonly used: number | null;
  readonly reported: number;
  /** What the provider has counted; null: it does not say. */
  readonly counted: number | null;
  readonly difference: OverageDifference | null;
}

export interface OverageTotals {
  /** Attempts of the month that are billed; null: there is no such account. */
  readonly billed: number | null;
  /** Those of them that the provider has accepted. */
  readonly reported: number;
}

export interface OverageStore {
  /** Makes the blocks that are due, of the months that are open. Returns how many. */
  make(now: Date): Promise<number>;
  /** Gives up what the provider does not take any more, because its month is closed. */
  lapse(now: Date): Promise<OverageBlock[]>;
  /** The next months that are open and have blocks, ordered by account and month. */
  ledgers(after: Pick<OverageLedger, 'accountId' | 'month'> | null, now: Date): Promise<OverageLedger[]>;
  /** Commits that a request for the account's first due block begins now. Null if there is none that may be sent. */
  begin(accountId: string, month: Month, now: Date): Promise<BegunBlock | null>;
  accepted(block: OverageBlock, now: Date): Promise<void>;
  /** The request of `begin` had no effect. `refusal`: the provider does not want the block as it is. */
  withdrawn(block: BegunBlock, refusal: string | null): Promise<void>;
  /** The provider's sum holds the block that was tried. */
  found(accountId: string, month: string, now: Date): Promise<void>;
  /** The provider's sum does not hold the block that was tried, and never will. */
  missed(accountId: string, month: string): Promise<void>;
  /** The provider's sum holds all blocks that it has accepted until `sentAt`. */
  confirm(accountId: string, month: string, sentAt: Date): Promise<void>;
  record(check: OverageCheck, now: Date): Promise<void>;
  totals(accountId: string, month: string): Promise<OverageTotals>;
}
