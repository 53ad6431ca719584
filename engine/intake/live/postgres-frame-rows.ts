// The frames of a cluster's live sessions as rows: one for each session, and one for each batch of frames.
//
// A node claims a session before it appends. Each new claim has a higher number, and an append names the number. An append
// with an old number, or one that does not follow the frames in the log, changes nothing.

import type { RecordingHead } from '#engine/intake/recording/recording-format.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';

/** Its payloads: the number of a session and, if these have changed, how many frames it has. */
export const FRAMES_CHANNEL = 'live_frames';

export interface LiveSessionRow extends RecordingHead {
  readonly sessionNo: number;
  readonly startUtcMs: number;
  readonly beganAt: Date;
  readonly frames: number;
  /** No more frames come. */
  readonly over: boolean;
  /** Its recording is published. */
  readonly recorded: boolean;
}

/** What allows a node to append. */
export interface FramesClaim {
  readonly sessionNo: number;
  readonly claim: number;
}

export interface FramesRow {
  readonly firstFrame: number;
  readonly frames: number;
  readonly digest: Uint8Array;
  readonly data: Buffer;
}

export async function liveSessionRows(sql: Sql): Promise<LiveSessionRow[]> {
  return sql<LiveSessionRow[]>`
    select session_no as "sessionNo", session_id as "sessionId", series_id as "seriesId", origin,
      start_utc_ms as "startUtcMs", began_at as "beganAt", frames, over_at is not null as over,
      recorded_at is not null as recorded
    from live_session order by session_no`;
}

/** Adds a session that `nodeNo` feeds. Null if it is there already, can be replayed, or `sessionsMax` are live. */
export async function beginLiveSession(
  sql: Sql,
  { sessionId, seriesId, origin }: RecordingHead,
  startUtcMs: number,
  nodeNo: number,
  sessionsMax: number,
): Promise<FramesClaim | null> {
  const [row] = await sql<FramesClaim[]>`
    insert into live_session (session_id, series_id, origin, start_utc_ms, feeder_no)
    select ${sessionId}, ${seriesId}, ${origin}, ${startUtcMs}::float8, ${nodeNo}::int
    where not exists (select from session where session_id = ${sessionId})
      and (select count(*) from live_session where over_at is null) < ${sessionsMax}
    on conflict (session_id) do nothing
    returning session_no as "sessionNo", claim`;
  return row ?? null;
}

/** A node whose lease has run out feeds nothing any more. */
const free = (sql: Sql, nodeNo: number) => sql`
  (feeder_no is null or feeder_no = ${nodeNo}
    or not exists (select from cluster_node where node_no = feeder_no and lease_until > clock_timestamp()))`;

/** Null if another node feeds the session, or it is over or unknown. */
export async function claimLiveSession(sql: Sql, sessionId: string, nodeNo: number): Promise<FramesClaim | null> {
  const [row] = await sql<FramesClaim[]>`
    update live_session set feeder_no = ${nodeNo}, claim = claim + 1
    where session_id = ${sessionId} and over_at is null and ${free(sql, nodeNo)}
    returning session_no as "sessionNo", claim`;
  return row ?? null;
}

export async function releaseLiveSession(sql: Sql, { sessionNo, claim }: FramesClaim): Promise<void> {
  await sql`update live_session set feeder_no = null where session_no = ${sessionNo} and claim = ${claim}`;
}

/** Releases the node's claim of this session, unless it is the one that is used. */
export async function releaseUnusedClaim(
  sql: Sql,
  sessionId: string,
  nodeNo: number,
  used: number | null,
): Promise<void> {
  await sql`
    update live_session set feeder_no = null
    where session_id = ${sessionId} and feeder_no = ${nodeNo} and claim is distinct from ${used}::int`;
}

/** Releases all claims of the node. */
export async function releaseLiveSessions(sql: Sql, nodeNo: number): Promise<void> {
  await sql`update live_session set feeder_no = null where feeder_no = ${nodeNo}`;
}

