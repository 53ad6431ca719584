// Every bound in one place, with the relations between them asserted at load. Units are in the names.

import { assert } from './assert.ts';

// Source and recording
/** One frame's JSON text; the largest real one (a full TimingData snapshot) is about 60 KiB. */
export const FRAME_BYTES_MAX = 4 * 1024 * 1024;
/** Frames of one session. A three-hour race with car telemetry has about 60,000. */
export const RECORDING_FRAMES_MAX = 2_000_000;
export const RECORDING_BYTES_MAX = 2 * 1024 * 1024 * 1024;
/**
 * A message this long after a session's first has a wrong time: in a text dump it is refused, live it counts as simultaneous
 * with the one before it. An archive cannot say it.
 */
export const SESSION_SPAN_MS_MAX = 7 * 24 * 3_600_000;
/** How much of an archive file is read at once. */
export const SOURCE_CHUNK_BYTES = 256 * 1024;
/** One line of a text dump. It can hold the whole state of a session; the largest real one has 70 KiB. */
export const DUMP_LINE_BYTES_MAX = 16 * 1024 * 1024;
/** Lines at the head of a file that are looked at to find out what kind of dump it is; keep-alives do not tell. */
export const DUMP_SNIFFED_LINES_MAX = 100;
/** Files of a folder that are looked at to find the dump in it. */
export const DUMP_SNIFFED_FILES_MAX = 100;
/** Download of an archive: the index of a session, its topics, and one topic; the largest recorded one has 3 MiB. */
export const DOWNLOAD_INDEX_BYTES_MAX = 4 * 1024 * 1024;
export const DOWNLOAD_TOPICS_MAX = 100;
export const DOWNLOAD_FILE_BYTES_MAX = 512 * 1024 * 1024;
/** Pause between two files, so that the archive is not pressed. */
export const DOWNLOAD_PAUSE_MS = 250;
/** Tries of one file in a row that brought nothing, and pauses before the next: doubled from the first up to the second. */
export const DOWNLOAD_TRIES_MAX = 6;
export const DOWNLOAD_RETRY_MS = 1_000;
export const DOWNLOAD_RETRY_MS_MAX = 30_000;
/** Tries of one file in all, also of a server that cuts every connection after a few bytes. */
export const DOWNLOAD_TRIES_ALL_MAX = 100;
/** The longest pause that the archive can ask for; beyond it the download is given up. */
export const DOWNLOAD_ASKED_PAUSE_MS_MAX = 300_000;
/** How long a connection, an answer's head and each further piece of it may take. */
export const DOWNLOAD_SILENCE_MS_MAX = 30_000;
/** A table or an index that is read whole; the largest real one has 5 MiB. */
export const SOURCE_FILE_BYTES_MAX = 64 * 1024 * 1024;
/** The first season that is kept of a history: the first with hybrid engines, and the first that the models were tried on. */
export const HISTORY_SEASON_MIN = 2014;
/** The zip of a history, which has a few MiB; its files, of which a real one has 47; and redirects on the way to it. */
export const HISTORY_ZIP_BYTES_MAX = 64 * 1024 * 1024;
export const HISTORY_ZIP_ENTRIES_MAX = 1_000;
export const HISTORY_BYTES_MAX = 256 * 1024 * 1024;
export const HISTORY_REDIRECTS_MAX = 5;
/** Nesting of a message. Real ones nest eight deep. */
export const MERGE_DEPTH_MAX = 32;

// Live source
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
export const LIVE_SOUND_MS = 60_000;
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

// Race events, in the time of the stream
/** A message of race control longer than this says nothing of drivers; the longest recorded one has 250 characters. */
export const RACE_CONTROL_TEXT_CHARS_MAX = 1_000;

// Samples of cars, and pit stops, in the time of the stream
/** Values of one field of one stint that are remembered as told; more than a race has laps. */
export const TIRE_VALUES_KNOWN_MAX = 128;

// Analytics, in the time of the stream
/** Compounds of tires in one race; real ones have five at most. */
export const TIRE_COMPOUNDS_MAX = 8;
/** Latest laps of the race whose clean laps are kept one by one. */
export const LAP_GROUPS_KEPT_MAX = 12;

