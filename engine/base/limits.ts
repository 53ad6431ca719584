// All bounds: on memory, disk, time, retries and input. Assertions at load check how they depend on each other.
//
// The order is that of the stages (stages.ts), then of the other parts of the service. Each name ends with its unit, or
// with _MAX or _MIN. A number that belongs to a rule, such as how long an overtake must hold, is defined with that
// rule.

import { assert } from './assert.ts';

// Source and frame
/** Bytes of one frame's JSON text. The largest real one, a full TimingData snapshot, has about 60 KiB. */
export const FRAME_BYTES_MAX = 4 * 1024 * 1024;
/** Bytes of a frame's topic. Recordings store the length in one byte. */
export const TOPIC_BYTES_MAX = 255;
/** Levels of nesting in a message. Real ones have eight. */
export const MERGE_DEPTH_MAX = 32;
/** Characters of foreign text quoted in one of our messages. */
export const QUOTED_CHARS_MAX = 40;
/** Bytes of an archive file read at once. */
export const SOURCE_CHUNK_BYTES = 256 * 1024;
/** Bytes of a table or an index, which is read as a whole. The largest real one has 5 MiB. */
export const SOURCE_FILE_BYTES_MAX = 64 * 1024 * 1024;
/** Messages of a topic that are searched for the start of an archive's clock. */
export const CLOCK_MESSAGES_MAX = 100;
/** Bytes of one line of a text dump, which may hold a snapshot. The largest real one has 70 KiB. */
export const DUMP_LINE_BYTES_MAX = 16 * 1024 * 1024;
/** Lines at the head of a file that are read to detect the format of a dump. Keep-alives reveal nothing. */
export const DUMP_SNIFFED_LINES_MAX = 100;
/** Files of a folder that are examined to find the dump in it. */
export const DUMP_SNIFFED_FILES_MAX = 100;
/** Bytes of one line from an operator's own source: a frame and the line's other fields. */
export const INGEST_LINE_BYTES_MAX = FRAME_BYTES_MAX + 1_024;
/**
 * Silence after which the request of an operator's own source is closed. The source can continue with another request.
 */
export const INGEST_SILENCE_MS = 5 * 60_000;
/** Bytes of such a request that wait for the live thread. Beyond it, reading pauses until the thread has taken some. */
export const INGEST_WINDOW_BYTES = 64 * 1_024;

assert(TOPIC_BYTES_MAX < 2 ** 8, "a topic's length fits its byte");
assert(FRAME_BYTES_MAX < DUMP_LINE_BYTES_MAX, 'a line of a dump can hold any message');

// Source: downloads
/** Bytes of a session's index, number of its topics, bytes of one topic. The largest recorded topic has 3 MiB. */
export const DOWNLOAD_INDEX_BYTES_MAX = 4 * 1024 * 1024;
export const DOWNLOAD_TOPICS_MAX = 100;
export const DOWNLOAD_FILE_BYTES_MAX = 512 * 1024 * 1024;
/** Characters of an address that become the name of its download folder. */
export const DOWNLOAD_SLUG_CHARS_MAX = 80;
/**
 * Tries of one file in a row without progress, and the backoff between them: doubles from the first pause up to the
 * second.
 */
export const DOWNLOAD_TRIES_MAX = 6;
export const DOWNLOAD_RETRY_MS = 1_000;
export const DOWNLOAD_RETRY_MS_MAX = 30_000;
/** Tries of one file in total, for a server that cuts every connection after a few bytes. */
export const DOWNLOAD_TRIES_ALL_MAX = 100;
/** The longest Retry-After pause that a download accepts. It gives up when the archive asks for more. */
export const DOWNLOAD_RETRY_AFTER_MS_MAX = 300_000;
/** The longest wait for a connection, for the head of a response, and for each next piece of its body. */
export const DOWNLOAD_SILENCE_MS_MAX = 30_000;
/** Bytes of an error response that are still read, so that its connection can be reused. */
export const DOWNLOAD_DISCARD_BYTES_MAX = 64 * 1024;

assert(DOWNLOAD_TRIES_MAX < DOWNLOAD_TRIES_ALL_MAX, 'tries without progress end before all tries do');
assert(DOWNLOAD_RETRY_MS_MAX <= DOWNLOAD_RETRY_AFTER_MS_MAX, 'the archive may ask for a pause as long as our own');

// Source: live
/** Silence after which a connection is considered dead. Live timing sends something every 15 s. */
export const LIVE_SILENCE_MS = 45_000;
/** From dialling to the end of the handshake. */
export const LIVE_CONNECT_DEADLINE_MS = 20_000;
/** From requesting the snapshot to its last byte. */
export const LIVE_SUBSCRIBE_DEADLINE_MS = 20_000;
/**
 * Backoff before reconnecting: doubles from the first pause up to the second; the actual pause is a random part of it.
 */
export const LIVE_RETRY_MS = 1_000;
export const LIVE_RETRY_MS_MAX = 30_000;
/** The same after the server has closed a healthy connection, which it does every two hours. */
export const LIVE_RESUME_MS_MAX = 250;
/**
 * A connection counts as healthy this long after its snapshot: once it is lost, the backoff restarts from the short
 * pause.
 */
export const LIVE_HEALTHY_MS = 60_000;
/** The longest wait for the server to complete the close handshake. */
export const LIVE_CLOSE_MS = 1_000;
/** Bytes of one WebSocket text, which may hold the snapshot of every topic. The recorded one has 67 KiB. */
export const LIVE_TEXT_BYTES_MAX = 32 * 1024 * 1024;
/** Bytes of the response to a negotiation, which holds little more than two ids. */
export const LIVE_NEGOTIATION_BYTES_MAX = 64 * 1024;
/** Messages, and their characters, that wait for the snapshot that they change. */
export const LIVE_KEPT_MESSAGES_MAX = 10_000;
export const LIVE_KEPT_CHARS_MAX = 16 * 1024 * 1024;
/** Unusable messages of one connection that are logged one by one. The others are counted. */
export const LIVE_UNUSABLE_MESSAGES_MAX = 10;
/** Characters shown of a reason or of an unusable message. */
export const LIVE_SHOWN_CHARS_MAX = 300;
/** Characters of a secret that such a text may contain: as many as fit into a request's headers. */
export const LIVE_SECRET_CHARS_MAX = 16 * 1_024;

assert(LIVE_TEXT_BYTES_MAX > FRAME_BYTES_MAX, 'a WebSocket text can hold the largest frame');
assert(LIVE_HEALTHY_MS > LIVE_RETRY_MS_MAX, 'a connection that keeps failing does not count as healthy');
assert(LIVE_RESUME_MS_MAX < LIVE_RETRY_MS, "the server's regular close costs less than a failure");

// Recording
/** Frames, and bytes, of one session's recording. A three-hour race with car telemetry has about 60,000 frames. */
export const RECORDING_FRAMES_MAX = 2_000_000;
export const RECORDING_BYTES_MAX = 2 * 1024 * 1024 * 1024;
/** Bytes of a recording's head, which describes the session. */
export const RECORDING_HEAD_BYTES_MAX = 4_096;
/** Bytes of a recording read at once, and written at once. */
export const RECORDING_WINDOW_BYTES = 1024 * 1024;
export const RECORDING_BATCH_BYTES = 256 * 1024;
/** Bytes of a recording in one row, where the nodes of a cluster share recordings. */
export const RECORDING_PIECE_BYTES = 1024 * 1024;
/** Recordings that a node fetches at a time, each with a piece in memory. */
export const RECORDINGS_FETCHED_AT_ONCE_MAX = 2;
export const SESSION_ID_CHARS_MAX = 100;
/**
 * Longest time between the first message of a session and a later one. A larger difference means a wrong time: a text
 * dump is then refused; live, the message gets the time of the one before it. An archive cannot express such a time.
 */
export const SESSION_SPAN_MS_MAX = 7 * 24 * 3_600_000;
/**
 * A heartbeat that is off by so much more than another clock is one that an earlier session has left: a server has none of its
 * session for the first 15 s, and there are hours between sessions.
 */
export const HEARTBEAT_STALE_MS = 3_600_000;
/** Sessions followed at once. */
export const LIVE_SESSIONS_MAX = 16;
/** Silence after which a live session is considered over. */
export const LIVE_ABANDONED_MS = 6 * 3_600_000;
/** A live session of which nothing arrives for longer has a gap. Timing has a heartbeat every 15 s. */
export const LIVE_GAP_MS = 60_000;
/** Gaps that wait to be recorded while the database is away. */
export const LIVE_GAPS_WAITING_MAX = 10_000;
/** Unusable messages logged for each session. */
export const LIVE_PROBLEMS_LOGGED_MAX = 20;

assert(DOWNLOAD_FILE_BYTES_MAX <= RECORDING_BYTES_MAX, 'a downloaded topic can be recorded');
assert(SESSION_SPAN_MS_MAX < 2 ** 32, "an update's due time fits its column");
assert(HEARTBEAT_STALE_MS < SESSION_SPAN_MS_MAX, 'a heartbeat that dates a session is near its messages');
assert(LIVE_GAP_MS > LIVE_SILENCE_MS, 'a silent connection is made again before that is a gap');
assert(LIVE_ABANDONED_MS < SESSION_SPAN_MS_MAX, 'an abandoned session ends before its times become invalid');

// Session state and update
/** Characters of a race control message that is searched for drivers. The longest recorded one has 250. */
export const RACE_CONTROL_TEXT_CHARS_MAX = 1_000;
/** Incidents kept for one car, as causes of its retirement. */
export const INCIDENTS_OF_CAR_MAX = 16;
/** Earlier values kept for one field of one stint; more than a race has laps. */
export const TIRE_VALUES_KNOWN_MAX = 128;
/** Compounds of tires in one race; real ones have five at most. */
export const TIRE_COMPOUNDS_MAX = 8;
/** Latest laps of the race for which clean lap times are kept individually. */
export const LAP_GROUPS_KEPT_MAX = 12;
/**
 * Laps of a race that the models look ahead to: their work grows with the square of the laps left. The longest race of
 * recent seasons has 78.
 */
export const RACE_LAPS_MAX = 200;
/** Stops in the pit lane in one session. A real race has about 100 at most. */
export const LANE_STOPS_MAX = 1_024;

// Timeline
/** Bits in an update's driver mask. */
export const DRIVERS_MAX = 64;
export const TIMELINE_UPDATES_MAX = 4_000_000;
export const TIMELINE_BODY_BYTES_MAX = 2 * 1024 * 1024 * 1024;
/**
 * Updates and body bytes of a live timeline, whose memory is reserved up front. A three-hour race with telemetry has
 * 40,000 and 45 MiB.
 */
