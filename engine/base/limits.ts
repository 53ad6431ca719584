// The most of everything that is kept, waited for, tried or read, and how these bounds depend on each other, asserted at load.
//
// In the order of the stages (stages.ts), then what stands beside them. A name ends with its unit, or with _MAX or _MIN. A number
// that is a rule's own, such as how long an overtake must hold, stands with its rule.

import { assert } from './assert.ts';

// Source and frame
/** One frame's JSON text; the largest real one (a full TimingData snapshot) is about 60 KiB. */
export const FRAME_BYTES_MAX = 4 * 1024 * 1024;
/** Its topic; the length of one is kept in a byte. */
export const TOPIC_BYTES_MAX = 255;
/** Nesting of a message. Real ones nest eight deep. */
export const MERGE_DEPTH_MAX = 32;
/** Somebody else's text that is shown in a message of ours. */
export const QUOTED_CHARS_MAX = 40;
/** How much of an archive file is read at once. */
export const SOURCE_CHUNK_BYTES = 256 * 1024;
/** A table or an index that is read whole; the largest real one has 5 MiB. */
export const SOURCE_FILE_BYTES_MAX = 64 * 1024 * 1024;
/** Messages of a topic that are looked at to tell when an archive's clock began. */
export const CLOCK_MESSAGES_MAX = 100;
/** One line of a text dump. It can hold the whole state of a session; the largest real one has 70 KiB. */
export const DUMP_LINE_BYTES_MAX = 16 * 1024 * 1024;
/** Lines at the head of a file that are looked at to find out what kind of dump it is; keep-alives do not tell. */
export const DUMP_SNIFFED_LINES_MAX = 100;
/** Files of a folder that are looked at to find the dump in it. */
export const DUMP_SNIFFED_FILES_MAX = 100;
/** One line of an operator's own source: a frame and the line's other fields. */
export const INGEST_LINE_BYTES_MAX = FRAME_BYTES_MAX + 1_024;
/** An operator's own source that sends nothing for this long is cut off; it can go on with another request. */
export const INGEST_SILENCE_MS = 5 * 60_000;
/** What waits of such a request to go on to the live thread. Beyond it no more is read until a part has been taken there. */
export const INGEST_WINDOW_BYTES = 64 * 1_024;

assert(TOPIC_BYTES_MAX < 2 ** 8, "a topic's length fits its byte");
assert(FRAME_BYTES_MAX < DUMP_LINE_BYTES_MAX, 'a line of a dump can hold any message');

// Source: downloads
/** The index of a session, its topics, and one topic; the largest recorded one has 3 MiB. */
export const DOWNLOAD_INDEX_BYTES_MAX = 4 * 1024 * 1024;
export const DOWNLOAD_TOPICS_MAX = 100;
export const DOWNLOAD_FILE_BYTES_MAX = 512 * 1024 * 1024;
/** What the name of a download's folder takes from its address. */
export const DOWNLOAD_SLUG_CHARS_MAX = 80;
/** Tries of one file in a row that brought nothing, and pauses before the next: doubled from the first up to the second. */
export const DOWNLOAD_TRIES_MAX = 6;
export const DOWNLOAD_RETRY_MS = 1_000;
export const DOWNLOAD_RETRY_MS_MAX = 30_000;
/** Tries of one file in all, also of a server that cuts every connection after a few bytes. */
export const DOWNLOAD_TRIES_ALL_MAX = 100;
/** The longest pause that the archive can ask for; beyond it the download is given up. */
export const DOWNLOAD_RETRY_AFTER_MS_MAX = 300_000;
/** How long a connection, an answer's head and each further piece of it may take. */
export const DOWNLOAD_SILENCE_MS_MAX = 30_000;
/** How much of an answer that is no file is still read, so that its connection can be used again. */
export const DOWNLOAD_DISCARD_BYTES_MAX = 64 * 1024;

assert(DOWNLOAD_TRIES_MAX < DOWNLOAD_TRIES_ALL_MAX, 'tries in vain are given up before all tries are');
assert(
  DOWNLOAD_RETRY_MS_MAX <= DOWNLOAD_RETRY_AFTER_MS_MAX,
  'the archive can ask for as long a pause as it gets unasked',
);

