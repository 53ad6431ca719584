// The open streams of the service, whatever their protocol: who may have one, what it shows, and when it must end. It opens
// the timelines and hands them to the front, which sends. Nothing here runs for an update.
//
// SM1 An account has at most as many streams open as its plan allows, and the service at most STREAMS_MAX.
// SM2 A stream whose token is no longer valid, or whose account is on another plan, ends: at once where this process was
//     told, also while the stream was being opened; otherwise at the next look. Once its token is invalid, what its client
//     does not read goes with the connection within a second.
// SM3 A recorded session takes a simulate slot before its first update is sent, like a replay that delivers, and none if
//     the stream is refused. The rest of a session that a stream has followed live takes none.
// SM4 A stream that continues in a session that nobody follows waits for it a while: the service may just have started,
//     or the session is over and its recording is still being prepared. Streams that wait for the same session ask the
//     database together.

import type { FeedCatalogue } from '#api/feeds/feed-catalogue.ts';
import { ApiError } from '#api/http/api-error.ts';
import type { IsOurs } from '#api/http/homes.ts';
import type { Authenticate, Caller } from '#api/http/operation.ts';
import { STREAM_ENDS, type StreamEndCode } from '#api/http/stream-end.ts';
import { PLAN_NAMES, type Plan, TERMS } from '#api/plans/plan.ts';
import type { PlayingRun, RunFollower } from '#api/simulate/playing-run.ts';
import { readyArtifact, withRoom } from '#api/simulate/ready-artifact.ts';
import { pacedFrom } from '#api/simulate/run-handover.ts';
import { obstacle, slotsNeeded } from '#api/simulate/run-obstacle.ts';
import type { RunStore } from '#api/simulate/run-store.ts';
import type { Runs } from '#api/simulate/runs.ts';
import type { SessionAccess } from '#api/simulate/session-access.ts';
import type { SessionRecord, SessionStore } from '#api/simulate/session-store.ts';
import type { TimelineKeys } from '#api/states/timeline-keys.ts';
import { checkCallers } from '#api/tokens/open-callers.ts';
import type { Allowances, Purse } from '#api/usage/allowances.ts';
import type { LiveDeliveries } from '#api/webhooks/live/live-deliveries.ts';
import type { TimerClock } from '#engine/base/clock.ts';
import { isId } from '#engine/base/ids.ts';
import { STREAM_RESUME_MS, STREAM_RESUME_POLL_MS, STREAM_TOKEN_CHECK_MS, STREAMS_MAX } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import type { FilteredFeeds } from '#engine/delivery/filter/compiled-filter.ts';
import type { LaneOrder, LanePace } from '#engine/delivery/stream/stream-lane.ts';
import type { SessionPlace } from '#engine/delivery/stream/update-stream.ts';
import type { UsageLedger } from '#engine/delivery/usage/usage-ledger.ts';
import { ArtifactsFull } from '#engine/intake/playback/open-artifacts.ts';
import { openPrepared } from '#engine/intake/playback/open-prepared.ts';
import type { OpenArtifact, PlaybackLibrary } from '#engine/intake/playback/playback-library.ts';
import { DERIVER_VERSION } from '#engine/racing/derive/deriver-version.ts';
import type { LiveMemory } from '#engine/timeline/live-memory.ts';
import { LiveTimeline } from '#engine/timeline/live-timeline.ts';
import type { GivenPlace } from './stream-place.ts';
import {
  type ChosenFeeds,
  chosenFeeds,
  refusal,
  type StreamRequest,
  type StreamStart,
  type StreamSubject,
  type StreamWords,
  startOf,
  subjectOf,
  wordsOf,
} from './stream-request.ts';
import type { StreamUsage } from './stream-usage.ts';

