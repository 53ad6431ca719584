// The calendar day (UTC) as which an attempt is counted: the one in which it starts. Days are parts of months (month.ts), so
// the counts of a month are the sums of its days.

import { monthOf, type Span } from './month.ts';

export interface Day extends Span {
  /** The first day of its month, such as `2026-11-01`. */
  readonly month: string;
  /** Of the month, from 1. */
  readonly day: number;
}

/** Stands for no particular day: counts of versions that counted months only, and of months whose days were merged. */
export const DAY_UNKNOWN = 0;

/** Such as `2026-11-23`. `month` is its first day. */
export function dateOf(month: string, day: number): string {
  return month.slice(0, -2) + String(day).padStart(2, '0');
}

const DAY_MS = 86_400_000;

export function dayOf(wallMs: number): Day {
  const startsMs = Math.floor(wallMs / DAY_MS) * DAY_MS;
  const day = new Date(startsMs).getUTCDate();
  return { month: monthOf(wallMs).firstDay, day, startsMs, endsMs: startsMs + DAY_MS };
}