// Source: live
/** No message at all for this long, and the connection is taken for dead. Live timing says something every 15 s. */
export const LIVE_SILENCE_MS = 45_000;
/** From dialling to the end of the handshake. */
export const LIVE_CONNECT_DEADLINE_MS = 20_000;
/** From asking for the whole state to its last byte. */
export const LIVE_SUBSCRIBE_DEADLINE_MS = 20_000;
/** Pause before a lost connection is tried again: any part of it, doubled from the first up to the second. */
export const LIVE_RETRY_MS = 1_000;
export const LIVE_RETRY_MS_MAX = 30_000;
/** The same after the server's regular close of a sound connection, which comes every two hours. */
export const LIVE_RESUME_MS_MAX = 250;
/** A connection that has told its state for this long is sound: after its end the pauses begin again with the short one. */
export const LIVE_HEALTHY_MS = 60_000;
/** How long the server may take to answer our goodbye. */
export const LIVE_CLOSE_MS = 1_000;
/** One WebSocket text. It may hold the whole state of every topic; the one that is recorded has 67 KiB. */
export const LIVE_TEXT_BYTES_MAX = 32 * 1024 * 1024;
/** The answer to a negotiation, which holds little more than two ids. */
export const LIVE_NEGOTIATION_BYTES_MAX = 64 * 1024;
/** Messages that wait for the state on which they build. */
export const LIVE_KEPT_MESSAGES_MAX = 10_000;
export const LIVE_KEPT_CHARS_MAX = 16 * 1024 * 1024;
/** Unusable messages of one connection that are logged one by one; the others are counted. */
export const LIVE_COMPLAINTS_MAX = 10;
/** Characters of a reason, or of an unusable message, that are shown. */
export const LIVE_SHOWN_CHARS_MAX = 300;
/** A secret that may be in such a text: as much as fits into a request's headers. */
export const LIVE_SECRET_CHARS_MAX = 16 * 1_024;

assert(LIVE_TEXT_BYTES_MAX > FRAME_BYTES_MAX, 'a text can hold the largest frame');
assert(LIVE_HEALTHY_MS > LIVE_RETRY_MS_MAX, 'a connection that keeps being lost is not taken for a sound one');
assert(LIVE_RESUME_MS_MAX < LIVE_RETRY_MS, "the server's regular close costs less than a failure");

// Recording
/** Frames of one session. A three-hour race with car telemetry has about 60,000. */
export const RECORDING_FRAMES_MAX = 2_000_000;
export const RECORDING_BYTES_MAX = 2 * 1024 * 1024 * 1024;
/** What its head tells of the session. */
export const RECORDING_HEAD_BYTES_MAX = 4_096;
/** How much of a recording is read, and how much is written, at once. */
export const RECORDING_WINDOW_BYTES = 1024 * 1024;
export const RECORDING_BATCH_BYTES = 256 * 1024;
export const SESSION_ID_CHARS_MAX = 100;
/**
 * A message this long after a session's first has a wrong time: in a text dump it is refused, live it counts as simultaneous
 * with the one before it. An archive cannot say it.
 */
export const SESSION_SPAN_MS_MAX = 7 * 24 * 3_600_000;
/** Sessions followed at once. */
export const LIVE_SESSIONS_MAX = 16;
/** A session of which nothing was heard for this long is over. */
export const LIVE_ABANDONED_MS = 6 * 3_600_000;
/** Messages that could not be used, logged of each session. */
export const LIVE_PROBLEMS_LOGGED_MAX = 20;

assert(DOWNLOAD_FILE_BYTES_MAX <= RECORDING_BYTES_MAX, 'a topic that was downloaded can be recorded');
assert(SESSION_SPAN_MS_MAX < 2 ** 32, 'when an update is due fits its column');
assert(LIVE_ABANDONED_MS < SESSION_SPAN_MS_MAX, 'a session that is forgotten ends before its times turn wrong');

// Session state and update
/** A message of race control longer than this says nothing of drivers; the longest recorded one has 250 characters. */
export const RACE_CONTROL_TEXT_CHARS_MAX = 1_000;
/** Values of one field of one stint that are remembered as told; more than a race has laps. */
export const TIRE_VALUES_KNOWN_MAX = 128;
/** Compounds of tires in one race; real ones have five at most. */
export const TIRE_COMPOUNDS_MAX = 8;
/** Latest laps of the race whose clean laps are kept one by one. */
export const LAP_GROUPS_KEPT_MAX = 12;
/** Stops in the pit lane in one session; the most of a real race is about 100. */
export const LANE_STOPS_MAX = 1_024;