export interface StreamsParts {
  readonly catalogue: FeedCatalogue;
  readonly live: Pick<LiveDeliveries, 'published' | 'following'>;
  readonly library: PlaybackLibrary;
  readonly access: Pick<SessionAccess, 'findInSeason'>;
  readonly sessions: Pick<SessionStore, 'find' | 'takeSlot' | 'unlock'>;
  readonly runs: Pick<Runs, 'playing' | 'positionOf'>;
  readonly runStore: Pick<RunStore, 'find'>;
  readonly allowances: Allowances;
  readonly usage: StreamUsage;
  readonly keys: TimelineKeys;
  readonly authenticate: Authenticate;
  readonly clock: TimerClock;
  readonly log: Log;
}

/** Where a stream is sent, on this thread or another. */
export interface StreamFront {
  open(order: LaneOrder): void;
  pace(sessionId: string, pace: LanePace, position: number | null): void;
  /** Nothing more of the session is due. */
  stop(sessionId: string): void;
  /** Ends the stream from this side. */
  end(code: StreamEndCode): void;
}

export interface OpenedStream {
  /** The feeds that it carries. */
  readonly feedIds: readonly string[];
  readonly feeds: FilteredFeeds;
  /** Whether it goes on when its sessions are over. */
  readonly endless: boolean;
  /** Where its client stands in sessions that are opened later. */
  readonly awaited: readonly SessionPlace[];
  /** Opens its first sessions at the front. Call once. */
  begin(): void;
  /** Counts updates of the feed with this number that were sent at `wallMs`. */
  sent(feed: number, isDemo: boolean, updates: number, wallMs: number): void;
  /** The stream has ended, for whatever reason. Call once. */
  closed(): void;
}

interface Wish {
  readonly caller: Caller;
  readonly authorization: string;
  readonly request: StreamRequest;
}

interface Stream {
  readonly caller: Caller;
  readonly authorization: string;
  readonly front: StreamFront;
  readonly chosen: ChosenFeeds;
  readonly subject: StreamSubject;
  /** What its client has seen; null if it is new. */
  readonly seen: readonly GivenPlace[] | null;
  readonly ledger: UsageLedger;
  readonly cells: Readonly<Record<Purse, SharedArrayBuffer>>;
  /** The sessions that it has joined. */
  readonly joined: Set<string>;
  /** Opens its first sessions. */
  readonly begin: (stream: Stream) => void;
  /** Called when it has ended. */
  readonly releases: (() => void)[];
  isOpen: boolean;
}

/** What is to be streamed. */
interface Found {
  readonly isDemo: boolean;
  /** The session that takes a slot (SM3); null: none does. */
  readonly unlocks: SessionRecord | null;
  readonly begin: (stream: Stream) => void;
}

/** What an order needs beside the stream's own. */
type SessionOrder = Omit<LaneOrder, 'allowance'>;

const HELD: LanePace = { kind: 'held' };
const AT_ONCE: LanePace = { kind: 'at_once' };
const FOLLOWED_LIVE: LanePace = { kind: 'live' };
/** For how long after its end a session counts as followed live (SM3). */
const JUST_OVER_MS = 24 * 3_600_000;

export class Streams {
  readonly #parts: StreamsParts;
  readonly #streams = new Set<Stream>();
  /** Streams that are open or about to be, by account. */
  readonly #counts = new Map<string, number>();
  #count = 0;
  /** Looks at the database for sessions that streams wait for (SM4). */
  readonly #looks = new Map<string, Promise<SessionRecord | null>>();
  #closing = false;
  #stopChecks: (() => void) | null = null;

  constructor(parts: StreamsParts) {
    this.#parts = parts;
  }

  /** How many streams are open or about to be. */
  get size(): number {
    return this.#count;
  }

