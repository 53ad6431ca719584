// The calendar month (UTC) that an attempt belongs to: the one in which it starts. Usage, allowances and warnings all go by
// it, so that none of them is told when a month ends: the next attempt simply belongs to another.

export interface Month {
  /** `2026-11-01`: the key in the database. */
  readonly firstDay: string;
  /** 0 to 11. */
  readonly ofYear: number;
  /** Unix epoch milliseconds. */
  readonly startsMs: number;
  /** The first moment that is no longer in it. */
  readonly endsMs: number;
}

export const MONTHS_OF_YEAR = 12;

export function monthOf(wallMs: number): Month {
  const at = new Date(wallMs);
  const [year, ofYear] = [at.getUTCFullYear(), at.getUTCMonth()];
  const startsMs = Date.UTC(year, ofYear, 1);
  const firstDay = new Date(startsMs).toISOString().slice(0, 10);
  return { firstDay, ofYear, startsMs, endsMs: Date.UTC(year, ofYear + 1, 1) };
}

export function isIn(month: Month, wallMs: number): boolean {
  return wallMs >= month.startsMs && wallMs < month.endsMs;
}