// Timeline
/** Bits in an update's driver mask. */
export const DRIVERS_MAX = 64;
export const TIMELINE_UPDATES_MAX = 4_000_000;
export const TIMELINE_BODY_BYTES_MAX = 2 * 1024 * 1024 * 1024;
/** A live timeline, whose memory is reserved at once. Three hours of a race with telemetry are 40,000 updates and 45 MiB. */
export const LIVE_UPDATES_MAX = 1_000_000;
export const LIVE_BODY_BYTES_MAX = 512 * 1024 * 1024;
/** Drivers touched by all of its updates together. */
export const LIVE_TOUCHED_MAX = 16 * LIVE_UPDATES_MAX;
/** Everything that is known of drivers in one session: an entry of about 1 KiB each time that one of them changes. */
export const LIVE_ROSTER_BYTES_MAX = 4 * 1024 * 1024;
/** Playback artifacts kept open in shared memory at once. */
export const ARTIFACTS_OPEN_MAX = 8;
/** Artifacts and recordings whose last check is remembered. */
export const ARTIFACT_CHECKS_CACHED_MAX = 10_000;
/** How much of an artifact, and of a recording whose fingerprint is taken, is read at once. */
export const ARTIFACT_CHUNK_BYTES = 4 * 1024 * 1024;
export const FINGERPRINT_CHUNK_BYTES = 1024 * 1024;

assert(LIVE_UPDATES_MAX <= TIMELINE_UPDATES_MAX, 'a live session can be replayed, by its updates');
assert(LIVE_BODY_BYTES_MAX <= TIMELINE_BODY_BYTES_MAX, 'a live session can be replayed, by its bodies');

// Filter
/** Values of one filter. */
export const FILTER_VALUES_MAX = 64;
export const FILTER_CONSTRUCTOR_CHARS_MAX = 64;

// Mailbox
/** Timeline positions that wait in one actor's mailbox. Beyond them the timeline itself is the queue. */
export const MAILBOX_POSITIONS_MAX = 256;
/** Restarts of one actor before it is given up. */
export const ACTOR_RESTARTS_MAX = 5;

assert((MAILBOX_POSITIONS_MAX & (MAILBOX_POSITIONS_MAX - 1)) === 0, 'ring buffers are powers of two');

// Sign
/** Where signatures are put together; a larger message gets a place of its own. */
export const SIGN_SLAB_BYTES = 64 * 1024;

// Attempt
/** From DNS to the last byte of the answer. */
export const DEADLINE_MS = 10_000;
/** Attempts under way to one endpoint. */
export const IN_FLIGHT_MAX = 64;
/** Slots that further attempts have beside the first ones, so that neither holds the other back. */
export const RETRIES_IN_FLIGHT_MAX = IN_FLIGHT_MAX / 4;
/** Connections to one endpoint: as many as it can have attempts under way. */
export const ENDPOINT_CONNECTIONS_MAX = IN_FLIGHT_MAX + RETRIES_IN_FLIGHT_MAX;
/** Attempts under way on one shard. */
export const SHARD_IN_FLIGHT_MAX = 4_096;
/** Above this many, an endpoint that has attempts under way already gets no more, so that every endpoint has its turn. */
export const SHARD_IN_FLIGHT_SHARED_MAX = 3_072;
/** How long a name server may take at first, and how often it is asked; the second time it has twice as long. */
export const RESOLVE_TRY_MS = 1_000;
export const RESOLVE_TRIES_MAX = 2;
/** Waiting for the addresses of a host name when its URL is judged. */
export const RESOLVE_DEADLINE_MS = 5_000;
/** Addresses that a name may have; each is checked. Services spread over many machines tell a dozen or so at a time. */
export const ADDRESSES_MAX = 64;
/** For how long an endpoint whose name has more is not asked for: reading thousands takes 20 ms of its thread. */
export const ADDRESSES_PAUSE_MS = 30_000;
/** How many addresses are tried, of each family. */
export const ADDRESSES_TRIED_MAX = 4;
/** Where requests are put together before the network takes them; a larger one gets a place of its own. */
export const REQUEST_SLAB_BYTES = 64 * 1_024;
/** A connection unused for this long is closed. */
export const KEEP_ALIVE_MS = 30_000;

assert(MAILBOX_POSITIONS_MAX >= IN_FLIGHT_MAX, 'a full mailbox can fill every slot');
assert(ENDPOINT_CONNECTIONS_MAX < SHARD_IN_FLIGHT_SHARED_MAX, 'no endpoint takes a shard alone');
assert(SHARD_IN_FLIGHT_SHARED_MAX < SHARD_IN_FLIGHT_MAX, 'some slots are kept for endpoints that have none');
assert(2 * ADDRESSES_TRIED_MAX <= ADDRESSES_MAX, 'what is tried was checked');
assert(
  RESOLVE_TRY_MS * (2 ** RESOLVE_TRIES_MAX - 1) < RESOLVE_DEADLINE_MS,
  'a name is given up before a URL is judged',
);