export const LIVE_UPDATES_MAX = 1_000_000;
export const LIVE_BODY_BYTES_MAX = 512 * 1024 * 1024;
/** Drivers touched by the updates of a live timeline, summed over all updates. */
export const LIVE_TOUCHED_MAX = 16 * LIVE_UPDATES_MAX;
/** Bytes of the roster of a live timeline. Each change of a driver adds an entry of about 1 KiB. */
export const LIVE_ROSTER_BYTES_MAX = 4 * 1024 * 1024;
/** Bytes of bodies in one entry of a live session's journal, unless a single body is larger. */
export const BLOCK_BYTES_MAX = 8 * 1024 * 1024;
/** Bytes of a journal read at once. */
export const JOURNAL_WINDOW_BYTES = 1024 * 1024;
/** Bytes of the published updates of one live session in its journal: bodies, columns, rosters, and 96 for each entry. */
export const JOURNAL_BYTES_MAX =
  LIVE_BODY_BYTES_MAX + (22 + 96) * LIVE_UPDATES_MAX + 2 * LIVE_TOUCHED_MAX + LIVE_ROSTER_BYTES_MAX;
/** Bytes of the playback artifacts that are open in shared memory. */
export const ARTIFACTS_OPEN_BYTES_MAX = 512 * 1_024 * 1_024;
/** How often what must go on, and for which a restart had no room, looks whether there is some. */
export const ROOM_LOOK_MS = 5_000;
/** Playback artifacts that stay open without a user, for the next one. */
export const ARTIFACTS_UNUSED_MAX = 8;
/** Artifacts and recordings whose last check is cached. */
export const ARTIFACT_CHECKS_CACHED_MAX = 10_000;
/** Bytes read at once of an artifact, and of a recording for its fingerprint. */
export const ARTIFACT_CHUNK_BYTES = 4 * 1024 * 1024;
export const FINGERPRINT_CHUNK_BYTES = 1024 * 1024;

/** Updates that are folded at most from one kept state of a session to the next: as many take some 50 ms. */
export const STATE_STEP_UPDATES_MAX = 4_096;
/** Updates that are folded at a time for one question. What is left waits until other questions had their turn. */
export const STATE_FOLD_UPDATES_MAX = 16 * STATE_STEP_UPDATES_MAX;
/** Bytes of the states that are kept. Those of one moment of a race take up to 400 KiB. */
export const STATES_KEPT_BYTES_MAX = 64 * 1_024 * 1_024;

/** Bytes of snapshots that a shard keeps. One that is needed again after that is asked for again. */
export const SNAPSHOTS_KEPT_BYTES_MAX = 32 * 1_024 * 1_024;
/** How long a shard waits for the snapshots at a position, or after a failure, before it asks again, and how often it asks. */
export const SNAPSHOTS_ANSWER_MS = 20_000;
export const SNAPSHOTS_RETRY_MS = 1_000;
export const SNAPSHOTS_ASKED_MAX = 3;
/** Positions for which snapshots are made at a time. */
export const SNAPSHOTS_MADE_AT_ONCE_MAX = 2;

assert(STATE_FOLD_UPDATES_MAX % STATE_STEP_UPDATES_MAX === 0, 'what is folded at a time ends at a kept state');
assert(LIVE_UPDATES_MAX <= TIMELINE_UPDATES_MAX, 'a replay can hold the updates of a live session');
assert(LIVE_BODY_BYTES_MAX <= TIMELINE_BODY_BYTES_MAX, 'a replay can hold the bodies of a live session');

// Filter
/** Values of one filter, and characters of a constructor among them. */
export const FILTER_VALUES_MAX = 64;
export const FILTER_CONSTRUCTOR_CHARS_MAX = 64;
/** Feeds that a refusal of a filter names. */
export const FILTER_FEEDS_NAMED_MAX = 6;

// Settings of endpoints
/** A customer's own headers of an endpoint: how many, characters of a name, of a value, and of all of them. */
export const HEADERS_MAX = 10;
export const HEADER_NAME_CHARS_MAX = 64;
export const HEADER_VALUE_CHARS_MAX = 2_048;
export const HEADERS_CHARS_MAX = 4_096;
export const DESCRIPTION_CHARS_MAX = 256;

// Mailbox
/** Timeline positions that wait in one actor's mailbox. Beyond them the timeline itself is the queue. */
export const MAILBOX_POSITIONS_MAX = 256;
/** Updates in the mailbox of an actor that keeps up. One with more is behind, and takes its turns after the others. */
export const PROMPT_UPDATES_MAX = 32;
/** Restarts of one actor before it counts as failed. */
export const ACTOR_RESTARTS_MAX = 5;

assert((MAILBOX_POSITIONS_MAX & (MAILBOX_POSITIONS_MAX - 1)) === 0, 'ring buffers are powers of two');

// Sign
/** Size of the shared buffer for building signatures. A larger message gets a buffer of its own. */
export const SIGN_SLAB_BYTES = 64 * 1024;

// Attempt
/** Deadline of an attempt, from name resolution to the last byte of the response. */
export const DEADLINE_MS = 10_000;
/** Attempts under way to one endpoint. */
export const IN_FLIGHT_MAX = 64;
/** Endpoints of a thread whose need of attempts under way is remembered for their next runs. */
export const LEARNED_CAPS_MAX = 16_384;
/** Slots for retries to one endpoint, separate from those for first attempts, so neither blocks the other. */
export const RETRIES_IN_FLIGHT_MAX = IN_FLIGHT_MAX / 4;
/** Connections to one endpoint: as many as it can have attempts under way. */
export const ENDPOINT_CONNECTIONS_MAX = IN_FLIGHT_MAX + RETRIES_IN_FLIGHT_MAX;
/** Attempts under way on one shard. */
export const SHARD_IN_FLIGHT_MAX = 4_096;
/** For each slot of a shard that is free, one account holds so many at most. Alone it leaves 256 free. */
export const SLOTS_PER_FREE_MAX = 15;
/** The same for an endpoint that has a slot already, so that every endpoint has its turn. An account alone leaves 1,024. */
export const FURTHER_SLOTS_PER_FREE_MAX = 3;
/** Timeout of the first query to a name server, and the number of queries. The second has twice the timeout. */
export const RESOLVE_TRY_MS = 1_000;
export const RESOLVE_TRIES_MAX = 2;
/** Once the addresses of one family are known, the wait for those of the other (RFC 8305). */
export const OTHER_FAMILY_MS = 50;
/** How long the addresses of a name are kept at most; name servers may say less. And of how many names, for each thread. */
export const NAME_KEPT_MS_MAX = 60_000;
/** How long those of one family are kept while the answer for the other is not known. */
export const NAME_HALF_KEPT_MS = 500;
export const NAMES_KEPT_MAX = 4_096;
/** The longest wait for the addresses of a host name when its URL is validated. */
export const RESOLVE_DEADLINE_MS = 5_000;
/** Addresses that a name may have; each is checked. Services on many machines return about a dozen at a time. */
export const ADDRESSES_MAX = 64;
/**
 * How long an endpoint whose name has more addresses is not resolved again: reading thousands takes 20 ms of its
 * thread.
 */
export const ADDRESSES_PAUSE_MS = 30_000;
/** How long one address of a name is tried before the next: more than two round trips around the world. */
export const ADDRESS_TRY_MS = 1_000;
/** Addresses whose egress verdict is remembered. */
export const ADDRESS_VERDICTS_MAX = 4_096;
/** Addresses tried of each family, IPv4 and IPv6. */
export const ADDRESSES_TRIED_MAX = 4;
/** Size of the shared buffer for building requests. A larger request gets a buffer of its own. */
export const REQUEST_SLAB_BYTES = 64 * 1_024;
/** Longest idle time after which a connection is closed. Servers may ask for less. */
export const KEEP_ALIVE_MS = 30_000;
/**
 * Idle time after which a connection is closed if the server does not say how long it keeps one: many servers close
 * after five seconds, and a request that meets the close is a failed attempt.
 */
export const KEEP_ALIVE_UNSTATED_MS = 4_000;
/** Idle connections of a thread that are closed after one poll, about half a millisecond of work. */
export const CLOSED_AT_ONCE_MAX = 32;
/** A connection that was idle for less takes a request without a check whether it was closed meanwhile. */
export const IDLE_UNCHECKED_MS = 100;
/** Idle connections that a thread keeps for the next runs of their endpoints: about 100 MB over TLS. */
export const PARKED_CONNECTIONS_MAX = 2_048;
/** A thread with this many connections opens none ahead of need. */
export const WARM_CONNECTIONS_MAX = 2_048;
/** The longest time to establish a connection. */
export const HANDSHAKE_DEADLINE_MS = 10_000;
/** TLS handshakes of a thread that hold a slot at a time, and the longest time that each holds it. */
export const HANDSHAKES_MAX = 32;
export const HANDSHAKE_SLOT_MS = 12;
/** The shortest time between two handshakes of a thread with endpoints whose last handshakes failed. */
export const SUSPECT_HANDSHAKE_MS = 10;
/** How long a thread has waited when it counts as quiet, and how long work that nobody waits for holds on for that. */
export const QUIET_LOOK_MS = 2;
export const QUIET_WAIT_MS_MAX = 200;
/** How long a request waits at least for a connection in use before a further TLS connection is opened for it. */
export const FURTHER_CONNECTION_MS = 50;
/** How long a request to a far endpoint would have to wait for those in use, by its distance, to get one at once. */
export const FAR_WAIT_MS = 10;
/** The shortest time over which the load of a thread is measured. */
export const THREAD_LOAD_MS = 10;
/** TLS sessions that a thread keeps, one for each origin, and the size of the largest. */
export const TLS_SESSIONS_MAX = 4_096;
export const TLS_SESSION_BYTES_MAX = 8_192;

assert(PROMPT_UPDATES_MAX < MAILBOX_POSITIONS_MAX, 'an actor can be behind');
assert(MAILBOX_POSITIONS_MAX >= IN_FLIGHT_MAX, 'a full mailbox can fill every slot');
assert(ENDPOINT_CONNECTIONS_MAX < SHARD_IN_FLIGHT_MAX / 2, 'no endpoint can fill a shard alone');
assert(FURTHER_SLOTS_PER_FREE_MAX < SLOTS_PER_FREE_MAX, 'some slots are reserved for endpoints that have none');
assert(2 * ADDRESSES_TRIED_MAX <= ADDRESSES_MAX, 'only checked addresses are tried');
assert(
  RESOLVE_TRY_MS * (2 ** RESOLVE_TRIES_MAX - 1) < RESOLVE_DEADLINE_MS,
  'name resolution ends before the validation of a URL does',
);

