// Feeds an operator's own source into a live session: messages over HTTP, one per line.
//
// N1 Message n of a session is frame n of its recording, so the recording shows what was accepted, even after a crash.
//    A line whose `sequence` is already in the recording is a repetition and changes nothing. A line without a sequence
//    is the next one.
// N2 Lines are accepted one by one, in order. The first invalid line ends the request, and the error says how far it
//    got.
// N3 Only one request at a time feeds a session, in a cluster one of all nodes.

import type { Clock } from '#engine/base/clock.ts';
import { INGEST_LINE_BYTES_MAX, LIVE_SESSIONS_MAX } from '#engine/base/limits.ts';
import { quoted } from '#engine/base/quoted-text.ts';
import { RecordingError } from '#engine/base/recording-error.ts';
import { type FrameLog, FramesRefused } from '#engine/intake/live/frame-log.ts';
import type { LiveSession } from '#engine/intake/live/live-session.ts';
import type { BeginRefusal, LiveSessions } from '#engine/intake/live/live-sessions.ts';
import type { SessionCatalogue } from '#engine/intake/recording/session-catalogue.ts';
import { parseSessionId, type SessionId } from '#engine/intake/recording/session-id.ts';
import { type IngestedMessage, readIngestLine } from '#engine/intake/source/ingest-line.ts';
import { SERIES_ID } from '#engine/racing/session-slug.ts';
import { AdminError } from './admin-error.ts';

export const INGEST_ORIGIN = 'ingest';
type Refusal = readonly [statusCode: number, code: string, message: string];
const NOT_BEGUN: Readonly<Record<BeginRefusal, Refusal>> = {
  ending: [409, 'session_over', 'This session is ending and can be replayed soon: choose another id.'],
  over: [409, 'session_over', 'This session is over and can be replayed: choose another id.'],
  damaged: [409, 'session_damaged', 'The recording of this session is damaged (see the log): choose another id.'],
  too_many: [503, 'too_many_sessions', `${LIVE_SESSIONS_MAX} sessions are live: end one first.`],
  busy: [409, 'session_busy', 'Another node of the cluster feeds this session: wait for its request to end.'],
  left: [
    503,
    'unavailable',
    'This node has made other updates of the session than the others (see the log) and follows it no more: send this to ' +
      'another node.',
  ],
  closing: [503, 'unavailable', 'The service is stopping.'],
};

const NEWLINE = 0x0a;

export interface IngestParts {
  readonly sessions: Pick<LiveSessions, 'get'>;
  /** Takes the frames. */
  readonly frames: FrameLog;
  readonly catalogue: Pick<SessionCatalogue, 'find'>;
  readonly clock: Clock;
  /** The series that this service offers, the default first. Default: Formula One alone. */
  readonly seriesIds?: readonly string[];
}

export interface Ingested {
  readonly sessionId: string;
  readonly accepted: number;
  /** Lines that the recording already had. */
  readonly repeated: number;
  /** The sequence of the session's latest message; 0 before the first. */
  readonly lastSequence: number;
}

/** A request that feeds a session, and its progress. */
interface Feeding {
  readonly id: SessionId;
  seriesId: string;
  accepted: number;
  repeated: number;
  lines: number;
}

export class Ingest {
  readonly #parts: IngestParts;
  readonly #feeding = new Set<SessionId>();

  constructor(parts: IngestParts) {
    this.#parts = parts;
  }

  /** The progress of a live session. Throws an AdminError as `#live` does. */
  async progress(sessionId: string): Promise<Ingested> {
    const session = await this.#live(parsedId(sessionId));
    return { sessionId, accepted: 0, repeated: 0, lastSequence: session.frames };
  }