// Outcome
/** Bytes of an answer that the delivery log keeps. */
export const ANSWER_KEPT_BYTES_MAX = 1_024;
/** Bytes of an answer after which reading stops and the connection is closed. */
export const ANSWER_READ_BYTES_MAX = 64 * 1_024;
export const ANSWER_HEADER_BYTES_MAX = 16 * 1_024;
/** A chunk's size line, with extensions that nobody needs, and the digits of the size. */
export const ANSWER_CHUNK_LINE_BYTES_MAX = 256;
export const ANSWER_CHUNK_DIGITS_MAX = 8;

assert(ANSWER_KEPT_BYTES_MAX <= ANSWER_READ_BYTES_MAX, 'what is kept was read');
assert(ANSWER_CHUNK_DIGITS_MAX < ANSWER_CHUNK_LINE_BYTES_MAX, "a chunk's size fits its line");
assert(16 ** ANSWER_CHUNK_DIGITS_MAX <= Number.MAX_SAFE_INTEGER, "a chunk's size is exact");

// Retry
export const ATTEMPTS_MAX = 4;
/** Delay before attempt 1, 2, 3, 4 since the previous one was settled. */
export const RETRY_DELAYS_MS: readonly number[] = [0, 1_000, 5_000, 30_000];
/** Updates of one actor that wait for a further attempt; when reached, no first attempts start. */
export const RETRYING_MAX = 2_048;
/** Timer wheel: one tick, and how many ticks it spans. */
export const TIMER_TICK_MS = 4;
export const TIMER_SLOTS = 16_384;

assert(RETRY_DELAYS_MS.length === ATTEMPTS_MAX, 'one delay for each attempt');
assert(RETRY_DELAYS_MS[0] === 0, 'the first attempt is immediate');
assert(TIMER_TICK_MS * TIMER_SLOTS > Math.max(DEADLINE_MS, ...RETRY_DELAYS_MS), 'the wheel spans every delay');
assert((TIMER_SLOTS & (TIMER_SLOTS - 1)) === 0, 'the timer wheel is a power of two');

// Record
/** Attempts in one group commit. */
export const RECORD_BATCH_ATTEMPTS = 5_000;
/** Longest time an attempt waits for its group commit to begin while the database is free. */
export const RECORD_BATCH_MS = 200;
/** Attempts held in memory while the database is slow; when reached, no new attempts start. */
export const RECORD_BUFFER_ATTEMPTS_MAX = 100_000;
/** Pause between tries of what the database did not take, such as a group commit: doubled from the first up to the second. */
export const RECORD_RETRY_MS = 100;
export const RECORD_RETRY_MS_MAX = 5_000;
/** How long entries of the delivery log are shown, unless the operator chooses, and the longest choice. */
export const LOG_RETENTION_DAYS = 90;
export const LOG_RETENTION_DAYS_MAX = 3_650;
/** How long the log of a deleted endpoint is still shown. */
export const DELETED_LOG_DAYS = 90;
/** Endpoints deleted long ago that one go of the housekeeping removes. */
export const WEBHOOKS_PURGED_MAX = 1_000;
/** Days that one go of the housekeeping makes for attempts that have none. */
export const STRAY_DAYS_MAX = 31;
/** How long writers may be held up while days are made or dropped. */
export const PARTITION_LOCK_WAIT_MS = 2_000;

assert(RECORD_BATCH_ATTEMPTS < RECORD_BUFFER_ATTEMPTS_MAX, 'the buffer outlasts a batch');
assert(LOG_RETENTION_DAYS <= LOG_RETENTION_DAYS_MAX, 'an operator can choose what is chosen unasked');

// Usage
/** Above every limit that plans allow. A count that gets there stays, rather than turn negative after 2,147,483,647. */
export const ALLOWANCE_COUNTED_MAX = 2 ** 30;
/** Pause before a warning that could not be mailed is tried again. */
export const BUCKET_WARNING_RETRY_MS = 60_000;
/** Warnings that wait to be mailed; a further one is found again at the next look. */
export const BUCKET_WARNINGS_WAITING_MAX = 10_000;
/** Warnings mailed at once. */
export const BUCKET_WARNINGS_AT_ONCE_MAX = 16;
/** Warnings of which it is remembered that they are settled, so that the database is not asked again. */
export const BUCKET_WARNINGS_CACHED_MAX = 10_000;

assert(ALLOWANCE_COUNTED_MAX < 2 ** 31, 'a count fits its cell');
assert(BUCKET_WARNINGS_AT_ONCE_MAX <= BUCKET_WARNINGS_WAITING_MAX, 'what is mailed has waited');

// Threads
/** Pause before a thread that died is started again: doubled from the first up to the second. */
export const THREAD_RESTART_MS = 100;
export const THREAD_RESTART_MS_MAX = 5_000;
/** A thread that has lived for this long since it was ready is sound: its next restart begins with the short pause again. */
export const THREAD_HEALTHY_MS = 10_000;
/** How long a thread may take to end what is in flight and write it down when the service stops. */
export const DRAIN_DEADLINE_MS = 30_000;