  /**
   * Opens a stream. Resolves with null if the client has seen everything. Rejects with an ApiError if the account may not
   * have it.
   */
  async open(wish: Wish, front: StreamFront): Promise<OpenedStream | null> {
    const { accountId, plan } = wish.caller;
    const subject = subjectOf(wish.request);
    const start = startOf(wish.request);
    if (start.kind === 'over') return null;
    this.#take(accountId, plan);
    const releases = [() => this.#give(accountId)];
    try {
      const words = wordsOf(wish.request);
      const { isDemo, unlocks, begin } = await this.#find(wish.caller, subject, start, words, releases);
      const chosen = chosenFeeds(wish.request, isDemo ? 'custom' : plan, this.#parts.catalogue);
      const held = await this.#hold(accountId, isDemo, releases);
      if (unlocks !== null) await this.#takeSlot(wish.caller, unlocks);
      const { caller, authorization } = wish;
      const seen = start.kind === 'resume' ? start.places : null;
      const told = { caller, authorization, front, chosen, subject, seen };
      const stream = { ...told, ...held, joined: new Set<string>(), begin, releases, isOpen: true };
      this.#streams.add(stream);
      this.#stopChecks ??= this.#parts.clock.every(STREAM_TOKEN_CHECK_MS, () => this.#checkTokens([...this.#streams]));
      return this.#opened(stream);
    } catch (error) {
      for (const release of releases) release();
      throw error;
    }
  }

  /** A session has become live: the streams that follow live sessions of its series get it. */
  sessionOpened(memory: LiveMemory): void {
    // What the last process had published of it was there before a stream that is new.
    for (const stream of this.#streams) this.#joinLive(stream, memory, memory.restored ?? 0);
  }

  /** SM2: a token of the account may have been revoked, or its plan has changed. */
  accountChanged(accountId: string): void {
    void this.#checkTokens([...this.#streams].filter(({ caller }) => caller.accountId === accountId));
  }

  /** SM2: any change may have been missed. */
  changesMissed(): void {
    void this.#checkTokens([...this.#streams]);
  }

  /** Ends the streams of these accounts: they go on at another node. */
  letGo(isTheirs: IsOurs): void {
    for (const stream of [...this.#streams]) if (isTheirs(stream.caller.accountId)) stream.front.end('stopping');
  }

  /** Ends all streams and opens no more. */
  close(): void {
    this.#closing = true;
    for (const stream of [...this.#streams]) stream.front.end('stopping');
  }

  /** SM1 */
  #take(accountId: string, plan: Plan): void {
    if (this.#closing) throw new ApiError('unavailable', 'The service is stopping.', { 'retry-after': '5' });
    if (this.#count >= STREAMS_MAX) {
      throw new ApiError('unavailable', 'Too many streams are open: try again later.', { 'retry-after': '60' });
    }
    const open = this.#counts.get(accountId) ?? 0;
    const { streams } = TERMS[plan];
    if (open >= streams) {
      const most = streams === 1 ? 'one stream' : `${streams} streams`;
      throw new ApiError(
        'stream_limit_reached',
        `The plan ${PLAN_NAMES[plan]} has room for ${most} at once: close one first.`,
      );
    }
    this.#counts.set(accountId, open + 1);
    this.#count++;
  }

  #give(accountId: string): void {
    const left = this.#counts.get(accountId)! - 1;
    if (left > 0) this.#counts.set(accountId, left);
    else this.#counts.delete(accountId);
    this.#count--;
  }

  async #hold(accountId: string, isDemo: boolean, releases: (() => void)[]) {
    const { allowances, usage } = this.#parts;
    const month = await allowances.hold(accountId);
    const ledger = usage.open(accountId);
    releases.push(() => usage.close(ledger));
    const demo = await allowances.hold(accountId, 'demo');
    releases.push(() => allowances.release(accountId));
    if (allowances.left(accountId, isDemo ? 'demo' : 'month') === 0)
      throw new ApiError('plan_limit_reached', STREAM_ENDS.monthly_limit);
    return { ledger, cells: { month, demo } };
  }

  /** Finds what is to be streamed. Rejects with an ApiError. */
  async #find(
    caller: Caller,
    subject: StreamSubject,
    start: StreamStart,
    words: StreamWords,
    releases: (() => void)[],
  ): Promise<Found> {
    if (subject.kind === 'live') return free((stream) => this.#beginLive(stream));
    if (subject.kind === 'run') return this.#findRun(caller, subject.runId, start, words, releases);
    const { sessionId, speed } = subject;
    const followed = this.#parts.live.published(sessionId);
    if (followed !== null) {
      if (speed !== null) throw refusal('speed is for recorded sessions, and this one is live');
      const { memory, ended } = followed;
      const { length } = new LiveTimeline(memory).timeline;
      const from = sequenceIn(sessionId, start, words) ?? (ended ? 0 : length);
      return free((stream) => this.#openLane(stream, this.#liveOrder(memory, from)));
    }
    const from = sequenceIn(sessionId, start, words) ?? 0;
    const seen = start.kind === 'resume' ? placeIn(sessionId, start.places) : null;
    // It may be a live session that the service is about to follow again (SM4).
    if (seen !== null && (await this.#look(sessionId)) === null)
      return free((stream) => void this.#await(stream, seen));
    const session = await this.#parts.access.findInSeason(sessionId, caller);
    const isDemo = session.demo;
    if (seen !== null) {
      const unlocks = this.#isJustOver(session) ? null : session;
      return { isDemo, unlocks, begin: (stream) => void this.#await(stream, seen) };
    }
    const opened = await readyArtifact(this.#parts.library, sessionId);
    releases.push(opened.release);
    if (from > opened.timeline.length)
      throw refusal(`${words.after} must be at most ${opened.timeline.length}: the session has no update ${from}`);
    const begin = (stream: Stream): void => this.#openLane(stream, this.#order(session, opened, from, speed));
    return { isDemo, unlocks: session, begin };
  }

  #opened(stream: Stream): OpenedStream {
    const { chosen, ledger, subject } = stream;
    return {
      feedIds: chosen.feedIds,
      feeds: chosen.feeds,
      endless: subject.kind === 'live',
      awaited: awaitedOf(stream),
      begin: () => this.#begin(stream),
      sent: (feed, isDemo, updates, wallMs) => this.#parts.usage.sent(ledger, feed, isDemo, updates, wallMs),
      closed: () => {
        if (!stream.isOpen) return;
        stream.isOpen = false;
        this.#streams.delete(stream);
        for (const release of stream.releases) release();
        if (this.#streams.size > 0) return;
        this.#stopChecks?.();
        this.#stopChecks = null;
      },
    };
  }

  #begin(stream: Stream): void {
    if (this.#closing) {
      stream.front.end('stopping');
      return;
    }
    stream.begin(stream);
    // SM2: a change that came while the stream was being opened did not reach it.
    void this.#checkTokens([stream]);
  }

  /** Follows the sessions that are live now, and those that the client has seen a part of. */
  #beginLive(stream: Stream): void {
    for (const memory of this.#parts.live.following())
      this.#joinLive(stream, memory, new LiveTimeline(memory).timeline.length);
    for (const place of stream.seen ?? []) void this.#await(stream, place);
  }

  /** `now`: where a stream begins that is new. A session that its client has not seen began after it had left. */
  #joinLive(stream: Stream, memory: LiveMemory, now: number): void {
    const { sessionId, seriesId } = memory.head;
    if (stream.subject.kind !== 'live' || stream.chosen.seriesId !== seriesId) return;
    const { seen, joined } = stream;
    const from = seen === null || joined.has(sessionId) ? now : (placeIn(sessionId, seen)?.sequence ?? 0);
    joined.add(sessionId);
    this.#openLane(stream, this.#liveOrder(memory, from));
  }

  #openLane(stream: Stream, order: SessionOrder): void {
    if (stream.isOpen) stream.front.open({ ...order, allowance: stream.cells[order.isDemo ? 'demo' : 'month'] });
  }

  /** A power cut can cost the last moments of a session: what takes their places is new to the client. */
  #liveOrder(memory: LiveMemory, from: number): SessionOrder {
    return {
      key: this.#parts.keys.of(memory),
      shared: memory,
      sessionId: memory.head.sessionId,
      from: Math.min(from, new LiveTimeline(memory).timeline.length),
      pace: FOLLOWED_LIVE,
      isDemo: false,
    };
  }

  #order({ sessionId, demo }: SessionRecord, opened: OpenArtifact, from: number, speed: number | null): SessionOrder {
    const { artifact, origin, timeline } = opened;
    const pace: LanePace =
      speed === null ? AT_ONCE : { kind: 'paced', fromMs: pacedFrom(from, timeline, speed, this.#parts.clock), speed };
    return { key: `${sessionId} ${origin}`, shared: artifact, sessionId, from, pace, isDemo: demo };
  }

  /** SM4 */
  async #await(stream: Stream, place: GivenPlace): Promise<void> {
    const { live, clock } = this.#parts;
    const { sessionId } = place;
    const untilMs = clock.nowMs() + STREAM_RESUME_MS;
    while (this.#awaits(stream, sessionId)) {
      const followed = live.published(sessionId);
      if (followed !== null) {
        stream.joined.add(sessionId);
        this.#openLane(stream, this.#liveOrder(followed.memory, place.sequence));
        return;
      }
      const found = await this.#openRecorded(stream, place).catch((error: Error) => this.#notOpened(sessionId, error));
      const isGone = found === 'gone' || (found === 'unknown' && clock.nowMs() >= untilMs);
      if (!this.#awaits(stream, sessionId)) return;
      if (isGone) {
        stream.front.end('updates_gone');
        return;
      }
      await clock.sleep(STREAM_RESUME_POLL_MS);
    }
  }

  /** Whether the stream still waits for this session. */
  #awaits({ isOpen, joined }: Stream, sessionId: string): boolean {
    return isOpen && !this.#closing && !joined.has(sessionId);
  }

  /** Opens the recording of a session that the client has seen a part of. */
  async #openRecorded(
    stream: Stream,
    { sessionId, sequence, deriverVersion }: GivenPlace,
  ): Promise<'opened' | 'gone' | 'unknown'> {
    const { library, access, clock } = this.#parts;
    const { caller, subject, joined, releases } = stream;
    const session = await this.#look(sessionId);
    if (session === null) return 'unknown';
    if (deriverVersion !== DERIVER_VERSION) return 'gone';
    if (subject.kind === 'live' && !this.#isJustOver(session)) {
      await access.findInSeason(sessionId, caller);
      await this.#takeSlot(caller, session);
    }
    const isOver = (): boolean => !this.#awaits(stream, sessionId);
    const opened = await openPrepared(library, sessionId, clock, isOver, caller.accountId);
    if (opened === null) return 'gone';
    if (isOver() || sequence > opened.timeline.length) {
      opened.release();
      return 'gone';
    }
    joined.add(sessionId);
    releases.push(opened.release);
    this.#openLane(stream, this.#order(session, opened, sequence, subject.kind === 'session' ? subject.speed : null));
    return 'opened';
  }

  /** What the account may not have is gone for it. Anything else passes: the database or the memory is asked again. */
  #notOpened(sessionId: string, error: Error): 'gone' | 'later' {
    if (error instanceof ApiError) return 'gone';
    if (!(error instanceof ArtifactsFull))
      this.#parts.log.warn({ sessionId, err: error }, 'a stream cannot be continued yet; it is tried again');
    return 'later';
  }

  #look(sessionId: string): Promise<SessionRecord | null> {
    const { sessions, clock } = this.#parts;
    let look = this.#looks.get(sessionId);
    if (look === undefined) {
      look = sessions.find(sessionId);
      this.#looks.set(sessionId, look);
      clock.schedule(STREAM_RESUME_POLL_MS, () => this.#looks.delete(sessionId));
    }
    return look;
  }

  /** SM3 */
  #isJustOver({ startAt, durationMs }: SessionRecord): boolean {
    return startAt.getTime() + durationMs >= this.#parts.clock.wallMs() - JUST_OVER_MS;
  }

  /** SM3 */
  async #takeSlot({ accountId, plan }: Caller, session: SessionRecord): Promise<void> {
    const { sessions, clock } = this.#parts;
    const slots = slotsNeeded(plan, session, 'webhook');
    const now = new Date(clock.wallMs());
    if (session.demo) return;
    if (slots === null) await sessions.unlock(accountId, session.sessionId, now);
    else if (!(await sessions.takeSlot(accountId, session.sessionId, slots, now))) throw obstacle('no_slot', slots);
  }

  async #findRun(
    caller: Caller,
    runId: string,
    start: StreamStart,
    words: StreamWords,
    releases: (() => void)[],
  ): Promise<Found> {
    const { runs, runStore, access, library } = this.#parts;
    const record = isId('run', runId) ? await runStore.find(caller.accountId, runId) : null;
    if (record === null || record.kind !== 'replay')
      throw new ApiError('not_found', 'There is no such run: GET /v1/simulate/runs lists the replays.');
    const run = runs.playing(runId);
    if (run === undefined && record.endedAt === null)
      throw new ApiError('unavailable', 'The run is being resumed: try again shortly.', { 'retry-after': '5' });
    const session = await access.findInSeason(record.sessionId, caller);
    const { timelineOrigin } = record;
    const seen = sequenceIn(session.sessionId, start, words);
    const opened =
      timelineOrigin === null ? null : await withRoom(library.openOrigin(record.sessionId, timelineOrigin));
    if (opened === null) throw new ApiError('updates_gone');
    releases.push(opened.release);
    const begin = (stream: Stream): void => {
      const from = Math.min(seen ?? (run === undefined ? 0 : runs.positionOf(record)), opened.timeline.length);
      const order = { ...this.#order(session, opened, from, null), pace: run === undefined ? AT_ONCE : paceOf(run) };
      const state = run?.phase.kind === 'ended' ? run.phase.state : record.state;
      this.#openLane(stream, state === 'stopped' ? { ...order, until: runs.positionOf(record) } : order);
      if (run !== undefined) releases.push(follow(run, stream.front));
    };
    return { isDemo: session.demo, unlocks: session, begin };
  }

  /** SM2 */
  #checkTokens(streams: readonly Stream[]): Promise<void> {
    return checkCallers(streams, this.#parts.authenticate, ({ front, isOpen }, code) => {
      if (isOpen) front.end(code);
    });
  }
}

/** What takes no slot. */
function free(begin: Found['begin']): Found {
  return { isDemo: false, unlocks: null, begin };
}

/** Where the client of a stream stands in sessions that may be opened later. */
function awaitedOf({ subject, seen }: Stream): readonly SessionPlace[] {
  if (seen === null || subject.kind === 'run') return [];
  return subject.kind === 'live' ? seen : seen.filter(({ sessionId }) => sessionId === subject.sessionId);
}

function placeIn(sessionId: string, places: readonly GivenPlace[]): GivenPlace | null {
  return places.find((place) => place.sessionId === sessionId) ?? null;
}

/** The sequence after which to begin in this session; null if the client has named none. */
function sequenceIn(sessionId: string, start: StreamStart, { place: name }: StreamWords): number | null {
  if (start.kind === 'after') return start.sequence;
  if (start.kind !== 'resume') return null;
  const place = placeIn(sessionId, start.places);
  if (place === null) throw refusal(`${name} is of another session: leave it out to begin anew`);
  return place.sequence;
}

function paceOf({ paused, phase, pacedFromMs, head }: PlayingRun): LanePace {
  if (phase.kind === 'ended') return AT_ONCE;
  if (paused || phase.kind === 'stopping') return HELD;
  return { kind: 'paced', fromMs: pacedFromMs, speed: head.speed };
}

/** Keeps a stream in step with a run. Returns a function that ends this. */
function follow(run: PlayingRun, front: StreamFront): () => void {
  const { sessionId } = run.head.session;
  const follower: RunFollower = {
    held: () => front.pace(sessionId, HELD, null),
    proceeds: (position) => front.pace(sessionId, paceOf(run), position),
    ended: (state) => (state === 'completed' ? front.pace(sessionId, AT_ONCE, null) : front.stop(sessionId)),
  };
  run.followers.add(follower);
  return () => run.followers.delete(follower);
}