// Outcomes of sessions, and fantasy scores
/** Stops in the pit lane in one session; the most of a real race is about 100. */
export const LANE_STOPS_MAX = 1_024;
/** Outcomes of recordings that are remembered; each takes about 20 KiB. */
export const OUTCOMES_KNOWN_MAX = 128;
/** Recordings whose outcome is being read or waits for it; a further one is refused. */
export const OUTCOMES_READ_MAX = 32;
/** Weekends of the history that are remembered; each takes about 100 KiB with the names of everybody. */
export const WEEKENDS_KEPT_MAX = 64;

// Live sessions
/** How often what was recorded is made durable: what a power cut can cost. */
export const LIVE_SYNC_MS = 250;
/** How long a session that the upstream calls ended, or only finalised, is still followed: results may be corrected. */
export const LIVE_ENDS_LINGER_MS = 60_000;
export const LIVE_FINALISED_LINGER_MS = 15 * 60_000;
/** A session of which nothing was heard for this long is over. */
export const LIVE_ABANDONED_MS = 6 * 3_600_000;
/** Pause between two questions for the whole state that a change of the session causes. */
export const LIVE_REFRESH_MS = 5_000;
/** How long after a session's end its deliveries may take; what is left then is skipped. */
export const LIVE_DELIVERY_MS = 3_600_000;
/** How often a thread writes down how it stands, and how often it looks how late it gets to a timer. */
export const METER_MS = 1_000;
export const LOOP_LOOK_MS = 20;
/** Lines of one kind that a thread logs within a minute, of warnings and errors, and of others; and kinds told apart. */
export const LOG_TROUBLES_PER_MINUTE = 10;
export const LOG_LINES_PER_MINUTE = 6_000;
export const LOG_KINDS_MAX = 100;
/** How long reading the metrics waits for an answer of the database. */
export const METRICS_WAIT_MS = 1_000;
/** Requests to the admin listener at once. */
export const ADMIN_CONNECTIONS_MAX = 256;
/** From an operator's connection, or the request before, to the whole head of a request; and how often that is looked after. */
export const ADMIN_HEAD_MS_MAX = 8_000;
export const ADMIN_CHECK_MS = 2_000;
/** How much of a refused body is still read, and for how long, so that its sender gets to see the refusal. */
export const ADMIN_DISCARD_BYTES_MAX = 16 * 1024 * 1024;
export const ADMIN_DISCARD_MS_MAX = 5_000;
/** An operator's own source that sends nothing for this long is cut off; it can go on with another request. */
export const INGEST_SILENCE_MS = 5 * 60_000;
/** Sessions followed at once. */
export const LIVE_SESSIONS_MAX = 16;
/** Everything that is known of drivers in one session: an entry of about 1 KiB each time that one of them changes. */
export const LIVE_ROSTER_BYTES_MAX = 4 * 1024 * 1024;
/** Messages that could not be used, logged of each session. */
export const LIVE_PROBLEMS_LOGGED_MAX = 20;

// Forecasts
/** Plays of the one race, and of its qualifying, that a question may ask for. */
export const FORECAST_SIMULATIONS_MAX = 100_000;
/** Races that are played to answer who wins the titles: the rest of the season, again and again. */
export const FORECAST_SEASON_RACES_MAX = 24_000;

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
/** Playback artifacts kept open in shared memory at once. */
export const ARTIFACTS_OPEN_MAX = 8;
/** Artifacts and recordings whose last check is remembered. */
export const ARTIFACTS_KNOWN_MAX = 10_000;

// Actors and mailboxes
export const SHARDS_MAX = 64;
export const PARTITIONS = 256;
/** Timeline positions that wait in one actor's mailbox. Beyond them the timeline itself is the queue. */
export const MAILBOX_POSITIONS_MAX = 256;
/** Pause before a shard thread that died is started again: doubled from the first up to the second. */
export const SHARD_RESTART_MS = 100;
export const SHARD_RESTART_MS_MAX = 5_000;
/** A shard that has lived for this long since it was ready is sound: its next restart begins with the short pause again. */
export const SHARD_SOUND_MS = 10_000;
/** How long a shard may take to end what is in flight and write it down when the service stops. */
export const DRAIN_DEADLINE_MS = 30_000;
/** Longest uninterrupted work on the ready queue before the event loop gets its turn. */
export const TURN_SLICE_MS = 4;
/** Actors that are counted at once when a shard says how it stands. */
export const CENSUS_SLICE_ACTORS = 512;
/** Restarts of one actor before it is given up. */
export const ACTOR_RESTARTS_MAX = 5;

