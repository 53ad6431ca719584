// The calendar month (UTC) to which an attempt belongs: the one in which it starts. Usage, allowances and warnings all
// use it, so no code has to run when a month ends: the next attempt belongs to the next month.

/** A part of time, on the wall clock. */
export interface Span {
  /** Unix epoch milliseconds. */
  readonly startsMs: number;
  /** Unix epoch milliseconds; the first moment after it. */
  readonly endsMs: number;
}

export interface Month extends Span {
  /** The key in the database, such as `2026-11-01`. */
  readonly firstDay: string;
  /** How many months it is after January 1970. */
  readonly number: number;
}

export function monthOf(wallMs: number): Month {
  const at = new Date(wallMs);
  const [year, ofYear] = [at.getUTCFullYear(), at.getUTCMonth()];
  const startsMs = Date.UTC(year, ofYear, 1);
  const firstDay = new Date(startsMs).toISOString().slice(0, 10);
  return { firstDay, number: (year - 1970) * 12 + ofYear, startsMs, endsMs: Date.UTC(year, ofYear + 1, 1) };
}

export function isIn({ startsMs, endsMs }: Span, wallMs: number): boolean {
  return wallMs >= startsMs && wallMs < endsMs;
}