assert(THREAD_HEALTHY_MS > THREAD_RESTART_MS_MAX, 'a thread that keeps dying is not taken for a sound one');
assert(DRAIN_DEADLINE_MS > DEADLINE_MS, 'attempts in flight can end before a drain does');

// Shards
export const SHARDS_MAX = 64;
/** Longest uninterrupted work on the ready queue before the event loop gets its turn. */
export const TURN_SLICE_MS = 4;
/** Actors that are counted at once when a shard says how it stands. */
export const CENSUS_SLICE_ACTORS = 512;
/** The longest sleep of a shard that has nothing to do: timers of the platform cannot be set for ever. */
export const SHARD_SLEEP_MS_MAX = 60_000;

assert(SHARD_SLEEP_MS_MAX < 2 ** 31, 'the platform can set a timer for a sleep');

// Replays and live deliveries
/** Runs in progress at once on this machine. */
export const RUNS_MAX = 1_000;
/** How long a request to stop a run waits for its end before it answers that the stop is under way. */
export const STOP_WAIT_MS = 1_000;
/** Unsent bytes of one server-sent event stream before it waits and catches up from the timeline. */
export const SSE_BUFFER_BYTES_MAX = 256 * 1_024;
/** Events that are put together before they are written. */
export const SSE_CHUNK_BYTES = 64 * 1_024;
/** A client that has read nothing for this long has left. The HTTP library does not wait for longer, either. */
export const SSE_STALL_MS = 10_000;
/** Accounts whose live runs are started at once. */
export const LIVE_ACCOUNTS_AT_ONCE_MAX = 8;
/** How long after a session's end its deliveries may take; what is left then is skipped. */
export const LIVE_DELIVERY_MS = 3_600_000;

/** From the first attempt's start to the last one's end. */
const ALL_ATTEMPTS_MS = ATTEMPTS_MAX * DEADLINE_MS + RETRY_DELAYS_MS.reduce((sum, delayMs) => sum + delayMs);

assert(SSE_CHUNK_BYTES < SSE_BUFFER_BYTES_MAX, 'a stream takes more than one piece');
assert(LIVE_DELIVERY_MS > ALL_ATTEMPTS_MS, "a session's last update has all its attempts");

// Storage
/** Connections to the database: of one shard, of the HTTP front, of the live and the operators' thread, and of one command. */
export const SHARD_DATABASE_CONNECTIONS_MAX = 2;
export const FRONT_DATABASE_CONNECTIONS_MAX = 8;
export const LIVE_DATABASE_CONNECTIONS_MAX = 1;
export const OPERATORS_DATABASE_CONNECTIONS_MAX = 1;
export const COMMAND_DATABASE_CONNECTIONS_MAX = 2;
/** Those beside the shards': of the front, both other threads, the housekeeping, the lock, and two commands beside the service. */
export const SERVICE_DATABASE_CONNECTIONS_MAX =
  FRONT_DATABASE_CONNECTIONS_MAX +
  LIVE_DATABASE_CONNECTIONS_MAX +
  OPERATORS_DATABASE_CONNECTIONS_MAX +
  1 +
  1 +
  2 * COMMAND_DATABASE_CONNECTIONS_MAX;
/** Connections that the built-in database takes. */
export const DATABASE_CONNECTIONS_MAX = 160;
/** Sockets to the database that may be opened at once, at the least, and how long each further one waits. */
export const DATABASE_SOCKETS_AT_ONCE_MIN = 20;
export const DATABASE_SOCKET_PAUSE_MS = 250;
/** From dialling until the database takes a connection. */
export const DATABASE_CONNECT_S = 10;
/** A connection keeps the settings that it began with, such as that nobody may write; a new one has those of the moment. */
export const DATABASE_CONNECTION_S_MAX = 300;
/** Pause before a lost connection is made again: doubled from the first up to the second. */
export const DATABASE_RECONNECT_MS = 20;
export const DATABASE_RECONNECT_MS_MAX = 2_000;
/** How long the database may be silent while it owes an answer before the connection is taken for a dead one. */
export const DATABASE_SILENCE_MS_MAX = 30_000;
/** How long statements in progress may take to end when their client is closed, and where nobody waits for them. */
export const DATABASE_END_S = 5;
export const DATABASE_QUICK_END_S = 1;
/** How long a service waits for one that is just ending to give the database back. */
export const SERVICE_LOCK_WAIT_MS = 5_000;
/** Secrets that one statement seals under a new SECRET_KEY, and goes over those of a moment before it gives up. */
export const RESEAL_BATCH_ROWS = 500;
export const RESEAL_PASSES_MAX = 10;
/** A backup's list of what is in it. */
export const BACKUP_MANIFEST_BYTES_MAX = 64 * 1024 * 1024;
/** Free space in DATA_DIR below which the service says that it is not ready: recordings have no room. */
export const DISK_FREE_BYTES_MIN = 64 * 1024 * 1024;