  /**
   * Accepts the lines of a body as they arrive; `seriesId` is the one in the request. Throws an AdminError that says
   * how far it got.
   */
  async feed(sessionId: string, body: AsyncIterable<Uint8Array>, seriesId: string | null = null): Promise<Ingested> {
    const id = parsedId(sessionId);
    const feeding: Feeding = { id, seriesId: this.#seriesId(id, seriesId), accepted: 0, repeated: 0, lines: 0 };
    if (this.#feeding.has(id))
      throw new AdminError(409, 'session_busy', `Another request is feeding ${id}: wait for it to end.`);
    this.#feeding.add(id);
    try {
      await this.#reach(() => this.#parts.frames.look(id));
      feeding.seriesId = this.#seriesId(id, seriesId);
      return await this.#feed(feeding, body);
    } finally {
      this.#feeding.delete(id);
    }
  }

  async #feed(feeding: Feeding, body: AsyncIterable<Uint8Array>): Promise<Ingested> {
    const { frames } = this.#parts;
    const { id } = feeding;
    try {
      const claim = await this.#reach(() => frames.claim(id));
      if (claim === 'busy' || claim === 'left') throw new AdminError(...NOT_BEGUN[claim]);
      if (claim === 'unknown' && (await this.#isKnown(id))) throw new AdminError(...NOT_BEGUN.over);
      await eachLine(body, (text) => this.#take(feeding, text));
      await this.#settled(id);
      const { accepted, repeated } = feeding;
      return { sessionId: id, accepted, repeated, lastSequence: this.#lastSequence(id) };
    } catch (error) {
      // What came before it counts.
      await this.#settled(id).catch(() => {});
      if (error instanceof FramesRefused) throw new AdminError(...this.#refusal(NOT_BEGUN.busy, id));
      if (!(error instanceof AdminError)) throw error;
      const { statusCode, code, message } = error;
      throw new AdminError(...this.#refusal([statusCode, code, message], id));
    } finally {
      frames.release(id);
    }
  }

  /** Ends a session. Resolves when the session can be replayed. */
  async end(sessionId: string): Promise<Ingested> {
    const { frames } = this.#parts;
    const id = parsedId(sessionId);
    if (this.#feeding.has(id))
      throw new AdminError(409, 'session_busy', `A request is still feeding ${id}: end it first.`);
    const session = await this.#live(id);
    const end = await frames.end(session);
    if (end !== 'ended') throw new AdminError(...NOT_BEGUN[end]);
    return { sessionId, accepted: 0, repeated: 0, lastSequence: session.frames };
  }

  /** The session as it is now. Throws an AdminError if it is not live, or if this node cannot say. */
  async #live(id: SessionId): Promise<LiveSession> {
    const looked = await this.#reach(() => this.#parts.frames.look(id));
    if (looked === 'left') throw new AdminError(...NOT_BEGUN.left);
    const session = this.#session(id);
    if (session === null)
      throw new AdminError(404, 'not_found', `The session ${id} is not live: its first frame begins it.`);
    return session;
  }

  #session(id: SessionId): LiveSession | null {
    const session = this.#parts.sessions.get(id);
    if (session !== null && session.head.origin !== INGEST_ORIGIN) {
      throw new AdminError(409, 'session_taken', `${id} is fed by live timing: choose another id.`);
    }
    return session;
  }

  /** The series of the messages: the one in the request, else the session's, else the default. */
  #seriesId(id: SessionId, named: string | null): string {
    const { seriesIds = [SERIES_ID] } = this.#parts;
    if (named !== null && !seriesIds.includes(named)) {
      throw new AdminError(
        400,
        'invalid_series',
        `This service does not offer the series ${quoted(named)}, only ${seriesIds.join(', ')}.`,
      );
    }
    const known = this.#session(id)?.head.seriesId;
    if (named !== null && known !== undefined && known !== named) {
      throw new AdminError(
        409,
        'series_mismatch',
        `${id} is a session of the series ${known}, not ${named}: choose another id.`,
      );
    }
    return named ?? known ?? seriesIds[0]!;
  }

  /** Whether the catalogue has the session. Its recording may be on another machine. */
  async #isKnown(id: SessionId): Promise<boolean> {
    return (await this.#reach(() => this.#parts.catalogue.find(id))) !== null;
  }

  async #reach<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch {
      throw new AdminError(503, 'unavailable', 'The database cannot be reached: try again in a moment.');
    }
  }

  async #settled(id: SessionId): Promise<void> {
    const session = this.#parts.sessions.get(id);
    if (session !== null) await this.#parts.frames.settled(session);
  }

  #refusal([statusCode, code, message]: Refusal, id: SessionId): Refusal {
    return [statusCode, code, `${message} Accepted up to sequence ${this.#lastSequence(id)}.`];
  }

  #lastSequence(id: SessionId): number {
    return this.#parts.sessions.get(id)?.frames ?? 0;
  }