/** Appends frames and tells all nodes. False, and nothing is appended, if the claim is lost or other frames are there. */
export async function appendFrames(
  sql: Sql,
  { sessionNo, claim }: FramesClaim,
  { firstFrame, frames, digest, data }: FramesRow,
): Promise<boolean> {
  const appended = await sql`
    with fenced as (
      update live_session set frames = frames + ${frames}, fed_at = clock_timestamp()
      where session_no = ${sessionNo} and claim = ${claim} and frames = ${firstFrame - 1} and over_at is null
      returning session_no, frames
    ), kept as (
      insert into live_frames (session_no, first_frame, frames, digest, data)
      select session_no, ${firstFrame}::int, ${frames}::int, ${digest}::bytea, ${data}::bytea from fenced
    )
    select pg_notify(${FRAMES_CHANNEL}, session_no || ' ' || frames) from fenced`;
  return appended.length > 0;
}

/**
 * A node has started. If none was there that has joined before it, nobody has followed the live sessions since their latest
 * frames: that was a gap (V5), of `msMax` at most. Returns the sessions.
 */
export async function countDowntime(sql: Sql, nodeNo: number, msMax: number): Promise<string[]> {
  const rows = await sql<{ sessionId: string }[]>`
    insert into live_gap (session_id, cause, began_at, ended_at)
    select session_id, 'service', fed_at, least(clock_timestamp(), fed_at + ${msMax} * interval '1 ms')
    from live_session where over_at is null
      and not exists (select from cluster_node where node_no < ${nodeNo} and lease_until > clock_timestamp())
    on conflict (session_id, cause, began_at) do update set ended_at = greatest(live_gap.ended_at, excluded.ended_at)
    returning session_id as "sessionId"`;
  return rows.map(({ sessionId }) => sessionId);
}

/** The node has made other updates than the feeder, and follows the session no more. */
export async function leaveLiveSession(sql: Sql, sessionNo: number, nodeNo: number): Promise<void> {
  await sql`
    update live_session set left_by = left_by || ${nodeNo}::int
    where session_no = ${sessionNo} and ${nodeNo} <> all (left_by)`;
}

export interface LeftSession {
  readonly sessionId: string;
  readonly nodeNo: number;
}

/** Sessions that are not recorded yet, with the present nodes that have left them. */
export async function leftLiveSessions(sql: Sql): Promise<LeftSession[]> {
  return sql<LeftSession[]>`
    select session_id as "sessionId", node_no as "nodeNo" from live_session join cluster_node on node_no = any (left_by)
    where recorded_at is null order by session_no, node_no`;
}

/** The batches with frames behind the first `have`, in order, a few at a time. */
export async function framesAfter(sql: Sql, sessionNo: number, have: number, batchesMax: number): Promise<FramesRow[]> {
  return sql<FramesRow[]>`
    select first_frame as "firstFrame", frames, digest, data from live_frames
    where session_no = ${sessionNo} and first_frame + frames > ${have + 1} and first_frame >= coalesce(
      (select max(first_frame) from live_frames where session_no = ${sessionNo} and first_frame <= ${have + 1}), 1)
    order by first_frame limit ${batchesMax}`;
}

/** No more frames come. False if another node feeds the session. */
export async function endLiveSession(sql: Sql, sessionNo: number, nodeNo: number): Promise<boolean> {
  const ended = await sql`
    with ended as (
      update live_session set over_at = coalesce(over_at, clock_timestamp()), feeder_no = null, claim = claim + 1
      where session_no = ${sessionNo} and (over_at is not null or ${free(sql, nodeNo)})
      returning session_no
    )
    select pg_notify(${FRAMES_CHANNEL}, session_no::text) from ended`;
  return ended.length > 0;
}

/** The session's recording is published. */
export async function liveSessionRecorded(sql: Sql, sessionNo: number): Promise<void> {
  await sql`
    with recorded as (
      update live_session set recorded_at = clock_timestamp()
      where session_no = ${sessionNo} and recorded_at is null returning session_no
    )
    select pg_notify(${FRAMES_CHANNEL}, session_no::text) from recorded`;
}

export async function removeLiveSession(sql: Sql, sessionNo: number): Promise<void> {
  await sql`delete from live_session where session_no = ${sessionNo}`;
}

/** Removes sessions, with their frames, whose recordings were published so long ago. */
export async function purgeLiveSessions(sql: Sql, keptMs: number): Promise<void> {
  await sql`delete from live_session where recorded_at < clock_timestamp() - ${keptMs} * interval '1 ms'`;
}