// Delivery
export const ATTEMPTS_MAX = 4;
/** Delay before attempt 1, 2, 3, 4 since the previous one was settled. */
export const RETRY_DELAYS_MS: readonly number[] = [0, 1_000, 5_000, 30_000];
/** From DNS to the last byte of the answer. */
export const DEADLINE_MS = 10_000;
/** How long a name server may take at first, and how often it is asked; the second time it has twice as long. */
export const RESOLVE_TRY_MS = 1_000;
export const RESOLVE_TRIES = 2;
/** Addresses that a name may have; each is checked. Services spread over many machines tell a dozen or so at a time. */
export const ADDRESSES_MAX = 64;
/** For how long an endpoint whose name has more is not asked for: reading thousands takes 20 ms of its thread. */
export const ADDRESSES_PAUSE_MS = 30_000;
/** How many addresses are tried, of each family. */
export const ADDRESSES_TRIED_MAX = 4;
export const IN_FLIGHT_START = 2;
export const IN_FLIGHT_MAX = 64;
/** Slots that further attempts have beside the first ones, so that neither holds the other back. */
export const RETRIES_IN_FLIGHT_MAX = IN_FLIGHT_MAX / 4;
/** Attempts under way on one shard. */
export const SHARD_IN_FLIGHT_MAX = 4_096;
/** Above this many, an endpoint that has attempts under way already gets no more, so that every endpoint has its turn. */
export const SHARD_IN_FLIGHT_SHARED = 3_072;
/** Updates of one actor that wait for a further attempt; when reached, no first attempts start. */
export const RETRYING_MAX = 2_048;
/** Bytes of an answer that the delivery log keeps. */
export const ANSWER_KEPT_BYTES_MAX = 1_024;
/** Bytes of an answer after which reading stops and the connection is closed. */
export const ANSWER_READ_BYTES_MAX = 64 * 1_024;
export const ANSWER_HEADER_BYTES_MAX = 16 * 1_024;
/** Where requests are put together before the network takes them; a larger one gets a place of its own. */
export const REQUEST_SLAB_BYTES = 64 * 1_024;
/** A kept connection that is found closed so soon after a request went out had been closed before it came. */
export const STALE_CONNECTION_MS = 1_000;
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
/** Pause between tries of what the database did not take, such as a group commit: doubled from the first up to the second. */
export const RECORD_RETRY_MS = 100;
export const RECORD_RETRY_MS_MAX = 5_000;

// Storage
/** Connections that the built-in database takes: two per shard, the HTTP front's, and a few for commands and operators. */
export const DATABASE_CONNECTIONS_MAX = 160;
/** How long the database may be silent while it owes an answer before the connection is taken for a dead one. */
export const DATABASE_ANSWER_MS = 30_000;
/** Pause before a lost connection is made again: doubled from the first up to the second. */
export const DATABASE_RECONNECT_MS = 20;
export const DATABASE_RECONNECT_MS_MAX = 2_000;
/** Pause between tries to start the built-in server again after it ended by itself: doubled from the first up to the second. */
export const SERVER_RESTART_MS = 100;
export const SERVER_RESTART_MS_MAX = 5_000;
/** How long entries of the delivery log are shown, unless the operator chooses, and the longest choice. */
export const LOG_RETENTION_DAYS = 90;
export const LOG_RETENTION_DAYS_MAX = 3_650;
/** How long the log of a deleted endpoint is still shown. */
export const DELETED_LOG_DAYS = 90;
/** Endpoints deleted long ago that one go of the housekeeping removes. */
export const WEBHOOKS_PURGED_MAX = 1_000;
/** Days that one go of the housekeeping makes for attempts that have none. */
export const STRAY_DAYS_MAX = 31;
/** How long a service waits for one that is just ending to give the database back, and how often it looks. */
export const SERVICE_LOCK_WAIT_MS = 5_000;
export const SERVICE_LOCK_POLL_MS = 250;
/** How often a service makes sure that the database is still its own. */
export const SERVICE_LOCK_WATCH_MS = 1_000;
/** PostgreSQL's own log; when larger, it is set aside as postgres.log.1 and begun anew. */
export const SERVER_LOG_BYTES_MAX = 8 * 1024 * 1024;

