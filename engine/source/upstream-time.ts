// Time stamps as the upstream writes them.

/** Milliseconds of a time stamp of the upstream, which means UTC also without a `Z` and may have seven decimals. */
export function upstreamUtcMs(text: unknown): number | null {
  if (typeof text !== 'string') return null;
  const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?Z?$/.exec(text);
  if (match === null) return null;
  const wholeMs = Date.parse(`${match[1]}Z`);
  if (Number.isNaN(wholeMs) || wholeMs <= 0) return null;
  return wholeMs + (match[2] === undefined ? 0 : Number(match[2]) * 1000);
}

/** Milliseconds of a local time with its offset from UTC: `2018-04-29T16:10:00` and `04:00:00` or `-06:00:00`. */
export function localUtcMs(local: unknown, gmtOffset: unknown): number | null {
  const localMs = upstreamUtcMs(local);
  if (localMs === null || typeof gmtOffset !== 'string') return null;
  const match = /^([+-]?)(\d\d):(\d\d)(?::(\d\d))?$/.exec(gmtOffset);
  if (match === null) return null;
  const seconds = (Number(match[2]) * 60 + Number(match[3])) * 60 + Number(match[4] ?? 0);
  return localMs - (match[1] === '-' ? -seconds : seconds) * 1000;
}
