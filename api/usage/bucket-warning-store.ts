// Where it is kept which warnings were mailed.

import type { BucketLevel } from './bucket-warning.ts';

/** `month` is its first day, `2026-11-01`. */
export interface BucketWarningStore {
  /** Claims the right to mail this warning: the address, or null when somebody has, or when nobody has confirmed one. */
  claim(accountId: string, month: string, level: BucketLevel): Promise<string | null>;
  /** It could not be mailed: it may be claimed again. */
  giveBack(accountId: string, month: string, level: BucketLevel): Promise<void>;
}