// Previews
/** Upcoming sessions that are previewed at once. */
export const PREVIEWS_UPCOMING_MAX = 8;
/** How long previews trust the calendar that they have read, and of how many seasons. */
export const CALENDAR_REMEMBERED_MS = 1_000;
export const CALENDARS_REMEMBERED_MAX = 16;
/** Simulated races of a forecast: a probability of a half is then within one percent, nineteen times out of twenty. */
export const FORECAST_SIMULATIONS = 10_000;
/** Forecasts that are remembered; each takes about 40 KiB. */
export const FORECASTS_KEPT_MAX = 256;
/** Different forecasts that wait to be worked out; a further one is refused. */
export const FORECASTS_WAITING_MAX = 32;

// Plans: what interface.md leaves to the contract of Custom, and the two monthly buckets
export const FREE_DELIVERIES_PER_MONTH = 5_000;
export const DEVELOPER_DELIVERIES_PER_MONTH = 50_000;
export const CUSTOM_ENDPOINTS_MAX = 10_000;
/** The highest spend cap that an account can have. */
export const SPEND_CAP_USD_MAX = 100_000;
export const CUSTOM_REQUESTS_PER_HOUR = 36_000;
/** Part of the included deliveries at which an account is warned. */
export const BUCKET_NEAR = 0.8;
/** How often the buckets of accounts that deliver are looked at. */
export const BUCKET_WATCH_MS = 1_000;
/** Pause before a warning that could not be mailed is tried again. */
export const BUCKET_WARNING_RETRY_MS = 60_000;
/** Warnings that wait to be mailed; a further one is found again at the next look. */
export const BUCKET_WARNINGS_WAITING_MAX = 10_000;
/** Warnings mailed at once. */
export const BUCKET_WARNINGS_AT_ONCE = 16;
/** Warnings of which it is remembered that they are settled, so that the database is not asked again. */
export const BUCKET_WARNINGS_KNOWN_MAX = 10_000;

// Accounts
export const EMAIL_CHARS_MAX = 254;
export const NAME_CHARS_MAX = 200;
export const PASSWORD_CHARS_MIN = 8;
export const PASSWORD_CHARS_MAX = 72;
/** Passwords that are being hashed at once; each takes 19 MiB and a core for some 20 ms. */
export const HASHES_AT_ONCE_MAX = 2;
/** Hashes that wait for their turn; beyond them the service says that it is busy. */
export const HASHES_WAITING_MAX = 256;
export const SIGN_IN_LIFETIME_MS = 7 * 24 * 3_600_000;
/** Sign-ins of one account; a further one ends the oldest. */
export const SIGN_INS_MAX = 20;
export const VERIFICATION_LIFETIME_MS = 24 * 3_600_000;
/** Verification links of one account that are good at once; a further one ends the oldest. */
export const VERIFICATIONS_MAX = 5;
/** From the connection to the mail server's last answer. */
export const MAIL_DEADLINE_MS = 12_000;
/** Mails that are being sent or wait for it; a further one fails. */
export const MAILS_WAITING_MAX = 256;
/** Connections to the mail server. */
export const MAIL_CONNECTIONS_MAX = 4;
/** Mails that the outbox folder keeps when there is no mail server. */
export const OUTBOX_FILES_MAX = 1_000;
/** Requests that one address may send within a time: to sign up, to sign in, to get another link. */
export const SIGN_UP_LIMIT = { requests: 5, windowMs: 600_000 };
export const LOGIN_LIMIT = { requests: 10, windowMs: 300_000 };
export const RESEND_LIMIT = { requests: 3, windowMs: 600_000 };
/** Attempts to sign in to one account from wherever: who guesses from many addresses gets no further than this. */
export const LOGIN_ACCOUNT_LIMIT = { requests: 100, windowMs: 3_600_000, byAccount: true } as const;
/** Addresses, and accounts, whose recent requests are remembered, for each of the four. */
export const ADDRESSES_COUNTED_MAX = 100_000;
/** Pages of one account's list that are remembered at once. */
export const WEBHOOK_LIST_PAGES_MAX = 16;
/** Answered lists of endpoints that are remembered. */
export const WEBHOOK_LISTS_CACHED_BYTES_MAX = 32 * 1_024 * 1_024;
/** Accounts whose requests of the hour are counted. */
export const ACCOUNTS_COUNTED_MAX = 100_000;

