// Every bound in one place, with the relations between them asserted at load. Units are in the names.

import { assert } from '#engine/assert.ts';

// Source and recording
/** One frame's JSON text; the largest real one (a full TimingData snapshot) is about 60 KiB. */
export const FRAME_BYTES_MAX = 4 * 1024 * 1024;
/** Frames of one session. A three-hour race with car telemetry has about 60,000. */
export const RECORDING_FRAMES_MAX = 2_000_000;
export const RECORDING_BYTES_MAX = 2 * 1024 * 1024 * 1024;

// Timeline
/** Bits in an update's driver mask. */
export const DRIVERS_MAX = 64;
export const TIMELINE_UPDATES_MAX = 4_000_000;
export const TIMELINE_BODY_BYTES_MAX = 2 * 1024 * 1024 * 1024;
/** Playback artifacts kept open in shared memory at once. */
export const ARTIFACTS_OPEN_MAX = 8;

// Actors and mailboxes
export const SHARDS_MAX = 64;
export const PARTITIONS = 256;
/** Timeline positions that wait in one actor's mailbox. Beyond them the timeline itself is the queue. */
export const MAILBOX_POSITIONS_MAX = 256;
/** Actors on one shard. */
export const ACTORS_MAX = 100_000;
/** Longest uninterrupted work on the ready queue before the event loop gets its turn. */
export const TURN_SLICE_MS = 4;
/** Restarts of one actor before it is given up. */
export const ACTOR_RESTARTS_MAX = 5;

// Delivery
export const ATTEMPTS_MAX = 4;
/** Delay before attempt 1, 2, 3, 4 since the previous one was settled. */
export const RETRY_DELAYS_MS: readonly number[] = [0, 1_000, 5_000, 30_000];
/** From DNS to the last byte of the answer. */
export const DEADLINE_MS = 10_000;
export const IN_FLIGHT_START = 4;
export const IN_FLIGHT_MAX = 64;
/** Updates of one actor that wait for a further attempt; when reached, no first attempts start. */
export const RETRYING_MAX = 2_048;
/** Bytes of an answer that the delivery log keeps. */
export const ANSWER_KEPT_BYTES_MAX = 1_024;
/** Bytes of an answer after which reading stops and the connection is closed. */
export const ANSWER_READ_BYTES_MAX = 64 * 1_024;
export const ANSWER_HEADER_BYTES_MAX = 16 * 1_024;
/** A connection unused for this long is closed. */
export const KEEP_ALIVE_MS = 30_000;
/** Timer wheel: one tick, and how many ticks it spans. */
export const TIMER_TICK_MS = 4;
export const TIMER_SLOTS = 16_384;

// Breaker (replays)
export const BREAKER_FAILURES = 20;
export const BREAKER_PROBE_MS = 3_000;

// Replay
export const REPLAY_SPEED_MAX = 10;
/** Runs in progress at once on this machine. */
export const RUNS_MAX = 1_000;
/** Unsent bytes of one server-sent event stream before it waits and catches up from the timeline. */
export const SSE_BUFFER_BYTES_MAX = 256 * 1_024;

// Record
/** Attempts in one group commit. */
export const RECORD_BATCH_ATTEMPTS = 5_000;
/** Longest time an attempt waits for its group commit to begin while the database is free. */
export const RECORD_BATCH_MS = 200;
/** Attempts held in memory while the database is slow; when reached, no new attempts start. */
export const RECORD_BUFFER_ATTEMPTS_MAX = 100_000;
/** Pause between tries of a failed group commit: doubled from the first up to the second. */
export const RECORD_RETRY_MS = 100;
export const RECORD_RETRY_MS_MAX = 5_000;

// HTTP front
export const REQUEST_BODY_BYTES_MAX = 64 * 1_024;
export const WEBHOOK_URL_CHARS_MAX = 2_048;
export const FILTER_VALUES_MAX = 64;
export const FEEDS_PER_REQUEST_MAX = 128;
export const TOKENS_CACHED_MAX = 10_000;
export const TOKEN_LIFETIME_S = 43_200;

assert(RETRY_DELAYS_MS.length === ATTEMPTS_MAX, 'one delay for each attempt');
assert(RETRY_DELAYS_MS[0] === 0, 'the first attempt is immediate');
assert(TIMER_TICK_MS * TIMER_SLOTS > Math.max(DEADLINE_MS, ...RETRY_DELAYS_MS), 'the wheel spans every delay');
assert(IN_FLIGHT_START <= IN_FLIGHT_MAX, 'the in-flight cap starts below its bound');
assert(MAILBOX_POSITIONS_MAX >= IN_FLIGHT_MAX, 'a full mailbox can fill every slot');
assert((MAILBOX_POSITIONS_MAX & (MAILBOX_POSITIONS_MAX - 1)) === 0, 'ring buffers are powers of two');
assert((TIMER_SLOTS & (TIMER_SLOTS - 1)) === 0, 'the timer wheel is a power of two');
assert(ANSWER_KEPT_BYTES_MAX <= ANSWER_READ_BYTES_MAX, 'what is kept was read');
assert(RECORD_BATCH_ATTEMPTS < RECORD_BUFFER_ATTEMPTS_MAX, 'the buffer outlasts a batch');