// Outcome
/** Bytes of a response body that the delivery log keeps. */
export const RESPONSE_KEPT_BYTES_MAX = 1_024;
/** Bytes of a response after which reading stops and the connection is closed, and bytes of its headers. */
export const RESPONSE_READ_BYTES_MAX = 64 * 1_024;
export const RESPONSE_HEADER_BYTES_MAX = 16 * 1_024;
/** Bytes of a chunk's size line, including extensions, which are ignored; and digits of the size. */
export const RESPONSE_CHUNK_LINE_BYTES_MAX = 256;
export const ANSWER_CHUNK_DIGITS_MAX = 8;

assert(RESPONSE_KEPT_BYTES_MAX <= RESPONSE_READ_BYTES_MAX, 'the log keeps only bytes that were read');
assert(ANSWER_CHUNK_DIGITS_MAX < RESPONSE_CHUNK_LINE_BYTES_MAX, "a chunk's size fits its line");
assert(16 ** ANSWER_CHUNK_DIGITS_MAX <= Number.MAX_SAFE_INTEGER, "a chunk's size is exact");

// Retry
/** Attempts of one delivery: the first and three retries. */
export const ATTEMPTS_MAX = 4;
/** Delay before attempts 1, 2, 3 and 4, counted from the end of the one before. */
export const RETRY_DELAYS_MS: readonly number[] = [0, 1_000, 5_000, 30_000];
/** Custom's promise: how long after its publication the first attempt of a live update begins at the latest. */
export const FIRST_ATTEMPT_MS_MAX = 1_000;
/** In how many steps an actor measures that time. */
export const FIRST_ATTEMPT_STEPS_MAX = 16;
/** A shard that is called so much later than it asked for has stood still. With attempts under way it asks that often. */
export const SHARD_STALL_MS = 250;
/** For how long after that it may be reading what came meanwhile. */
export const SHARD_STALL_READ_MS = 100;
/** Updates of one actor that wait for a retry. When the bound is reached, no first attempts start. */
export const RETRYING_MAX = 2_048;
/** Length of one tick of the timer wheel, and how many ticks it spans. */
export const TIMER_TICK_MS = 4;
export const TIMER_SLOTS = 16_384;

assert(RETRY_DELAYS_MS.length === ATTEMPTS_MAX, 'one delay for each attempt');
assert(RETRY_DELAYS_MS[0] === 0, 'the first attempt is immediate');
assert(NAME_HALF_KEPT_MS < RETRY_DELAYS_MS[1]!, 'the first retry may go to an address of the other family');
assert(2 * SHARD_STALL_MS < FIRST_ATTEMPT_MS_MAX, 'a shard notices when it stands still for too long');
assert(FIRST_ATTEMPT_MS_MAX <= RETRY_DELAYS_MS[1]!, 'a first attempt in time comes before a second one would');
assert(TIMER_TICK_MS * TIMER_SLOTS > Math.max(DEADLINE_MS, ...RETRY_DELAYS_MS), 'the wheel spans every delay');
assert((TIMER_SLOTS & (TIMER_SLOTS - 1)) === 0, 'the timer wheel is a power of two');

// Record
/** Attempts in one group commit. */
export const RECORD_BATCH_ATTEMPTS = 5_000;
/** Longest wait of an attempt for its group commit to start while the database is idle. */
export const RECORD_BATCH_MS = 200;
/**
 * How long a round takes in which late checkpoints, or the health of endpoints, become rows: a part with each commit, of
 * RECORD_PART_ROWS_MIN rows or more. A crash loses the health that was counted since.
 */
export const RECORD_ROUND_MS = 5_000;
export const RECORD_PART_ROWS_MIN = 100;
/** Failed attempts in a row from which on an endpoint is failing: as many as pause it in a replay. */
export const HEALTH_FAILURES_MAX = 20;
/** The last hour of an endpoint's health, in spans of this length; one more is under way. */
export const HEALTH_SPAN_S = 300;
export const HEALTH_SPANS_MAX = 13;
/** Live runs of an account, the latest, in which the missed updates of an endpoint are counted. */
export const HEALTH_LIVE_RUNS_MAX = 20;
/** How long an endpoint has been failing, or well again, when its owner is mailed. A restart of a receiver takes less. */
export const HEALTH_MAIL_AFTER_MS = 60_000;
/** How long after the last mail about an endpoint the next one may say that it is failing. */
export const HEALTH_MAIL_PAUSE_MS = 3_600_000;
/** Endpoints that such a mail names. It counts the others. */
export const HEALTH_MAIL_ENDPOINTS_MAX = 20;
/** Accounts that are mailed about their endpoints at once. */
export const HEALTH_MAILS_AT_ONCE_MAX = 16;
/** For how long a list of endpoints is cached, with their health. */
export const HEALTH_TTL_MS = 5_000;
/** Values of a commit that are made into text in one go, a few milliseconds of work. Then other work comes first. */
export const RECORD_VALUES_AT_ONCE_MAX = 10_000;
/** Attempts of a commit that are made into bytes in one go, about a millisecond of work. Then other work comes first. */
export const RECORD_ATTEMPTS_AT_ONCE_MAX = 2_000;
/** Checkpoints of a commit that are encoded in one go, about a millisecond of work. Then other work comes first. */
export const RECORD_CHECKPOINTS_ENCODED_MAX = 500;
/**
 * Unrecorded attempts of a shard in memory while the database is slow. When the bound is reached, no new attempts
 * start.
 */
export const RECORD_BUFFER_ATTEMPTS_MAX = 100_000;
/**
 * Backoff after a failed write to the database, such as a group commit: doubles from the first pause up to the second.
 */
export const RECORD_RETRY_MS = 100;
export const RECORD_RETRY_MS_MAX = 5_000;
/** How long a stopping shard waits for the database to take its last records, before it keeps them in a file. */
export const RECORD_LAST_COMMIT_MS = 2_000;
/** Bytes of such a file, and how many of them may wait for the database that knows them. */
export const UNRECORDED_FILE_BYTES_MAX = 128 * 1024 * 1024;
export const UNRECORDED_FILES_MAX = 256;
/** Numbers of the delivery log that belong to one commit. Written in schemas/database/0024-log-journal.sql, too. */
export const LOG_BLOCK_NUMBERS_MAX = 131_072;
/** Commits of a writer in the journal of the delivery log. While it is full, the writer's attempts wait. */
export const LOG_JOURNAL_ROWS_MAX = 2_000;
/** How often the journal is looked at; from when on, and from how many attempts on, it is folded. */
export const LOG_FOLD_LOOK_MS = 1_000;
export const LOG_FOLD_AFTER_MS = 10_000;
export const LOG_FOLD_ATTEMPTS = 150_000;
/**
 * Idle time after which the thread that folds ends, and its connection with it. It stays while there are deliveries: starting one
 * takes a core for 150 ms, in which they are late.
 */
export const LOG_FOLD_IDLE_MS = 60_000;
/** How old the journal is when folding is behind. */
export const LOG_FOLD_BEHIND_MS = 60_000;
/** Rows of the journal that are folded in one transaction, and their bytes: at least one row. */
export const LOG_FOLD_ROWS_MAX = 64;
export const LOG_FOLD_BYTES_MAX = 32 * 1024 * 1024;
/** Pages that one statement of a fold writes. */
export const LOG_FOLD_PAGES_AT_ONCE_MAX = 1_000;
/** Attempts in a page of the delivery log. Reading a page costs all of them. */
export const LOG_PAGE_ATTEMPTS_MAX = 512;
/** How far apart the numbers of a page may be: twice as far as those of one fold, unless commits failed in between. */
export const LOG_PAGE_NUMBERS_MAX = 2 * LOG_FOLD_ROWS_MAX * LOG_BLOCK_NUMBERS_MAX;
/** How long the delivery log shows an entry, by default and at most. */
export const LOG_RETENTION_DAYS = 90;
export const LOG_RETENTION_DAYS_MAX = 3_650;
/** How long after a rotation an attempt may still have been signed with the secret before. */
export const ROTATION_SETTLES_MS = 2_000;
/** Entries of the delivery log that one request with a filter looks at. Its cursor leads on from there. */
export const LOG_EXAMINED_MAX = 50_000;
/** Heads of pages that one read looks at, and pages and rows of the journal that it has in memory at once. */
export const LOG_HEADS_EXAMINED_MAX = 20_000;
export const LOG_PAGES_AT_ONCE_MAX = 4;
export const LOG_JOURNAL_ROWS_AT_ONCE_MAX = 8;
/** Rows of the journal that stay unpacked for the next read: a hundred of busy shards. */
export const LOG_JOURNAL_KEPT_BYTES_MAX = 16_777_216;
/** Attempts in memory while all of a run are read. */
export const LOG_ATTEMPTS_AT_ONCE_MAX = 4_096;
/** How long the log of a deleted endpoint stays visible. */
export const DELETED_LOG_DAYS = 90;
/** Days of the delivery log that one pass of housekeeping drops. There is a pass every hour. */
export const DAYS_DROPPED_MAX = 7;
/** How far one pass moves the house clock on, which decides what is old. */
export const HOUSE_CLOCK_STEP_MS = 7 * 86_400_000;
/** Day partitions that one pass of housekeeping makes for attempts in the default partition. */
export const STRAY_DAYS_MAX = 31;
/** How long making or dropping day partitions may block writers. */
export const PARTITION_LOCK_WAIT_MS = 2_000;

assert(RECORD_BATCH_ATTEMPTS < RECORD_BUFFER_ATTEMPTS_MAX, 'the buffer holds more than one batch');
assert(
  (RECORD_BUFFER_ATTEMPTS_MAX + SHARD_IN_FLIGHT_MAX) * (RESPONSE_KEPT_BYTES_MAX + 200) < UNRECORDED_FILE_BYTES_MAX,
  'a full buffer fits into the file, whatever endpoints answered',
);
assert(
  RECORD_BUFFER_ATTEMPTS_MAX + SHARD_IN_FLIGHT_MAX < LOG_BLOCK_NUMBERS_MAX,
  'every attempt of a commit has a number',
);
assert(LOG_FOLD_ROWS_MAX < LOG_JOURNAL_ROWS_MAX, 'one fold makes room in a full journal');
assert(LOG_FOLD_LOOK_MS < LOG_FOLD_AFTER_MS, 'the journal is looked at before it is due');
assert(
  LOG_FOLD_IDLE_MS > 2 * (LOG_FOLD_AFTER_MS + LOG_FOLD_LOOK_MS),
  'while there are deliveries, the thread that folds is there for the next fold',
);
assert(LOG_RETENTION_DAYS <= LOG_RETENTION_DAYS_MAX, 'the default retention is a valid choice');