assert(
  SHARDS_MAX * SHARD_DATABASE_CONNECTIONS_MAX + SERVICE_DATABASE_CONNECTIONS_MAX <= DATABASE_CONNECTIONS_MAX,
  'every shard can connect to the built-in database',
);
assert(DATABASE_QUICK_END_S < DATABASE_END_S, 'who waits for nothing ends sooner');

// Storage: the built-in database
/** From its start until it takes connections: recovery after a crash reads at most max_wal_size, maybe from a slow disk. */
export const SERVER_START_MS = 120_000;
/** Pause between tries to start it again after it ended by itself: doubled from the first up to the second. */
export const SERVER_RESTART_MS = 100;
export const SERVER_RESTART_MS_MAX = 5_000;
/** Shared memory of a server that was killed lives until its last process has noticed: tries, and the pause between them. */
export const SERVER_LEFTOVER_TRIES_MAX = 50;
export const SERVER_LEFTOVER_PAUSE_MS = 200;
/** A fast shutdown writes one checkpoint; on a slow disk that takes a while. */
export const SERVER_FAST_STOP_MS = 60_000;
/** An immediate shutdown only ends processes; the next start recovers from the log. */
export const SERVER_IMMEDIATE_STOP_MS = 10_000;
/** Another process's start (with recovery) or stop, which this one waits for. */
export const SERVER_CLAIM_WAIT_MS = 180_000;
/** The server's own log; when larger, it is set aside as postgres.log.1 and begun anew. */
export const SERVER_LOG_BYTES_MAX = 8 * 1024 * 1024;
/** The end of what it said, from which a failed start is explained. */
export const SERVER_OUTPUT_BYTES_MAX = 8_192;
/** Tries to take the place of a dead process's file, the pause between them, and how long the right to remove that file holds. */
export const PID_FILE_TRIES_MAX = 20;
export const PID_FILE_PAUSE_MS = 10;
export const PID_FILE_RIGHT_MS = 10_000;

assert(SERVER_CLAIM_WAIT_MS > SERVER_START_MS, "another process's start comes to its end first");
assert(
  SERVER_CLAIM_WAIT_MS > SERVER_FAST_STOP_MS + SERVER_IMMEDIATE_STOP_MS,
  "another process's stop comes to its end first",
);

// Seasons
/** The zip of a history, which has a few MiB; its files, of which a real one has 47; and redirects on the way to it. */
export const HISTORY_ZIP_BYTES_MAX = 64 * 1024 * 1024;
export const HISTORY_ZIP_ENTRIES_MAX = 1_000;
export const HISTORY_BYTES_MAX = 256 * 1024 * 1024;
export const HISTORY_REDIRECTS_MAX = 5;
/** Plays of the one race, and of its qualifying, that a question may ask for. */
export const FORECAST_SIMULATIONS_MAX = 100_000;
/** Races that are played to answer who wins the titles: the rest of the season, again and again. */
export const FORECAST_SEASON_RACES_MAX = 24_000;

assert(SOURCE_FILE_BYTES_MAX <= HISTORY_BYTES_MAX, 'a history can hold its largest file');

// Outcomes, fantasy scores and previews
/** Outcomes of recordings that are remembered; each takes about 20 KiB. */
export const OUTCOMES_CACHED_MAX = 128;
/** Recordings whose outcome is being read or waits for it; a further one is refused. */
export const OUTCOMES_READ_MAX = 32;
/** Sessions that go on, or have just ended, whose outcome is remembered. */
export const LIVE_OUTCOMES_CACHED_MAX = 2 * LIVE_SESSIONS_MAX;
/** Weekends of the history that are remembered; each takes about 100 KiB with the names of everybody. */
export const WEEKENDS_CACHED_MAX = 64;
/** Longer than the name of any Grand Prix. */
export const RACE_ID_CHARS_MAX = 64;
/** Upcoming sessions that are previewed at once. */
export const PREVIEWS_UPCOMING_MAX = 8;
/** How long previews trust the calendar that they have read, and of how many seasons. */
export const CALENDAR_CACHE_MS = 1_000;
export const CALENDARS_CACHED_MAX = 16;
/** Forecasts that are remembered; each takes about 40 KiB. */
export const FORECASTS_CACHED_MAX = 256;
/** Different forecasts that wait to be worked out; a further one is refused. */
export const FORECASTS_WAITING_MAX = 32;

