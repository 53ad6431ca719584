// The bounds of the client. They are not in the engine's limits.ts: the client runs in other people's programs and imports
// nothing of the engine.

/** Longest answer to a call. The state of a session is the largest: a few MiB. */
export const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

/** Longest event of a stream, in UTF-16 units. Updates have 30 KB at most. */
export const EVENT_CHARS_MAX = 4 * 1024 * 1024;

/** Calls are given up after this time, unless the program says otherwise. */
export const CALL_TIMEOUT_MS = 30_000;

/** How often a call is sent again after 429 or 503, unless the program says otherwise. */
export const RETRIES_MAX = 2;

/** A `Retry-After` beyond this is the program's to wait for: it gets the error, with the time in it. */
export const RETRY_AFTER_S_MAX = 60;

/** The same for a stream that would come back: a quota of requests is full again after an hour. Timers reach 24 days. */
export const STREAM_RETRY_AFTER_S_MAX = 3_600;

/** Pauses between attempts double from the first to the last, each with chance. */
export const BACKOFF_MS_MIN = 250;
export const BACKOFF_MS_MAX = 15_000;

/** A token is renewed this long before it expires, or at half of its life if that is sooner. */
export const TOKEN_MARGIN_MS = 5 * 60_000;

/** A stream on which nothing comes for this long is broken: the service sends a comment every 15 s. */
export const STREAM_SILENCE_MS = 45_000;

/**
 * How often in a row a stream tries to come back before it reports the failure: for an hour, after which the service has no
 * live update to continue with.
 */
export const RETURNS_MAX = 320;

/** Deliveries older or newer than this are refused as repetitions by someone else. */
export const DELIVERY_AGE_S_MAX = 300;