// Record: what housekeeping removes
/** How long a finished run is shown at most; by default as long as the log shows an entry. */
export const RUN_RETENTION_DAYS_MAX = 3_650;
/** How long a replay may stay paused. Then it is stopped. */
export const RUN_PAUSED_MS_MAX = 24 * 3_600_000;
/** Ended runs of one account, and endpoints in them, that are kept whole. */
export const RUNS_KEPT_MAX = 10_000;
export const RUN_ENDPOINTS_KEPT_MAX = 1_000_000;
/** With this many ended runs an account cannot have more endpoints in them than are kept. */
export const CROWDED_RUNS_MIN = 100;
/** Accounts with more, and runs of one account beyond its bounds, that one pass looks at. */
export const CROWDED_ACCOUNTS_MAX = 1_000;
export const ACCOUNT_RUNS_EXAMINED_MAX = 100_000;
/** Rows, and runs, that one statement removes, about a tenth of a second; and batches that one pass makes of a table. */
export const PURGED_ROWS_MAX = 10_000;
export const RUNS_PURGED_AT_ONCE_MAX = 1_000;
export const PURGE_BATCHES_MAX = 10_000;
/** How long an account is kept whose address was never confirmed. */
export const UNVERIFIED_ACCOUNT_DAYS = 30;
/** How long tokens, sign-ins and links are kept after they have expired. */
export const EXPIRED_TOKEN_DAYS = 7;
/** How long it is known which events of the payment provider were processed. It repeats one for 30 days at most. */
export const PAYMENT_EVENT_DAYS = 90;
/** How long the counts of a month are kept, from its first day: three years and the month itself. */
export const USAGE_DAYS = 3 * 366 + 31;
/** How long a month's days, latencies and sent warnings are kept, from its first day. Only the current month's are read. */
export const MONTH_DETAIL_DAYS = 100;

assert(LOG_RETENTION_DAYS_MAX <= RUN_RETENTION_DAYS_MAX, 'runs can be kept as long as their deliveries');
assert(MONTH_DETAIL_DAYS > 2 * 31, 'the current month is kept, also with a clock that is days off');

// Usage
/**
 * Highest count of an allowance, above the limit of every plan. The count stays there, or it would overflow after
 * 2,147,483,647.
 */
export const ALLOWANCE_COUNTED_MAX = 2 ** 30;
/**
 * Months that an allowance tells apart, 1 KiB of memory. Two that are a multiple of this apart, 21 years, share a count:
 * a clock may be that wrong, but not to the month.
 */
export const ALLOWANCE_MONTHS_MAX = 256;
/**
 * Attempts of the demo session per account and month, beside the bucket of its plan: on each self-serve plan enough to
 * play all of it to every endpoint that the plan allows, twice.
 */
export const DEMO_DELIVERIES_FREE_MAX = 150_000;
export const DEMO_DELIVERIES_DEVELOPER_MAX = 1_000_000;
/** Matches of updates with filters that the start of a replay makes to say how many deliveries it will be. */
export const REPLAY_FORECAST_MATCHES_MAX = 1_000_000;
/** Pause before a usage warning that could not be mailed is tried again. */
export const BUCKET_WARNING_RETRY_MS = 60_000;
/** Usage warnings that wait to be mailed. The next check finds any others again. */
export const BUCKET_WARNINGS_WAITING_MAX = 10_000;
/** Usage warnings mailed at once. */
export const BUCKET_WARNINGS_AT_ONCE_MAX = 16;
/** Usage warnings that are cached as settled, so that the database is not asked again. */
export const BUCKET_WARNINGS_CACHED_MAX = 10_000;

assert(ALLOWANCE_COUNTED_MAX < 2 ** 31, 'a count fits into its cell');
assert(DEMO_DELIVERIES_FREE_MAX < DEMO_DELIVERIES_DEVELOPER_MAX, 'a higher plan has no less of the demo session');
assert(DEMO_DELIVERIES_DEVELOPER_MAX < ALLOWANCE_COUNTED_MAX, 'the bound of the demo session can be reached');
assert((ALLOWANCE_MONTHS_MAX & (ALLOWANCE_MONTHS_MAX - 1)) === 0, 'months wrap around at a power of two');
assert(USAGE_DAYS < ALLOWANCE_MONTHS_MAX * 28, 'the months of the database have places of their own');
assert(BUCKET_WARNINGS_AT_ONCE_MAX <= BUCKET_WARNINGS_WAITING_MAX, 'warnings wait in the queue before they are mailed');

// Overage: what is reported to the payment provider
/** Pause between two looks at what is to be reported. */
export const OVERAGE_PASS_MS = 5 * 60_000;
/** How long an account collects attempts into one block, while its month and plan go on. */
export const OVERAGE_BLOCK_MS = 3_600_000;
/** Blocks made by one statement. Others follow at the next look. */
export const OVERAGE_BLOCKS_MADE_MAX = 1_000;
/** Accounts' months read at once. */
export const OVERAGE_LEDGERS_MAX = 200;
/** Pause between two requests to the provider: ten a second, where it takes a thousand, and 25 in its test mode. */
export const OVERAGE_REQUEST_PAUSE_MS = 100;
/** Accounts in a row for which the provider did not answer before the look ends. */
export const OVERAGE_FAILURES_MAX = 3;
/** Backoff between looks while the provider does not answer: doubles from the first pause up to the second. */
export const OVERAGE_RETRY_MS = 60_000;
export const OVERAGE_RETRY_MS_MAX = 900_000;
/** Pause before a block that the provider refused is tried again: an operator has to correct something first. */
export const OVERAGE_REFUSED_MS = 3_600_000;
/** How long after its first request a block may be sent again. The provider knows an identifier for at least 24 hours. */
export const OVERAGE_RESEND_MS = 23 * 3_600_000;
/** After this time the provider's sum is taken to hold what it has received. It says only "eventually". */
export const OVERAGE_SETTLE_MS = 12 * 3_600_000;
/** How often an account's month is compared with the provider, and one that differs. */
export const OVERAGE_CHECK_MS = 24 * 3_600_000;
export const OVERAGE_DIFFERENCE_CHECK_MS = 3_600_000;
/** For how long after its end a month is reported and compared. The provider takes events of the past 35 days. */
export const OVERAGE_MONTH_OPEN_DAYS = 34;
/** A difference whose last comparison is older is over: its month is closed. */
export const OVERAGE_DIFFERENCE_SHOWN_MS = 2 * 24 * 3_600_000;
/** Characters of the provider's reason that are kept with a block. */
export const OVERAGE_REFUSAL_CHARS_MAX = 200;
/** Sums of one customer and month that are read. The provider answers one. */
export const OVERAGE_SUMS_MAX = 100;

assert(OVERAGE_RESEND_MS < 24 * 3_600_000, 'a block is sent again only while the provider knows its identifier');
assert(OVERAGE_MONTH_OPEN_DAYS < 35, 'the last moment of a month that is open can be reported');
assert(OVERAGE_MONTH_OPEN_DAYS + 2 * 31 < MONTH_DETAIL_DAYS, 'changes of plan are known while their month is open');
assert(OVERAGE_DIFFERENCE_SHOWN_MS > OVERAGE_CHECK_MS, 'a difference is shown until it is compared again');

// Threads
/** Backoff before a dead thread is restarted: doubles from the first pause up to the second. */
export const THREAD_RESTART_MS = 100;
export const THREAD_RESTART_MS_MAX = 5_000;
/** A thread counts as healthy this long after it was ready. Its next restart begins with the short pause again. */
export const THREAD_HEALTHY_MS = 10_000;

assert(THREAD_HEALTHY_MS > THREAD_RESTART_MS_MAX, 'a thread that keeps dying does not count as healthy');

// Stop
/**
 * How long a stop may take, whatever the state of the database: all steps of the service, one after the other. It is
 * the documented time. What a step has not done by its own limit is left to the next start.
 */
export const SERVICE_STOP_MS_MAX = 30_000;
/** The last writes about runs. A run whose end was not written resumes, and ends again. */
export const STOP_RUNS_MS = 1_000;
/** The thread for operators ends, and the live thread syncs its recordings. */
export const STOP_OPERATORS_MS = 1_500;
export const STOP_LIVE_MS = 2_500;
/** Meanwhile the clients of gRPC learn that their streams end. */
export const STOP_GRPC_MS = 1_500;
/** A shard ends its attempts in flight and records them, or keeps them in a file, which it may write for two seconds. */
export const DRAIN_DEADLINE_MS = DEADLINE_MS + RECORD_LAST_COMMIT_MS + 2_000;
/** Requests in progress end, and with them work that goes on behind a response, such as mails. */
export const CLOSE_DEADLINE_MS = 3_000;
export const STOP_FRONT_MS = 4_500;
/** How long a stop waits for a start under way: instead of the API, which is there once a start is over. */
export const STOP_START_MS = STOP_FRONT_MS;
/** The threads for tasks are terminated, in three steps. */
export const STOP_TASKS_MS = 500;
/** The node leaves its cluster. If the database does not answer, the others take over when its lease has run out. */
export const STOP_CLUSTER_MS = 500;
/** The lock of the database, and all connections of the main thread, are given up. */
export const STOP_CONNECTIONS_MS = 1_250;
/** How much longer a step with a limit of its own may take, such as for the termination of a thread. */
export const STOP_GRACE_MS = 500;
/** After that, the built-in database ends. */
export const SERVER_STOP_MS_MAX = 75_000;

assert(
  STOP_RUNS_MS +
    STOP_OPERATORS_MS +
    STOP_LIVE_MS +
    DRAIN_DEADLINE_MS +
    STOP_FRONT_MS +
    4 * STOP_GRACE_MS +
    3 * STOP_TASKS_MS +
    STOP_CLUSTER_MS +
    2 * STOP_CONNECTIONS_MS <=
    SERVICE_STOP_MS_MAX,
  'all steps of a stop fit into its time',
);
assert(STOP_GRPC_MS <= STOP_OPERATORS_MS, 'the gRPC thread ends beside that for operators');
assert(CLOSE_DEADLINE_MS < STOP_FRONT_MS, 'requests that do not end are cut before the front is given up');

