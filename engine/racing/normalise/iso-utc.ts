// Time stamps as payloads show them: ISO 8601 in UTC, with milliseconds.

import { upstreamUtcMs } from '#engine/racing/upstream-time.ts';

export function isoUtc(utcMs: number | null): string | null {
  return utcMs === null ? null : new Date(utcMs).toISOString();
}

/** Converts a time stamp of the upstream; null if it is not valid. */
export function isoUtcOf(value: unknown): string | null {
  return isoUtc(upstreamUtcMs(value));
}