  /** Returns null if the next line may follow at once, or a promise to wait for. */
  #take(feeding: Feeding, text: string): Promise<unknown> | null {
    feeding.lines++;
    if (text.trim() === '') return null;
    const message = readIngestLine(text);
    if ('problem' in message) throw new AdminError(400, 'invalid_line', `Line ${feeding.lines}: ${message.problem}.`);
    // Looked up again for each line: the session may be ended for silence while a request sends only empty lines.
    const session = this.#session(feeding.id);
    const next = (session === null ? 0 : this.#parts.frames.offered(session)) + 1;
    const sequence = message.sequence ?? next;
    if (sequence < next) {
      feeding.repeated++;
      return null;
    }
    if (sequence > next) {
      throw new AdminError(
        409,
        'sequence_gap',
        `Line ${feeding.lines}: sequence ${sequence} does not follow ${next - 1}: send ${next} first.`,
      );
    }
    if (session !== null) return this.#offer(feeding, session, message);
    const begun = this.#begin(feeding, message);
    return begun instanceof Promise
      ? begun.then((session) => this.#offer(feeding, session, message))
      : this.#offer(feeding, begun, message);
  }

  #offer(feeding: Feeding, session: LiveSession, message: IngestedMessage): Promise<void> | null {
    const { frames, clock } = this.#parts;
    try {
      const room = frames.offer(session, message, clock.nowMs());
      feeding.accepted++;
      return room;
    } catch (error) {
      if (!(error instanceof RecordingError) || error.code !== 'too_large') throw error;
      throw new AdminError(413, 'session_full', `Line ${feeding.lines}: ${error.message}.`);
    }
  }

  #begin({ id: sessionId, seriesId }: Feeding, { utcMs }: IngestedMessage): LiveSession | Promise<LiveSession> {
    const begun = this.#parts.frames.begin({ sessionId, seriesId, origin: INGEST_ORIGIN }, utcMs);
    return begun instanceof Promise ? this.#reach(() => begun).then(sessionOf) : sessionOf(begun);
  }
}

function sessionOf(begun: LiveSession | BeginRefusal): LiveSession {
  if (typeof begun === 'string') throw new AdminError(...NOT_BEGUN[begun]);
  return begun;
}

function parsedId(text: string): SessionId {
  const id = parseSessionId(text);
  if (id === null) throw new AdminError(400, 'invalid_session', 'A session id is a slug such as 2026-club-race.');
  return id;
}

/** Splits a body into lines. Buffers at most one incomplete line. Waits for what `take` returns. */
async function eachLine(
  body: AsyncIterable<Uint8Array>,
  take: (text: string) => Promise<unknown> | null,
): Promise<void> {
  let rest = Buffer.alloc(0);
  for await (const chunk of body) {
    rest = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE, start)) {
      if (end - start > INGEST_LINE_BYTES_MAX) throw lineTooLong();
      const room = take(rest.toString('utf8', start, end));
      if (room !== null) await room;
      start = end + 1;
    }
    rest = rest.subarray(start);
    if (rest.length > INGEST_LINE_BYTES_MAX) throw lineTooLong();
  }
  if (rest.length > 0) await take(rest.toString('utf8'));
}

function lineTooLong(): AdminError {
  return new AdminError(413, 'line_too_long', `A line is longer than ${INGEST_LINE_BYTES_MAX} bytes.`);
}