// Shards
/** Delivery threads of the service. */
export const SHARDS_MAX = 64;
/** Longest uninterrupted work on the ready queue before the shard yields to the event loop. */
export const TURN_SLICE_MS = 2;
/** A slice ends when so many requests wait for a check of their connections. Writing these is some 2 ms of work, too. */
export const TURN_SLICE_CHECKS_MAX = 64;
/** Actors counted at once when a shard updates its gauges. */
export const CENSUS_SLICE_ACTORS = 512;
/** How often a shard whose process has no lease looks whether it has one again. */
export const LEASE_LOOK_MS = 20;
/** Longest sleep of an idle shard: platform timers cannot be set for ever. */
export const SHARD_SLEEP_MS_MAX = 60_000;

/** Longest sleep before a moment for which a stream waits: in a session at a tenth of its pace, the next one may be months away. */
export const ALARM_SLEEP_MS_MAX = 3_600_000;

assert(SHARD_SLEEP_MS_MAX < 2 ** 31 && ALARM_SLEEP_MS_MAX < 2 ** 31, 'a sleep fits into a platform timer');

// Replays and live deliveries
/** Runs in progress at once on this machine. */
export const RUNS_MAX = 1_000;
/** Endpoints that the start of a replay can choose. Their ids fit into the head of a request. */
export const REPLAY_ENDPOINTS_CHOSEN_MAX = 100;
/** Deliveries that one request can name to have them sent again. They fit into its body. */
export const RESEND_IDS_MAX = 1_000;
/** How long a request to stop a run waits for the end before it responds that the stop is under way. */
export const STOP_WAIT_MS = 1_000;
/** The same for the operator's command, which also asks again that often. */
export const OPERATOR_STOP_WAIT_MS = 30_000;
export const OPERATOR_STOP_POLL_MS = 250;
/** Runs in progress that a list for operators shows: replays, and live runs of each account and session. */
export const RUNS_LISTED_MAX = 10_000;
/** Endpoints on a page of runs, in all: about 1.5 MB, which take the thread for some 100 ms. */
export const RUN_ENDPOINTS_LISTED_MAX = 10_000;
/** Unsent bytes of one event stream. Beyond it the stream pauses and later catches up from the timeline. */
export const SSE_BUFFER_BYTES_MAX = 256 * 1_024;
/** Bytes of events that are collected before they are written. */
export const SSE_CHUNK_BYTES = 64 * 1_024;
/** A client that reads nothing for this long is considered gone. The HTTP library waits no longer either. */
export const SSE_STALL_MS = 10_000;
/** The same where the token of a stream was revoked: such a stream is over within a second. */
export const SSE_REVOKED_UNREAD_MS = 500;
/** After how long a client asks again for a stream whose run is just ending. */
export const SSE_RETRY_MS = 2_000;
/** Accounts whose live runs are started at once. */
export const LIVE_ACCOUNTS_AT_ONCE_MAX = 8;
/** How long deliveries may continue after the end of a session. Updates left after that are skipped. */
export const LIVE_DELIVERY_MS = 3_600_000;

// Streams of updates
/** Streams open at once on this machine: a place on a timeline each, and what the system buffers of a connection. */
export const STREAMS_MAX = 5_000;
/** Updates of one timeline that stay encoded, for the streams that send them next. */
export const STREAM_ENCODED_UPDATES_MAX = 64;
/** Turns' updates of one timeline that stay joined, for the streams that send the same ones next. */
export const STREAM_SHARES_MAX = 8;
/** Updates that a stream looks at in one turn, and bytes that it sends in one. Then others have theirs. */
export const STREAM_TURN_UPDATES_MAX = 4_096;
export const STREAM_TURN_BYTES = 64 * 1_024;
/**
 * Streams that have a turn before other work of the thread, and for how long they may take it up. Without the second one
 * 250 streams that catch up took it for 88 ms at a time (p99), and requests waited for up to three seconds; with it for 17 ms,
 * and requests waited for 25 ms, at the same throughput.
 */
export const STREAM_TURNS_MAX = 250;
export const STREAM_TURNS_MS = 5;
/** Rounds in a row of streams that something new has come for, while others catch up. */
export const STREAM_PROMPT_ROUNDS_MAX = 3;
/**
 * How much later than deliveries a stream sends what is due at the same moment. Begun together, on two cores, both kinds of streams
 * cost deliveries 0.4 ms at p50; so they cost nothing there.
 */
export const STREAM_GIVES_WAY_MS = 1;
/** Streams give way until nothing was delivered for so long. */
export const STREAM_QUIET_MS = 2_000;
/**
 * How much later for each further update that is due within the same millisecond, and at most, while attempts are under way; how
 * often it looks whether they are. An endpoint gets updates one after another: five to 25 endpoints take 4 ms on two cores.
 */
export const STREAM_WAITS_EACH_MS = 0.75;
export const STREAM_WAITS_MS_MAX = 2.25;
export const STREAM_LOOK_MS = 0.5;
/** After this long without an update, a sign of life keeps proxies from closing the stream. */
export const STREAM_PING_MS = 15_000;
/** How often streams are looked at that have nothing to send, or a client that does not read. */
export const STREAM_CHECK_MS = 5_000;
/** How late a stream may be. Then it ends and says so; its client may come back and continue. */
export const STREAM_BEHIND_MS = 3_600_000;
/** How often the tokens of open streams are looked at, beside every notice of a change. */
export const STREAM_TOKEN_CHECK_MS = 30_000;
/**
 * How long a stream waits for a session that its client has seen a part of and that the service does not know: it may
 * just have started, and the session's source may be away.
 */
export const STREAM_RESUME_MS = 600_000;
export const STREAM_RESUME_POLL_MS = 500;
/** Sessions that one stream follows at once, and characters of the id that names its place in them. */
export const STREAM_SESSIONS_MAX = 16;
export const STREAM_PLACE_CHARS_MAX = 2_000;

// gRPC
/** Connections to the gRPC listener, in all and for one address. A connection costs a few dozen KiB. */
export const GRPC_CONNECTIONS_MAX = 6_000;
export const GRPC_ADDRESS_CONNECTIONS_MAX = 1_000;
/** Calls that one connection may have open at once. Clients wait, or open another connection. */
export const GRPC_CALLS_MAX = 100;
/** A connection that brings no call for this long after its start, and one that has none open any more for the second. */
export const GRPC_FIRST_CALL_MS = 10_000;
export const GRPC_IDLE_MS = 300_000;
/** From the head of a call to its message. */
export const GRPC_REQUEST_MS = 5_000;
/** Bytes that a connection may send between two looks. A request has a few hundred; reading costs next to nothing. */
export const GRPC_INFLOW_BYTES = 256 * 1_024;
export const GRPC_CHECK_MS = 2_000;
/** Bytes of the metadata and of the message of a request. The HTTP/2 library refuses heads of more than 64 KiB unread. */
export const GRPC_METADATA_BYTES_MAX = 16 * 1_024;
export const GRPC_REQUEST_BYTES_MAX = 64 * 1_024;
/** Messages that one call may bring. Reflection takes several: a client of it sends a dozen. */
export const GRPC_MESSAGES_MAX = 64;
/** MiB that the HTTP/2 library keeps of one connection: its streams with a turn each that was not read, and heads. */
export const GRPC_SESSION_MIB_MAX = 32;
/** Pings tell a connection whose client has vanished, and keep proxies from closing it. */
export const GRPC_KEEPALIVE_MS = 30_000;
export const GRPC_KEEPALIVE_TIMEOUT_MS = 20_000;
/** How long calls have to end when the listener closes. */
export const GRPC_END_MS = 1_000;
/** How long the end of a call waits for its client to read what is before it: the last updates, or an answer of a few MiB. */
export const GRPC_UNREAD_MS = 30_000;
/** The same where the token was revoked: such a stream is over within a second. */
export const GRPC_REVOKED_UNREAD_MS = 500;
/** Feeds and patterns that one request can name: more than there are. */
export const GRPC_FEEDS_NAMED_MAX = 100;

assert(
  GRPC_CALLS_MAX * STREAM_TURN_BYTES < GRPC_SESSION_MIB_MAX * 1_024 * 1_024,
  'a connection whose streams all stall',
);
assert(GRPC_REQUEST_BYTES_MAX + GRPC_METADATA_BYTES_MAX < GRPC_INFLOW_BYTES, 'the largest request is no flood');
assert(GRPC_END_MS < STOP_GRPC_MS, 'a stopping service says so to clients that read');
assert(GRPC_REQUEST_MS < GRPC_FIRST_CALL_MS, 'a call that hangs is ended before its connection');

/** From the first attempt's start to the last one's end. */
const ALL_ATTEMPTS_MS = ATTEMPTS_MAX * DEADLINE_MS + RETRY_DELAYS_MS.reduce((sum, delayMs) => sum + delayMs);

assert(OPERATOR_STOP_WAIT_MS > DEADLINE_MS + RECORD_BATCH_MS, 'attempts under way can end while a command waits');
assert(RUNS_LISTED_MAX > RUNS_MAX, 'a list can show every replay');
assert(SSE_CHUNK_BYTES < SSE_BUFFER_BYTES_MAX, 'a stream buffers more than one chunk');
assert(LIVE_DELIVERY_MS > ALL_ATTEMPTS_MS, "a session's last update can have all its attempts");

// Storage
/**
 * Connections to the database, by owner: one shard, the HTTP front, the live thread, the operators' thread, one
 * command.
 */
export const SHARD_DATABASE_CONNECTIONS_MAX = 2;
export const FRONT_DATABASE_CONNECTIONS_MAX = 8;
export const LIVE_DATABASE_CONNECTIONS_MAX = 1;
/** In a cluster: for frames that are appended, for those that are read, and for a recording that is published. */
export const CLUSTER_LIVE_DATABASE_CONNECTIONS_MAX = 3;
export const OPERATORS_DATABASE_CONNECTIONS_MAX = 1;
export const COMMAND_DATABASE_CONNECTIONS_MAX = 2;
/**
 * Connections apart from the shards': the front, both other threads, folding the log, housekeeping, the lock, and two
 * commands at the same time.
 */
export const SERVICE_DATABASE_CONNECTIONS_MAX =
  FRONT_DATABASE_CONNECTIONS_MAX +
  LIVE_DATABASE_CONNECTIONS_MAX +
  OPERATORS_DATABASE_CONNECTIONS_MAX +
  1 +
  1 +
  1 +
  2 * COMMAND_DATABASE_CONNECTIONS_MAX;
