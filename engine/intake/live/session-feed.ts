// The frames that this node feeds into a live session of its cluster: they wait here until the log has them, and are then
// recorded and published here.
//
// SF1 Nothing of a frame is delivered before the log has it.
// SF2 One append is under way at a time. What is offered meanwhile goes into the next one.
// SF3 An append without an answer is tried again for as long as it takes. If the log then has other frames in that place, or
//     another node has claimed the session, everything that waits is refused.

import type { TimerClock } from '#engine/base/clock.ts';
import {
  FRAMES_AT_ONCE_BYTES,
  FRAMES_WAITING_BYTES_MAX,
  RECORDING_BYTES_MAX,
  RECORDING_FRAMES_MAX,
} from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import { untilDone } from '#engine/base/persistent-work.ts';
import { RecordingError } from '#engine/base/recording-error.ts';
import { encodeRecord } from '#engine/intake/recording/recording-format.ts';
import type { LiveMessage } from '#engine/intake/source/live-source.ts';
import type { Frame } from '#engine/racing/frame.ts';
import { FramesRefused } from './frame-log.ts';
import { frameTimeOf, type LiveSession } from './live-session.ts';
import type { FramesRow } from './postgres-frame-rows.ts';

export interface SessionFeedParts {
  readonly session: LiveSession;
  /** As `appendFrames`. */
  readonly append: (row: FramesRow) => Promise<boolean>;
  /** Whether the log has exactly these frames. */
  readonly has: (row: FramesRow) => Promise<boolean>;
  readonly clock: TimerClock;
  readonly closing: AbortSignal;
  readonly log: Log;
  /** A frame that the log has cannot be recorded here. */
  readonly failed: (error: Error) => void;
}

interface Waiting {
  readonly frame: Frame;
  readonly record: Buffer;
  readonly receivedMs: number;
}

export class SessionFeed {
  readonly #parts: SessionFeedParts;
  readonly #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #lastUtcMs: number;
  #offered: number;
  #appending: Promise<void> | null = null;
  #refused = false;

  constructor(parts: SessionFeedParts) {
    this.#parts = parts;
    this.#lastUtcMs = parts.session.lastUtcMs;
    this.#offered = parts.session.frames;
  }

  /** How many frames the session has, with those that wait. */
  get offered(): number {
    return this.#refused ? this.#parts.session.frames : this.#offered;
  }

  /** As `FrameLog.offer`. Whoever does not wait is refused in the end. */
  offer(message: LiveMessage, receivedMs: number): Promise<void> | null {
    const { session } = this.#parts;
    if (this.#refused || this.#waitingBytes >= 2 * FRAMES_WAITING_BYTES_MAX) throw refused();
    const { sessionId } = session.head;
    if (this.offered >= RECORDING_FRAMES_MAX || session.recordedBytes + this.#waitingBytes >= RECORDING_BYTES_MAX)
      throw new RecordingError('too_large', `${sessionId} has reached the limit of a recording`);
    const utcMs = frameTimeOf(message, this.#lastUtcMs, session.memory.startUtcMs);
    const frame = { utcMs, topic: message.topic, json: message.json };
    const record = encodeRecord(frame);
    this.#lastUtcMs = utcMs;
    this.#waiting.push({ frame, record, receivedMs });
    this.#waitingBytes += record.length;
    this.#offered++;
    this.#appending ??= this.#appendAll().finally(() => {
      this.#appending = null;
    });
    return this.#waitingBytes < FRAMES_WAITING_BYTES_MAX ? null : this.settled();
  }

  /** Resolves when nothing waits. Rejects with FramesRefused. */
  async settled(): Promise<void> {
    await this.#appending;
    if (this.#refused) throw refused();
  }

  async #appendAll(): Promise<void> {
    const { session, failed } = this.#parts;
    while (this.#waiting.length > 0) {
      const batch = this.#nextBatch();
      const row = {
        firstFrame: session.frames + 1,
        frames: batch.length,
        digest: session.digest(),
        data: Buffer.concat(batch.map(({ record }) => record)),
      };
      if (!(await this.#isAppended(row))) {
        this.#refused = true;
        this.#waiting.length = 0;
        this.#waitingBytes = 0;
        return;
      }
      try {
        for (const [index, { frame, receivedMs }] of batch.entries()) {
          // Unless it was read from the log already.
          if (row.firstFrame + index > session.frames) session.take(frame, receivedMs);
        }
      } catch (error) {
        failed(error as Error);
        return;
      }
      this.#waiting.splice(0, batch.length);
      this.#waitingBytes -= row.data.length;
    }
  }

  #nextBatch(): Waiting[] {
    let bytes = 0;
    let count = 0;
    while (count < this.#waiting.length && bytes < FRAMES_AT_ONCE_BYTES) bytes += this.#waiting[count++]!.record.length;
    return this.#waiting.slice(0, count);
  }

  /** SF3 */
  async #isAppended(row: FramesRow): Promise<boolean> {
    const { append, has, clock, closing, log, session } = this.#parts;
    const { sessionId } = session.head;
    let isRepetition = false;
    const work = async (): Promise<boolean> => (await append(row)) || (isRepetition && (await has(row)));
    return untilDone(work, {
      pause: (delayMs) => clock.sleep(delayMs, closing),
      isClosing: () => closing.aborted,
      failed: (error) => {
        isRepetition = true;
        log.warn({ sessionId, err: error }, 'the database did not take frames of a live session yet; trying again');
      },
    }).catch(() => false);
  }
}

function refused(): FramesRefused {
  return new FramesRefused('another node feeds the session now, or this one stops');
}