assert(
  FORECASTS_WAITING_MAX > 2 * PREVIEWS_UPCOMING_MAX,
  'a list of previews fits into the line, with and without grids',
);

// HTTP front
/** Connections, and the part of the files that the process may open which they may take; one more is closed. */
export const CONNECTIONS_MAX = 10_000;
export const CONNECTIONS_FILES_SHARE_MAX = 0.5;
/** Requests that are being answered at once; event streams do not count. */
export const REQUESTS_IN_PROGRESS_MAX = 4_096;
/** Requests whose body has still to come. */
export const BODIES_ARRIVING_MAX = 4_096;
/** From a request's first byte to its answer; longer than a test delivery with its name resolution. */
export const REQUEST_DEADLINE_MS = 20_000;
export const REQUEST_BODY_BYTES_MAX = 64 * 1_024;
/** Bytes of a body over the limit that are still read and thrown away, so that the client gets to see the refusal. */
export const REQUEST_DISCARD_BYTES_MAX = 1_024 * 1_024;
/** Addresses that proxies can have put before the nearest one. */
export const FORWARDED_HOPS_MAX = 32;
/** Violations that one error message names; beyond them it only counts. */
export const VIOLATIONS_NAMED_MAX = 100;
/** How long the database may take to answer before the service says that it is not ready. */
export const READY_WAIT_MS = 2_000;
/** How long an answer to "are you ready?" is given again, so that asking often costs nothing. */
export const READY_CACHE_MS = 250;
/** How long requests in progress may take to end when the service stops. */
export const CLOSE_DEADLINE_MS = 5_000;

assert(REQUEST_DISCARD_BYTES_MAX > REQUEST_BODY_BYTES_MAX, 'a body that is a little too large gets its refusal');
assert(REQUEST_DEADLINE_MS > DEADLINE_MS + RESOLVE_DEADLINE_MS, 'a test delivery fits into its request');
assert(REQUEST_DEADLINE_MS > READY_WAIT_MS, 'the service can tell that it is not ready');
assert(REQUEST_DEADLINE_MS > STOP_WAIT_MS, 'a stop can tell that it is under way');

// Endpoints
export const WEBHOOK_URL_CHARS_MAX = 2_048;
export const FEEDS_PER_REQUEST_MAX = 128;
/** Pages of one account's list that are remembered at once. */
export const WEBHOOK_LIST_PAGES_MAX = 16;
/** Answered lists of endpoints that are remembered. */
export const WEBHOOK_LISTS_CACHED_BYTES_MAX = 32 * 1_024 * 1_024;

// Accounts and tokens
export const EMAIL_CHARS_MAX = 254;
export const NAME_CHARS_MAX = 200;
export const PASSWORD_CHARS_MIN = 8;
export const PASSWORD_CHARS_MAX = 72;
/** Passwords that are being hashed at once; each takes 19 MiB and a core for some 20 ms. */
export const HASHES_AT_ONCE_MAX = 2;
/** Hashes that wait for their turn; beyond them the service says that it is busy. */
export const HASHES_WAITING_MAX = 256;
/** Sign-ins of one account; a further one ends the oldest. */
export const SIGN_INS_MAX = 20;
/** Verification links of one account that are good at once; a further one ends the oldest. */
export const VERIFICATIONS_MAX = 5;
/** Requests that one address may send within a time: to sign up, to sign in, to get another link. */
export const SIGN_UP_RATE_MAX = { requests: 5, windowMs: 600_000 };
export const LOGIN_RATE_MAX = { requests: 10, windowMs: 300_000 };
export const RESEND_RATE_MAX = { requests: 3, windowMs: 600_000 };
/** Attempts to sign in to one account from wherever: who guesses from many addresses gets no further than this. */
export const LOGIN_ACCOUNT_RATE_MAX = { requests: 100, windowMs: 3_600_000 };
/** Addresses, and accounts, whose recent requests are remembered, for each of the four. */
export const ADDRESSES_COUNTED_MAX = 100_000;
/** Accounts whose requests of the hour are counted. */
export const ACCOUNTS_COUNTED_MAX = 100_000;
export const TOKEN_CHARS_MAX = 256;
export const TOKENS_CACHED_MAX = 10_000;
/** Looks at a client secret that changes while a token is given out. */
export const TOKEN_TRIES_MAX = 3;
/** Bearer tokens of one account that are good at once; a further one ends the oldest. */
export const TOKENS_PER_ACCOUNT_MAX = 1_000;
/** Pause before deliveries are told of a changed plan again, when that failed. */
export const ACCOUNT_RETRY_MS = 2_000;
/** How long what is remembered of an account is trusted at most, should the database's word of a change get lost. */
export const ACCOUNT_TTL_MAX_MS = 60_000;
/** One try to reach the payment provider, and further tries of one request. */
export const PAYMENT_TRY_MS = 8_000;
export const PAYMENT_RETRIES_MAX = 1;

