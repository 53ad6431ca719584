// Where deliveries are counted.

export interface UsageTotals {
  readonly attempts: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface UsageStore {
  /** `month` is its first day, `2026-11-01`. */
  totals(accountId: string, month: string): Promise<UsageTotals>;
  /** Feeds with at least one attempt in the month, by id. */
  attemptsByFeed(accountId: string, month: string): Promise<{ readonly feedId: string; readonly attempts: number }[]>;
}