/** Connections that the built-in database accepts. */
export const DATABASE_CONNECTIONS_MAX = 160;
/** Sockets to the database that a client may always open at once, and the pause before each further one. */
export const DATABASE_SOCKETS_AT_ONCE_MIN = 20;
export const DATABASE_SOCKET_PAUSE_MS = 250;
/** From dialling until the database accepts a connection. */
export const DATABASE_CONNECT_S = 10;
/** Servers that a DATABASE_URL may name. Each is asked at the same time. */
export const DATABASE_SERVERS_MAX = 8;
/** The same for one of several servers: another may have taken its place. */
export const DATABASE_SERVER_CONNECT_S = 3;
/** How long one of several servers may take to say whether it takes writes. */
export const DATABASE_ROLE_MS = 2_000;
/** How long the others may still name a newer primary once one has said that it takes writes. */
export const DATABASE_ROLE_GRACE_MS = 250;
/** The same while this process knows no timeline yet: a server that was replaced would not be noticed at once. */
export const DATABASE_ROLE_FIRST_GRACE_MS = 1_000;
/** How long the primary of several servers may be silent before the service asks the others, and how long they may be. */
export const DATABASE_PRIMARY_SILENCE_MS = 1_000;
/** How often a service asks all of several servers whether one of them has replaced its primary. */
export const DATABASE_PRIMARY_LOOK_MS = 5_000;
/** Connections of a service with several servers beside the others: the one that watches the primary, and a question. */
export const DATABASE_SERVERS_CONNECTIONS_MAX = 2;
/**
 * Lifetime of a connection. A connection keeps the settings of its start, such as read-only; a new one has the current
 * ones.
 */
export const DATABASE_CONNECTION_S_MAX = 300;
/** Backoff before reconnecting to the database: doubles from the first pause up to the second. */
export const DATABASE_RECONNECT_MS = 20;
export const DATABASE_RECONNECT_MS_MAX = 2_000;
/** The longest pause for the connection that holds the service's lock: the first service at a new primary gets the database. */
export const LOCK_RECONNECT_MS_MAX = 250;
/** Silence of the database while it owes a response, after which the connection is considered dead. */
export const DATABASE_SILENCE_MS_MAX = 30_000;
/** How long a closing client waits for its statements to end, and how long where their results do not matter. */
export const DATABASE_END_S = 5;
export const DATABASE_QUICK_END_S = 1;
/** How long the row of a writer that was fenced off stays, so that the writer cannot come back. */
export const WRITER_KEPT_MS = 24 * 3_600_000;
/** How long a starting service waits for one that is just ending to release the database. */
export const SERVICE_LOCK_WAIT_MS = 5_000;
/** Secrets that one statement reseals under a new key, and passes over all secrets before a rotation gives up. */
export const RESEAL_BATCH_ROWS = 500;
export const RESEAL_PASSES_MAX = 10;

// Cluster
/** Slots that are dealt out to the nodes; the database has a row for each. */
export const NODE_SLOTS_MAX = 256;
export const NODES_MAX = 32;
/** How long a lease lasts by the database's clock, how often it is renewed, and how much earlier its node stops. */
export const NODE_LEASE_MS = 2_500;
export const NODE_RENEW_MS = 500;
export const NODE_LEASE_MARGIN_MS = 250;
/** How long a starting node waits for the lease of the one that was at its address before. */
export const NODE_JOIN_MS_MAX = 4_000;
/** Silence of the database after which a renewal has failed. */
export const NODE_SILENCE_MS_MAX = 1_500;
/** The longest pause between a node's tries to renew its lease when the database is away: nobody delivers before. */
export const NODE_RECONNECT_MS_MAX = 250;
/** How long a migration beside nodes that run waits for a table: they wait behind it, also to renew their leases. */
export const MIGRATION_TABLE_MS_MAX = 300;
/** Connections from one node to another, each with one request; those for streams, STREAMS_MAX, come on top. */
export const PEER_CONNECTIONS_MAX = 512;
/** Of them, those for requests of one account, or of one network of unknown senders. Its further ones wait. */
export const PEER_SHARE_MAX = 48;
/** How long a node dials another. */
export const PEER_CONNECT_MS = 2_000;
/** How long a request waits for a home that is just being given to another node, and how often it looks. */
export const HOME_WAIT_MS_MAX = 8_000;
export const HOME_LOOK_MS = 50;
/**
 * How long the handover of slots may take before it is given up for now: attempts under way end first. How often it looks,
 * and slots that are handed over at once: their requests wait.
 */
export const HANDOVER_MS_MAX = 15_000;
export const HANDOVER_LOOK_MS = 20;
export const HANDOVER_SLOTS = 32;
/** How often a node looks for sessions that another node was asked to prepare. */
export const PREPARATIONS_LOOK_MS = 1_000;
/** How often a node looks for files of sessions that were deleted. */
export const DELETED_LOOK_MS = 30_000;
/**
 * Frames of a live session. An append takes no more of them once it has so many bytes; one frame may be longer. When so many
 * bytes wait for the log, their source must wait, too.
 */
export const FRAMES_AT_ONCE_BYTES = 256 * 1024;
export const FRAMES_WAITING_BYTES_MAX = 8 * 1024 * 1024;
/** Batches of frames that one statement reads. */
export const FRAME_BATCHES_READ_MAX = 8;
/** How often a node looks for frames of which it was not told. */
export const FRAMES_LOOK_MS = 1_000;
/** How long the frames are kept once the recording is published: a node that is behind may still need them. */
export const FRAMES_KEPT_MS = LIVE_DELIVERY_MS;
/** Bytes of one answer that is passed on whole: more than any page of a list, document or file of the console. */
export const PEER_ANSWER_BYTES_MAX = 32 * 1024 * 1024;

assert(
  NODE_SILENCE_MS_MAX + NODE_RENEW_MS < NODE_LEASE_MS,
  'a renewal that failed can be tried again before the lease ends',
);
assert(MIGRATION_TABLE_MS_MAX < NODE_RENEW_MS, 'a migration that waits for a table costs no node its lease');
assert(NODE_RECONNECT_MS_MAX < DATABASE_RECONNECT_MS_MAX, 'leases are renewed before others need the database again');
assert(FRAMES_WAITING_BYTES_MAX > FRAME_BYTES_MAX, 'the longest frame can wait for the log');
assert(NODE_JOIN_MS_MAX > NODE_LEASE_MS, 'a node that was killed can start again at once');
assert(NODE_LEASE_MARGIN_MS < NODE_RENEW_MS, 'a node that renews in time always has its lease');

// Backups
/** Bytes of a backup's manifest. */
export const BACKUP_MANIFEST_BYTES_MAX = 64 * 1024 * 1024;
/** Free bytes on the disk of DATA_DIR below which the service reports that it is not ready: recordings have no room. */
export const DISK_FREE_BYTES_MIN = 64 * 1024 * 1024;

assert(
  SHARDS_MAX * SHARD_DATABASE_CONNECTIONS_MAX + SERVICE_DATABASE_CONNECTIONS_MAX <= DATABASE_CONNECTIONS_MAX,
  'every shard can connect to the built-in database',
);
assert(
  DATABASE_ROLE_GRACE_MS < DATABASE_ROLE_FIRST_GRACE_MS && DATABASE_ROLE_FIRST_GRACE_MS < DATABASE_ROLE_MS,
  'the grace for a newer primary ends before the wait for all',
);
assert(DATABASE_SERVER_CONNECT_S <= DATABASE_CONNECT_S, 'one of several servers is given up sooner than the only one');
assert(DATABASE_QUICK_END_S < DATABASE_END_S, 'a client whose results do not matter closes sooner');
assert(1_000 * DATABASE_QUICK_END_S < STOP_CONNECTIONS_MS, 'the connections of a stopping service close by themselves');

// Storage: the built-in database
/**
 * From its start until it accepts connections. Recovery after a crash reads up to max_wal_size, perhaps from a slow
 * disk.
 */
export const SERVER_START_MS = 120_000;
/** Backoff between tries to restart it after it ended by itself: doubles from the first pause up to the second. */
export const SERVER_RESTART_MS = 100;
export const SERVER_RESTART_MS_MAX = 5_000;
/**
 * Tries, and the pause between them, while the shared memory of a killed server still exists. It goes with its last
 * process.
 */
export const SERVER_LEFTOVER_TRIES_MAX = 50;
export const SERVER_LEFTOVER_PAUSE_MS = 200;
/** The longest wait for a fast shutdown, which writes a database checkpoint, slowly on a slow disk. */
export const SERVER_FAST_STOP_MS = 60_000;
/**
 * The longest wait for an immediate shutdown, which only ends processes. The next start recovers from the write-ahead
 * log.
 */
export const SERVER_IMMEDIATE_STOP_MS = 10_000;
/** The longest wait for another process that is starting (with recovery) or stopping the server. */
export const SERVER_CLAIM_WAIT_MS = 180_000;
/** Bytes of the server's own log. When it is larger, it is moved to postgres.log.1 and started afresh. */
export const SERVER_LOG_BYTES_MAX = 8 * 1024 * 1024;
/** Last bytes of the server's output that are read to explain a failed start. */
export const SERVER_OUTPUT_BYTES_MAX = 8_192;
/**
 * Tries to replace the pid file of a dead process, the pause between them, and how long the right to remove that file
 * is valid.
 */
export const PID_FILE_TRIES_MAX = 20;
export const PID_FILE_PAUSE_MS = 10;
export const PID_FILE_RIGHT_MS = 10_000;

assert(SERVER_CLAIM_WAIT_MS > SERVER_START_MS, "another process's start ends first");
assert(
  SERVER_FAST_STOP_MS + SERVER_IMMEDIATE_STOP_MS < SERVER_STOP_MS_MAX,
  'the built-in database ends before it is left behind',
);
assert(SERVER_CLAIM_WAIT_MS > SERVER_FAST_STOP_MS + SERVER_IMMEDIATE_STOP_MS, "another process's stop ends first");

// Seasons
/**
 * A history: bytes of its zip (a real one has a few MiB), its files (a real one has 47), their bytes unpacked, and
 * redirects.
 */
export const HISTORY_ZIP_BYTES_MAX = 64 * 1024 * 1024;
export const HISTORY_ZIP_ENTRIES_MAX = 1_000;
export const HISTORY_BYTES_MAX = 256 * 1024 * 1024;
export const HISTORY_REDIRECTS_MAX = 5;
/** Simulations of one race, and of its qualifying, that a question may ask for. */
export const FORECAST_SIMULATIONS_MAX = 100_000;
/** Races simulated to forecast the titles: the rest of the season, many times over. */
export const FORECAST_SEASON_RACES_MAX = 24_000;

assert(SOURCE_FILE_BYTES_MAX <= HISTORY_BYTES_MAX, 'an unpacked history can hold its largest file');

