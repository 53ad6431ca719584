// How much of the month's deliveries is used, and where that leads.

export interface MonthUse {
  readonly used: number;
  /** Null: without a limit. */
  readonly limit: number | null;
  /** 0 to 1; null without a limit. */
  readonly share: number | null;
  /** By the end of the month at the pace so far; null in its first hour, which says nothing yet. */
  readonly forecast: number | null;
}

const HOUR_MS = 3_600_000;

/** `windowStart`: the beginning of the month in UTC, ISO 8601. */
export function monthUse(used: number, limit: number | null, windowStart: string, nowMs: number): MonthUse {
  const start = new Date(windowStart);
  const startMs = start.getTime();
  const endMs = Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1);
  const goneMs = nowMs - startMs;
  return {
    used,
    limit,
    share: limit === null ? null : Math.min(1, used / limit),
    forecast: goneMs < HOUR_MS ? null : Math.round((used * (endMs - startMs)) / Math.min(goneMs, endMs - startMs)),
  };
}