assert(PASSWORD_CHARS_MIN <= PASSWORD_CHARS_MAX, 'there are passwords');
assert(REQUEST_DEADLINE_MS > PAYMENT_TRY_MS * (1 + PAYMENT_RETRIES_MAX), 'a checkout can tell that it failed');

// Mail
/** From the connection to the mail server's last answer. */
export const MAIL_DEADLINE_MS = 12_000;
/** Mails that are being sent or wait for it; a further one fails. */
export const MAILS_WAITING_MAX = 256;
/** Connections to the mail server. */
export const MAIL_CONNECTIONS_MAX = 4;
/** Further tries of a mail that found its connection closed. */
export const MAIL_RETRIES_MAX = 1;
/** Mails that the outbox folder keeps when there is no mail server. */
export const OUTBOX_FILES_MAX = 1_000;

assert(REQUEST_DEADLINE_MS > MAIL_DEADLINE_MS, 'a sign-up can tell that its mail failed');
assert(MAIL_CONNECTIONS_MAX <= MAILS_WAITING_MAX, 'every connection to the mail server has a mail to send');

// Operators
/** Requests to the admin listener at once. */
export const ADMIN_CONNECTIONS_MAX = 256;
/** From an operator's connection, or the request before, to the whole head of a request. */
export const ADMIN_HEAD_MS_MAX = 8_000;
/** How much of a refused body is still read, and for how long, so that its sender gets to see the refusal. */
export const ADMIN_DISCARD_BYTES_MAX = 16 * 1024 * 1024;
export const ADMIN_DISCARD_MS_MAX = 5_000;
/** How long reading the metrics waits for an answer of the database. */
export const METRICS_WAIT_MS = 1_000;
/** Lines of one kind that a thread logs within a minute, of warnings and errors, and of others; and kinds told apart. */
export const LOG_PROBLEMS_PER_MINUTE_MAX = 10;
export const LOG_LINES_PER_MINUTE_MAX = 6_000;
export const LOG_KINDS_MAX = 100;
/** A setting that is a URL, and what an error message shows of a bad one. */
export const SETTING_URL_CHARS_MAX = 2_048;
export const SETTING_SHOWN_CHARS_MAX = 80;
/** An idle thread for compiling or for outcomes ends after this time: both are rare, memory is not free. */
export const TASK_THREAD_IDLE_MS = 10_000;
/** Lines of an import that say what is left out, or cancelled, one by one. */
export const CALENDAR_LINES_SHOWN_MAX = 10;
/** How long one check of the doctor may take. */
export const DOCTOR_CHECK_MS = 15_000;
/** How long the doctor waits for a connection to somebody else's server, and for programs that tell a version or the time. */
export const DOCTOR_CONNECT_MS = 5_000;
export const DOCTOR_VERSION_MS = 5_000;
export const DOCTOR_TIME_SERVICE_MS = 3_000;

assert(
  DOCTOR_CHECK_MS > Math.max(DOCTOR_CONNECT_MS, DOCTOR_VERSION_MS, DOCTOR_TIME_SERVICE_MS),
  'a check can tell what it waited for in vain',
);

// Demo
export const DEMO_ENDPOINTS_MAX = 50;
export const DEMO_SECONDS_MAX = 86_400;
/** From the start of the service's process until it is ready. */
export const DEMO_READY_MS = 60_000;
/** A service that has not drained by then is ended the hard way. */
export const DEMO_STOP_MS = 20_000;
/** Lines of the service's log that are shown when it ends unexpectedly. */
export const DEMO_LOG_LINES_MAX = 20;
export const DEMO_REQUEST_MS = 15_000;
/** Pages of one endpoint's delivery log that are read. */
export const DEMO_LOG_PAGES_MAX = 200;
/** What a receiver takes of one request. */
export const DEMO_BODY_BYTES_MAX = 4 * 1024 * 1024;
/** Things that were wrong with what a receiver got, of which it tells. */
export const DEMO_PROBLEMS_MAX = 3;
/** A recording whose session has not started by then is timed from here on. */
export const DEMO_LEAD_IN_MS_MAX = 90_000;
/** Retries and the last group commit may take this long after the last update is due. */
export const DEMO_SETTLE_MS_MAX = 90_000;
export const DEMO_REMOVE_RETRIES_MAX = 5;

assert(DEMO_SETTLE_MS_MAX > ALL_ATTEMPTS_MS + RECORD_BATCH_MS, 'the last update can have all its attempts');