// Outcomes, fantasy scores and previews
/** Outcomes of recordings that are cached; each takes about 20 KiB. */
export const OUTCOMES_CACHED_MAX = 128;
/** Recordings whose outcome is being read or waits to be read. A further one is refused. */
export const OUTCOMES_READ_MAX = 32;
/** Sessions, live or just ended, whose outcome is cached. */
export const LIVE_OUTCOMES_CACHED_MAX = 2 * LIVE_SESSIONS_MAX;
/** Weekends of the history that are cached; each takes about 100 KiB, including all names. */
export const WEEKENDS_CACHED_MAX = 64;
/** Characters of a race id; more than any Grand Prix needs. */
export const RACE_ID_CHARS_MAX = 64;
/** Upcoming sessions that are previewed at once. */
export const PREVIEWS_UPCOMING_MAX = 8;
/** TTL of the calendars cached for previews, and the number of seasons. */
export const CALENDAR_CACHE_MS = 1_000;
export const CALENDARS_CACHED_MAX = 16;
/** Forecasts that are cached; each takes about 40 KiB. */
export const FORECASTS_CACHED_MAX = 256;
/** Different forecasts that wait to be computed. A further one is refused. */
export const FORECASTS_WAITING_MAX = 32;

/** Questions for the states of a session that are being answered or wait for it. A further one is refused. */
export const STATES_WAITING_MAX = 32;
/** Bytes of the states in one answer. Those of a whole race have up to 200 KiB. */
export const STATES_ANSWER_BYTES_MAX = 4 * 1_024 * 1_024;

assert(
  FORECASTS_WAITING_MAX > 2 * PREVIEWS_UPCOMING_MAX,
  'a list of previews fits into the queue, with and without grids',
);

// HTTP front
/** Connections, and the share of the process's open files that they may use. A further connection is closed. */
export const CONNECTIONS_MAX = 10_000;
export const CONNECTIONS_FILES_SHARE_MAX = 0.5;
/** Of them, those of one address (an IPv6 /64), event streams not counted. */
export const ADDRESS_CONNECTIONS_MAX = 256;
/** How long a connection brings no request before it is counted as closed. The HTTP library closes it after 8 to 12 s. */
export const CONNECTION_QUIET_S_MAX = 16;
/** Requests let in during one turn of the event loop: with them it takes about half a millisecond. */
export const REQUESTS_LET_IN_MAX = 4;
/** An address (an IPv6 /64) of which so many wait is a crowd, which leaves half of the thread's time to others. */
export const CROWD_REQUESTS_MIN = 64;
/** The longest rest between two turns of crowds, and how long after its last request another address counts as one. */
export const CROWD_REST_MS_MAX = 5;
export const OTHERS_ACTIVE_MS = 1_000;
/** Requests of one address that wait to be let in. A further one is refused, and only as much of it is kept as that needs. */
export const ADDRESS_REQUESTS_WAITING_MAX = 1_024;
/** Requests in progress at once. Event streams do not count. */
export const REQUESTS_IN_PROGRESS_MAX = 4_096;
/** Of them, those of one account. */
export const ACCOUNT_REQUESTS_MAX = 256;
/** Of those, the ones under way for what few can have at a time, such as the thread for forecasts. The others wait. */
export const ACCOUNT_TURNS_MAX = 2;
/** Test deliveries of one account under way: each is work of a delivery thread, which others wait for. */
export const ACCOUNT_TESTS_MAX = 32;
/** Requests whose body is still arriving: in all, and from one address (an IPv6 /64). */
export const BODIES_ARRIVING_MAX = 4_096;
export const ADDRESS_BODIES_ARRIVING_MAX = 256;
/**
 * Questions to the database on behalf of senders that are not known yet: those of one address (an IPv6 /64) under way,
 * and waiting for their turn.
 */
export const ADDRESS_QUESTIONS_MAX = 2;
export const ADDRESS_QUESTIONS_WAITING_MAX = 256;
/**
 * Refusals of one address (an IPv6 /64): so many are sent at once, further ones at this pace, or faster if otherwise one
 * waited longer. And those of all addresses that wait: each holds its connection. A refusal beyond that is sent at once.
 */
export const ADDRESS_REFUSALS_AT_ONCE_MAX = 32;
export const REFUSAL_EVERY_MS = 10;
export const REFUSAL_WAIT_MS_MAX = 5_000;
export const REFUSALS_WAITING_MAX = CONNECTIONS_MAX;
/** From the first byte of a request to its response; longer than a test delivery with its name resolution. */
export const REQUEST_DEADLINE_MS = 20_000;
export const REQUEST_BODY_BYTES_MAX = 64 * 1_024;
/** Bytes of a too large body that are still read and discarded, so that the client sees the refusal. */
export const REQUEST_DISCARD_BYTES_MAX = 1_024 * 1_024;
/** Addresses in X-Forwarded-For that are examined. */
export const FORWARDED_HOPS_MAX = 32;
/** Violations that one error message names. It counts the others. */
export const VIOLATIONS_NAMED_MAX = 100;
/** Unknown query parameters that an error names. */
export const UNKNOWN_PARAMETERS_NAMED_MAX = 10;
/** How long the database may take to respond before the service reports that it is not ready. */
export const READY_WAIT_MS = 2_000;
/** TTL of a readiness result, so that frequent checks cost nothing. */
export const READY_CACHE_MS = 250;

assert(32 * ADDRESS_CONNECTIONS_MAX <= CONNECTIONS_MAX, 'a few addresses cannot take every connection');
assert(REFUSAL_WAIT_MS_MAX < REQUEST_DEADLINE_MS, 'a refusal that waits does not take longer than a request may');
assert(
  ACCOUNT_REQUESTS_MAX < ADDRESS_REQUESTS_WAITING_MAX,
  'an account may send as many requests at one moment as it may have in progress',
);
assert(16 * ACCOUNT_REQUESTS_MAX <= REQUESTS_IN_PROGRESS_MAX, 'a few accounts cannot take all requests');
assert(ACCOUNT_TESTS_MAX < ACCOUNT_REQUESTS_MAX, 'an account whose tests all wait can still send other requests');
assert(ACCOUNT_TESTS_MAX < PEER_SHARE_MAX, 'so can one that is at home on another node');
assert(10 * PEER_SHARE_MAX <= PEER_CONNECTIONS_MAX, 'a few accounts cannot take every connection to a node');
assert(8 * ACCOUNT_TURNS_MAX <= FORECASTS_WAITING_MAX, 'a few accounts cannot take all forecasts');
assert(8 * ACCOUNT_TURNS_MAX <= OUTCOMES_READ_MAX, 'a few accounts cannot take all outcomes');
assert(8 * ACCOUNT_TURNS_MAX <= STATES_WAITING_MAX, 'a few accounts cannot take the thread for states');
assert(4 * ADDRESS_QUESTIONS_MAX <= FRONT_DATABASE_CONNECTIONS_MAX, 'a few addresses cannot take every connection');
assert(16 * ADDRESS_QUESTIONS_WAITING_MAX <= REQUESTS_IN_PROGRESS_MAX, 'a few addresses cannot take all requests');
assert(16 * ADDRESS_BODIES_ARRIVING_MAX <= BODIES_ARRIVING_MAX, 'a few addresses cannot take all bodies');
assert(REQUEST_DISCARD_BYTES_MAX > REQUEST_BODY_BYTES_MAX, 'the sender of a slightly too large body sees the refusal');
assert(REQUEST_DEADLINE_MS > DEADLINE_MS + RESOLVE_DEADLINE_MS, 'a test delivery fits into its request');
assert(REQUEST_DEADLINE_MS > READY_WAIT_MS, 'the service can report that it is not ready');
assert(REQUEST_DEADLINE_MS > STOP_WAIT_MS, 'a request to stop can report that the stop is under way');

// Endpoints
export const WEBHOOK_URL_CHARS_MAX = 2_048;
export const FEEDS_PER_REQUEST_MAX = 128;
/** Endpoints of one account that are written in one go. */
export const CREATED_AT_ONCE_MAX = 16;
/** The longest rest between two goes of an account, two changes of its endpoints, or two parts of one, while more wait. */
export const CHANGE_REST_MS_MAX = 20;
/** Endpoints whose settings are read and sent to the shards in one go, when the plan of their account changes. */
export const ANNOUNCED_AT_ONCE_MAX = 128;
/** Pages of one account's list of endpoints that are cached. */
export const WEBHOOK_LIST_PAGES_MAX = 16;
/** Bytes of cached lists of endpoints. */
export const WEBHOOK_LISTS_CACHED_BYTES_MAX = 32 * 1_024 * 1_024;

// Accounts and tokens
export const EMAIL_CHARS_MAX = 254;
export const NAME_CHARS_MAX = 200;
export const PASSWORD_CHARS_MIN = 8;
export const PASSWORD_CHARS_MAX = 72;
/** Sign-ups and sign-ins that wait for their turn to hash a password. Beyond them the service responds that it is busy. */
export const HASHES_WAITING_MAX = 256;
/** How much of a thread's time hashes get while some wait. The rest of it is the caches' of deliveries and requests. */
export const HASH_TIME_SHARE_MAX = 1 / 8;
/** The longest rest between two hashes: seven times as long as a hash takes. */
export const HASH_REST_MS_MAX = 175;
/** Sign-ins of one account. A further one ends the oldest. */
export const SIGN_INS_MAX = 20;
/** Valid verification links of one account. A further one ends the oldest. */
export const VERIFICATIONS_MAX = 5;
/** Requests from one address within a time window: to sign up, to sign in, to get another verification link. */
export const SIGN_UP_RATE_MAX = { requests: 5, windowMs: 600_000 };
export const LOGIN_RATE_MAX = { requests: 10, windowMs: 300_000 };
export const RESEND_RATE_MAX = { requests: 3, windowMs: 600_000 };
/** How many times the rate of a /64 an IPv6 /48 may have at most. */
export const NETWORK_RATES_MAX = 4;
/** Failed sign-ins to one account: from one network, and from all networks together. */
export const LOGIN_NETWORK_FAILURES_MAX = { requests: 20, windowMs: 3_600_000 };
export const LOGIN_FAILURES_MAX = { requests: 100, windowMs: 3_600_000 };
/** Networks of an account that are remembered, and for how long after its last sign-in from there. */
export const KNOWN_NETWORKS_MAX = 16;
export const KNOWN_NETWORK_MS = 180 * 86_400_000;
/** How long a node of a cluster refuses a client that has reached a limit, without asking the database again. */
export const FULL_KEPT_MS = 1_000;
/** Emails that strangers can have sent to one address. */
export const MAILS_TO_ADDRESS_MAX = { requests: 6, windowMs: 3_600_000 };
/** Addresses, networks or accounts whose recent requests are counted, for each of these rates. */
export const ADDRESSES_COUNTED_MAX = 100_000;
/** Accounts whose requests within the hour are counted. */
export const ACCOUNTS_COUNTED_MAX = 100_000;
/** How often a home of a cluster saves them for the next one, and of how many accounts in one statement. */
export const QUOTA_SAVE_MS = 2_000;
export const QUOTAS_SAVED_MAX = 5_000;
export const TOKEN_CHARS_MAX = 256;
export const TOKENS_CACHED_MAX = 10_000;
/** Tries to issue a token while the client secret keeps changing. */
export const TOKEN_TRIES_MAX = 3;
/** Valid bearer tokens of one account. A further one ends the oldest, this many at once. */
export const TOKENS_PER_ACCOUNT_MAX = 1_000;
export const TOKENS_ENDED_AT_ONCE_MAX = 100;
/**
 * Token requests with wrong credentials from one address, and tokens of one account: as many as a client of the plan
 * with the most requests needs that gets a token for each.
 */
