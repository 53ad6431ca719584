// What the usage page works out of the month's counts.

import type { GetSlaAnswer, GetUsageAnswer, GetUsageByFeedAnswer, GetUsageLatencyAnswer } from '#api/client/calls.ts';

/** What counts against the month: deliveries and streamed updates, without those of the demo session. */
export function countedOf(usage: GetUsageAnswer): number {
  return usage.deliveryCount + usage.streamedCount - usage.demoDeliveryCount - usage.demoStreamedCount;
}

/** The end of the month that begins then, in UTC. */
export function monthEndMs(windowStart: string): number {
  const start = new Date(windowStart);
  return Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1);
}

/**
 * When the month's deliveries are used up at the pace since its beginning, ISO 8601. Null if they last, if they are used
 * up already, or if nothing was used.
 */
export function emptyAt(used: number, limit: number, windowStart: string, nowMs: number): string | null {
  if (used <= 0 || used >= limit) return null;
  const startMs = Date.parse(windowStart);
  const atMs = startMs + (limit / used) * (nowMs - startMs);
  return atMs < monthEndMs(windowStart) ? new Date(atMs).toISOString() : null;
}

const WARN_SHARE = 0.8;

export type Warning = 'near' | 'used' | 'stopped' | null;

/** As the mails to the owner: at 80 % and 100 % of what is included, and at the most that is allowed. */
export function warningOf(used: number, included: number | null, most: number | null): Warning {
  if (included === null) return null;
  if (most !== null && used >= most) return 'stopped';
  if (used >= included) return 'used';
  return used >= WARN_SHARE * included ? 'near' : null;
}

const CENTS_PER_1000 = 300;

/** What deliveries beyond the included ones cost by the end of the month, in US dollars: never more than the cap. */
export function overageForecast(forecast: number, included: number, spendCap: number): number {
  return Math.min(spendCap, (Math.max(0, forecast - included) * CENTS_PER_1000) / 100_000);
}

export interface FeedUse {
  readonly feedId: string;
  readonly deliveries: number;
  readonly streamed: number;
  /** Beside the feed with most of both. */
  readonly share: number;
  /** Null: no update of it was delivered. */
  readonly latency: GetUsageLatencyAnswer['byFeed'][number] | null;
}

/** Counts and percentiles of each feed in one list, the busiest first. */
export function feedUses(
  counts: GetUsageByFeedAnswer['byFeed'],
  latencies: GetUsageLatencyAnswer['byFeed'],
): readonly FeedUse[] {
  const latencyOf = new Map(latencies.map((latency) => [latency.feedId, latency]));
  const most = Math.max(1, ...counts.map(({ deliveryCount, streamedCount }) => deliveryCount + streamedCount));
  return counts
    .map(({ feedId, deliveryCount, streamedCount }) => ({
      feedId,
      deliveries: deliveryCount,
      streamed: streamedCount,
      share: (deliveryCount + streamedCount) / most,
      latency: latencyOf.get(feedId) ?? null,
    }))
    .sort((a, b) => b.share - a.share || a.feedId.localeCompare(b.feedId));
}

export interface DayUse {
  /** Of the month, from 1. */
  readonly day: number;
  /** Its beginning in UTC. */
  readonly atMs: number;
  readonly deliveries: number;
  readonly streamed: number;
}

const DAY_MS = 86_400_000;

/**
 * Each day of the month (UTC) through today, of one feed or of all (null), and what was sent on no known day: before the
 * service counted days.
 */
export function daysOf(
  byFeed: GetUsageByFeedAnswer['byFeed'],
  feedId: string | null,
  windowStart: string,
  nowMs: number,
): { readonly days: readonly DayUse[]; readonly undated: number } {
  const startMs = Date.parse(windowStart);
  const lastMs = Math.min(nowMs, monthEndMs(windowStart) - 1);
  const days: { day: number; atMs: number; deliveries: number; streamed: number }[] = [];
  const reach = (day: number): void => {
    for (let next = days.length + 1; next <= day; next++)
      days.push({ day: next, atMs: startMs + (next - 1) * DAY_MS, deliveries: 0, streamed: 0 });
  };
  reach(Math.max(1, Math.ceil((lastMs - startMs + 1) / DAY_MS)));
  let undated = 0;
  for (const feed of byFeed) {
    if (feedId !== null && feed.feedId !== feedId) continue;
    undated += feed.deliveryCount + feed.streamedCount;
    for (const { date, deliveryCount, streamedCount } of feed.byDay) {
      undated -= deliveryCount + streamedCount;
      // The clock of the browser may be behind: what was sent makes a day.
      const day = Number(date.slice(-2));
      reach(day);
      days[day - 1]!.deliveries += deliveryCount;
      days[day - 1]!.streamed += streamedCount;
    }
  }
  return { days, undated };
}

/** Null without an attempt. */
export function successShare({ successCount, failureCount }: GetUsageAnswer): number | null {
  const attempts = successCount + failureCount;
  return attempts === 0 ? null : successCount / attempts;
}

export type Excluded = keyof GetSlaAnswer['excluded'];

/** Why updates do not count, where any does not. */
export function excludedOf(excluded: GetSlaAnswer['excluded']): readonly (readonly [Excluded, number])[] {
  return (Object.entries(excluded) as [Excluded, number][]).filter(([, count]) => count > 0);
}

/** The month before, such as `2026-10`. */
export function monthBefore(windowStart: string, months: number): string {
  const start = new Date(windowStart);
  return new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() - months, 1)).toISOString().slice(0, 7);
}
