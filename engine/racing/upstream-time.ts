// Time stamps as the upstream writes them.

/** Years have four digits, even after an offset from UTC moves the time to another day. */
const END_MS = Date.UTC(10_000, 0, 1);

/**
 * Returns the milliseconds of an upstream time stamp: UTC even without `Z`, with up to seven decimals. Null if invalid.
 */
export function upstreamUtcMs(text: unknown): number | null {
  if (typeof text !== 'string') return null;
  const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?Z?$/.exec(text);
  if (match === null) return null;
  const wholeMs = Date.parse(`${match[1]}Z`);
  if (Number.isNaN(wholeMs) || wholeMs <= 0) return null;
  return wholeMs + (match[2] === undefined ? 0 : Number(match[2]) * 1000);
}

/** Returns the milliseconds of a local time, `2018-04-29T16:10:00`, with its offset, `04:00:00` or `-06:00:00`. */
export function localUtcMs(local: unknown, gmtOffset: unknown): number | null {
  const localMs = upstreamUtcMs(local);
  if (localMs === null || typeof gmtOffset !== 'string') return null;
  const match = /^([+-]?)(\d\d):(\d\d)(?::(\d\d))?$/.exec(gmtOffset);
  if (match === null) return null;
  const seconds = (Number(match[2]) * 60 + Number(match[3])) * 60 + Number(match[4] ?? 0);
  const utcMs = localMs - (match[1] === '-' ? -seconds : seconds) * 1000;
  return utcMs < END_MS ? utcMs : null;
}

const ISO = /^(\d{4}-\d\d-\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?(?:Z|([+-])(\d\d):?(\d\d))$/;

/**
 * Returns the milliseconds of any other ISO 8601 time, with `Z` or an offset from UTC; null if the day does not exist.
 */
export function isoUtcMs(text: string): number | null {
  const match = ISO.exec(text);
  if (match === null) return null;
  const [, day, hours, minutes, seconds, fraction, sign, offsetHours, offsetMinutes] = match;
  const dayMs = Date.parse(`${day}T00:00:00Z`);
  // Date.parse turns a day that the month lacks into a day of the next month.
  if (Number.isNaN(dayMs) || new Date(dayMs).toISOString().slice(0, 10) !== day) return null;
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return null;
  if (Number(offsetHours ?? 0) > 23 || Number(offsetMinutes ?? 0) > 59) return null;
  const offset = (Number(offsetHours ?? 0) * 60 + Number(offsetMinutes ?? 0)) * 60_000;
  const wholeMs = dayMs + ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  const utcMs = wholeMs - (sign === '-' ? -offset : offset) + Number(`0.${fraction ?? 0}`) * 1000;
  return utcMs > 0 && utcMs < END_MS ? utcMs : null;
}
