// The store of warnings that were sent.

import type { BucketLevel } from './bucket-warning.ts';

/** `month` is its first day, `2026-11-01`. */
export interface BucketWarningStore {
  /**
   * Claims the right to send this warning. Resolves with the address; null if it is claimed already or the address is
   * unconfirmed.
   */
  claim(accountId: string, month: string, level: BucketLevel): Promise<string | null>;
  /** Returns a claim, so the warning can be claimed again. */
  giveBack(accountId: string, month: string, level: BucketLevel): Promise<void>;
}