// HTTP front
export const REQUEST_BODY_BYTES_MAX = 64 * 1_024;
export const WEBHOOK_URL_CHARS_MAX = 2_048;
export const FILTER_VALUES_MAX = 64;
export const FEEDS_PER_REQUEST_MAX = 128;
export const TOKENS_CACHED_MAX = 10_000;
export const TOKEN_LIFETIME_S = 43_200;
/** Looks at a client secret that changes while a token is given out. */
export const TOKEN_TRIES_MAX = 3;
/** Bearer tokens of one account that are good at once; a further one ends the oldest. */
export const TOKENS_PER_ACCOUNT_MAX = 1_000;
/** Pause before deliveries are told of a changed plan again, when that failed. */
export const ACCOUNT_RETRY_MS = 2_000;
/** How long what is remembered of an account is trusted at most, should the database's word of a change get lost. */
export const ACCOUNT_TRUSTED_MS = 60_000;
/** Bytes of a body over the limit that are still read and thrown away, so that the client gets to see the refusal. */
export const REQUEST_DISCARD_BYTES_MAX = 1_024 * 1_024;
/** Connections to the HTTP front, and the part of the files that the process may open which they may take; one more is closed. */
export const CONNECTIONS_MAX = 10_000;
export const CONNECTIONS_FILES_SHARE = 0.5;
/** Requests that are being answered at once; event streams do not count. */
export const REQUESTS_IN_PROGRESS_MAX = 4_096;
/** Requests whose body has still to come. */
export const BODIES_ARRIVING_MAX = 4_096;
/** From a request's first byte to its answer; longer than a test delivery with its name resolution. */
export const REQUEST_DEADLINE_MS = 20_000;
/** How long the database may take to answer before the service says that it is not ready. */
export const READY_WAIT_MS = 2_000;
/** How long an answer to "are you ready?" is given again, so that asking often costs nothing. */
export const READY_REMEMBERED_MS = 250;
/** Free space in DATA_DIR below which the service says that it is not ready: recordings have no room. */
export const DISK_FREE_BYTES_MIN = 64 * 1024 * 1024;
/** How long one check of the doctor may take. */
export const DOCTOR_CHECK_MS = 15_000;
/** How long the doctor waits for a connection to somebody else's server. */
export const DOCTOR_CONNECT_MS = 5_000;
/** Free space and files in DATA_DIR below which the doctor warns: a race's recording and log, and the database's own log. */
export const DISK_FREE_BYTES_WISE = 5 * 1024 * 1024 * 1024;
export const DISK_FREE_FILES_MIN = 1_000;
/** How far the clock may be off before signatures, whose time receivers check, are refused; and what is worth a warning. */
export const CLOCK_OFF_MS_MAX = 60_000;
export const CLOCK_OFF_MS_WISE = 1_000;
/** A group commit that takes longer holds up nothing yet, but the disk is slow for a database. */
export const COMMIT_MS_WISE = 30;
/** Memory of the service without deliveries, of each shard, and of the built-in database (bench/README.md). */
export const MEMORY_BASE_BYTES = 300 * 1024 * 1024;
export const MEMORY_SHARD_BYTES = 100 * 1024 * 1024;
export const MEMORY_DATABASE_BYTES = 256 * 1024 * 1024;
/** How long requests in progress may take to end when the service stops. */
export const CLOSE_DEADLINE_MS = 5_000;
/** Violations that one error message names; beyond them it only counts. */
export const VIOLATIONS_NAMED_MAX = 100;
/** Waiting for the addresses of a host name. */
export const RESOLVE_DEADLINE_MS = 5_000;
/** Unsent silence of an event stream after which a comment keeps proxies from closing it. */
export const SSE_PING_MS = 15_000;
/** A client that has read nothing for this long has left. The HTTP library does not wait for longer, either. */
export const SSE_STALL_MS = 10_000;
/** How long a request to stop a run waits for its end before it answers that the stop is under way. */
export const STOP_WAIT_MS = 1_000;
/** One try to reach the payment provider, and further tries of one request. */
export const PAYMENT_TRY_MS = 8_000;
export const PAYMENT_RETRIES_MAX = 1;
/** How long a browser keeps the files of the documentation page. */
export const DOCS_FILES_AGE_S = 3_600;
/** Secrets that one statement seals under a new SECRET_KEY, and goes over those of a moment before it gives up. */
export const RESEAL_BATCH_ROWS = 500;
export const RESEAL_PASSES_MAX = 10;
/** How long both secrets sign after a rotation. */
export const PREVIOUS_SECRET_MS = 24 * 3_600_000;