export const TOKEN_FAILURES_MAX = { requests: 600, windowMs: 600_000 };
export const TOKEN_RATE_MAX = { requests: 1_200, windowMs: 120_000 };
/** Tokens of the console for an account: a page asks for one when it is opened, and every fifteen minutes. */
export const CONSOLE_TOKEN_RATE_MAX = { requests: 240, windowMs: 600_000 };
/** Requests of an account's pages of the console in an hour: one that follows deliveries sends one every two seconds. */
export const CONSOLE_REQUESTS_HOUR_MAX = 7_200;
/** Visitors without an account who watch the demo race on the first page: in all, and from one address. */
export const DEMO_VISITORS_MAX = 100;
export const DEMO_VISITORS_ADDRESS_MAX = 4;
/** How long the first of them waits while the race is prepared. */
export const DEMO_PREPARATION_MS = 10_000;
/** Choices of feeds and filters that an account may try. A page tries one when its user has paused for a quarter of a second. */
export const MATCH_RATE_MAX = { requests: 300, windowMs: 600_000 };
/** What a choice of feeds and filters is tried on: longer sessions are tried on their beginning. */
export const MATCH_UPDATES_MAX = 1_000_000;
export const MATCH_SAMPLES_MAX = 3;
export const MATCH_SAMPLE_BYTES_MAX = 16 * 1024;
/** Pause before a changed plan is reported to the delivery engine again after a failure. */
export const ACCOUNT_RETRY_MS = 2_000;
/** TTL of a cached account, in case the database's notification of a change is lost. */
export const ACCOUNT_TTL_MAX_MS = 60_000;
/** Timeout of one request to the payment provider, and its retries. */
export const PAYMENT_TRY_MS = 8_000;
export const PAYMENT_RETRIES_MAX = 1;

assert(PASSWORD_CHARS_MIN <= PASSWORD_CHARS_MAX, 'some password length is valid');
assert(10 * TOKENS_ENDED_AT_ONCE_MAX <= TOKENS_PER_ACCOUNT_MAX, 'most of the tokens outlive the end of the oldest');
assert(
  REQUEST_DEADLINE_MS > PAYMENT_TRY_MS * (1 + PAYMENT_RETRIES_MAX),
  'a checkout can report that its first request failed',
);

// Mail
/** From connecting to the mail server to its last reply. */
export const MAIL_DEADLINE_MS = 12_000;
/** Mails that are being sent or wait to be sent. A further one fails. */
export const MAILS_WAITING_MAX = 256;
/** Connections to the mail server. */
export const MAIL_CONNECTIONS_MAX = 4;
/** Retries of a mail whose connection was closed. */
export const MAIL_RETRIES_MAX = 1;
/** Mails that the outbox folder keeps when there is no mail server. */
export const OUTBOX_FILES_MAX = 1_000;

assert(REQUEST_DEADLINE_MS > MAIL_DEADLINE_MS, 'a sign-up can report that its mail failed');
assert(MAIL_CONNECTIONS_MAX <= MAILS_WAITING_MAX, 'every connection to the mail server can have a mail to send');

// Operators
/** Connections to the listener for operators. */
export const ADMIN_CONNECTIONS_MAX = 256;
/** From an operator's connection, or the end of the request before, to the complete head of a request. */
export const ADMIN_HEAD_MS_MAX = 8_000;
/** Bytes of a refused body that are still read, and for how long, so that its sender sees the refusal. */
export const ADMIN_DISCARD_BYTES_MAX = 16 * 1024 * 1024;
export const ADMIN_DISCARD_MS_MAX = 5_000;
/** How long a request for the metrics waits for the database. */
export const METRICS_WAIT_MS = 1_000;
/** How often the operators' thread samples lag and latency for the operators' page, and the samples kept: an hour. */
export const HISTORY_SAMPLE_MS = 10_000;
export const HISTORY_SAMPLES_MAX = 360;
/** Warnings and errors of the log that the operators' page shows, and characters of one of their texts. */
export const WARNINGS_KEPT_MAX = 200;
export const WARNING_CHARS_MAX = 500;
/** Runs that the operators' page lists. */
export const RUNS_ON_PAGE_MAX = 100;
/** How long the operators' page reuses the findings of the doctor, which contacts other machines. */
export const FINDINGS_REUSED_MS = 30_000;
/**
 * Lines of one kind that a thread logs within a minute: warnings and errors, other lines; and kinds that are
 * distinguished.
 */
export const LOG_PROBLEMS_PER_MINUTE_MAX = 10;
export const LOG_LINES_PER_MINUTE_MAX = 6_000;
export const LOG_KINDS_MAX = 100;
/** Characters of a setting that is a URL, and characters of a bad value that an error message shows. */
export const SETTING_URL_CHARS_MAX = 2_048;
export const SETTING_SHOWN_CHARS_MAX = 80;
/** Idle time after which a thread for compiling, outcomes or states ends: all are rare, and memory is not free. */
export const TASK_THREAD_IDLE_MS = 10_000;
/** Sessions that a calendar import lists one by one as left out, or as cancelled. */
export const CALENDAR_LINES_SHOWN_MAX = 10;
/** How long one check of the doctor may take. */
export const DOCTOR_CHECK_MS = 15_000;
/** How long it reads the recordings that nodes share. */
export const DOCTOR_RECORDINGS_MS = 3_000;
/** How long the doctor waits for a connection to another server, for `postgres --version`, and for `timedatectl`. */
export const DOCTOR_CONNECT_MS = 5_000;
export const DOCTOR_VERSION_MS = 5_000;
export const DOCTOR_TIME_SERVICE_MS = 3_000;

assert(
  DOCTOR_CHECK_MS > Math.max(DOCTOR_RECORDINGS_MS, DOCTOR_CONNECT_MS, DOCTOR_VERSION_MS, DOCTOR_TIME_SERVICE_MS),
  'a check can report what it waited for',
);
assert(FINDINGS_REUSED_MS > DOCTOR_CHECK_MS, "the operators' page asks the doctor once at a time");

// Assistants
/** Characters of an answer to an assistant, which reads all of it: about 7,000 tokens. */
export const MCP_ANSWER_CHARS_MAX = 20_000;
/** Of what an answer leaves out, how many places it names. */
export const MCP_LEFT_OUT_MAX = 20;
/** Calls of tools under way. Assistants make a few at a time. */
export const MCP_CALLS_MAX = 16;
/** How long a tool call may take. By default clients give up after 60 s. */
export const MCP_CALL_MS = 55_000;
/** How long, at most, the tool that waits for a run waits, and how often it looks. */
export const MCP_WAIT_S_MAX = 45;
export const MCP_LOOK_MS = 1_000;
/** Items of a list in one answer: endpoints and sessions; runs; entries of the delivery log; live runs with their endpoints. */
export const MCP_ITEMS_MAX = 50;
export const MCP_RUNS_MAX = 50;
export const MCP_LOG_ENTRIES_MAX = 30;
export const MCP_LIVE_RUNS_MAX = 20;
/** Bytes of one message from an assistant. The largest arguments are 1,000 delivery ids. */
export const MCP_MESSAGE_BYTES_MAX = 1024 * 1024;

assert(MCP_CALL_MS > MCP_WAIT_S_MAX * 1_000, 'the tool that waits can answer in time');

// Bundle
/** Bytes of one file: what the eleven octal digits of a tar header can say. */
export const TAR_FILE_BYTES_MAX = 8 ** 11 - 1;

// Demo
/** Receivers, and seconds of a replay, that the command line accepts. */
export const DEMO_ENDPOINTS_MAX = 50;
export const DEMO_SECONDS_MAX = 86_400;
/** From starting the service's process until it is ready. */
export const DEMO_READY_MS = 60_000;
/** How long the service may take to drain before it is killed. */
export const DEMO_STOP_MS = SERVICE_STOP_MS_MAX;
/** Lines of the service's log that are shown when it ends unexpectedly. */
export const DEMO_LOG_LINES_MAX = 20;
export const DEMO_REQUEST_MS = 15_000;
/** Pages read of one endpoint's delivery log. */
export const DEMO_LOG_PAGES_MAX = 200;
/** Bytes that a receiver accepts in one request. */
export const DEMO_BODY_BYTES_MAX = 4 * 1024 * 1024;
/** Problems that one receiver reports. */
export const DEMO_PROBLEMS_MAX = 3;
/** If the session of a recording has not started by then, the demo's seconds count from then on. */
export const DEMO_LEAD_IN_MS_MAX = 90_000;
/** How long retries and the last group commit may take after the last update is due. */
export const DEMO_SETTLE_MS_MAX = 90_000;
/** How long a stream of a replay that is over may take to end. */
export const DEMO_STREAM_END_MS = 10_000;
export const DEMO_REMOVE_RETRIES_MAX = 5;
/** How long the receivers' certificate is valid: longer than any recorded session takes at a tenth of its speed. */
export const DEMO_CERTIFICATE_MS = 7 * 24 * 3_600_000;
/** The certificate stays valid if the clock is set back by this much. */
export const DEMO_CLOCK_STEP_MS_MAX = 60_000;

assert(DEMO_CERTIFICATE_MS > DEMO_SECONDS_MAX * 1_000, 'the certificate outlives the demo');
assert(DEMO_SETTLE_MS_MAX > ALL_ATTEMPTS_MS + RECORD_BATCH_MS, 'the last update can have all its attempts');