assert(LIVE_TEXT_BYTES_MAX > FRAME_BYTES_MAX, 'a text can hold the largest frame');
assert(LIVE_SOUND_MS > LIVE_RETRY_MS_MAX, 'a connection that keeps being lost is not taken for a sound one');
assert(REQUEST_DEADLINE_MS > PAYMENT_TRY_MS * (1 + PAYMENT_RETRIES_MAX), 'a checkout can tell that it failed');
assert(REQUEST_DEADLINE_MS > MAIL_DEADLINE_MS, 'a sign-up can tell that its mail failed');
assert(REQUEST_DEADLINE_MS > DEADLINE_MS + RESOLVE_DEADLINE_MS, 'a test delivery fits into its request');
assert(FRAME_BYTES_MAX < DUMP_LINE_BYTES_MAX, 'a line of a dump can hold any message');
assert(SESSION_SPAN_MS_MAX < 2 ** 32, 'when an update is due fits its column');
assert(FORECAST_SIMULATIONS <= FORECAST_SIMULATIONS_MAX, 'a preview asks for no more than may be simulated');
assert(
  FORECASTS_WAITING_MAX > 2 * PREVIEWS_UPCOMING_MAX,
  'a list of previews fits into the line, with and without grids',
);
assert(DRAIN_DEADLINE_MS > DEADLINE_MS, 'attempts in flight can end before a drain does');
assert(SHARD_SOUND_MS > SHARD_RESTART_MS_MAX, 'a shard that keeps dying is not taken for a sound one');
assert(RETRY_DELAYS_MS.length === ATTEMPTS_MAX, 'one delay for each attempt');
assert(RETRY_DELAYS_MS[0] === 0, 'the first attempt is immediate');
assert(TIMER_TICK_MS * TIMER_SLOTS > Math.max(DEADLINE_MS, ...RETRY_DELAYS_MS), 'the wheel spans every delay');
assert(2 * ADDRESSES_TRIED_MAX <= ADDRESSES_MAX, 'what is tried was checked');
assert(RESOLVE_TRY_MS * (2 ** RESOLVE_TRIES - 1) < RESOLVE_DEADLINE_MS, 'a name is given up before a URL is judged');
assert(IN_FLIGHT_START <= IN_FLIGHT_MAX, 'the in-flight cap starts below its bound');
assert(SHARD_IN_FLIGHT_SHARED < SHARD_IN_FLIGHT_MAX, 'some slots are kept for endpoints that have none');
assert(MAILBOX_POSITIONS_MAX >= IN_FLIGHT_MAX, 'a full mailbox can fill every slot');
assert((MAILBOX_POSITIONS_MAX & (MAILBOX_POSITIONS_MAX - 1)) === 0, 'ring buffers are powers of two');
assert((TIMER_SLOTS & (TIMER_SLOTS - 1)) === 0, 'the timer wheel is a power of two');
assert(ANSWER_KEPT_BYTES_MAX <= ANSWER_READ_BYTES_MAX, 'what is kept was read');
assert(RECORD_BATCH_ATTEMPTS < RECORD_BUFFER_ATTEMPTS_MAX, 'the buffer outlasts a batch');
assert(DATABASE_CONNECTIONS_MAX >= 2 * SHARDS_MAX + 16, 'every shard can connect to the built-in database');
