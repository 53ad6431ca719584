// The live thread's side of the port to the operators' thread: answers what operators ask, takes the bodies that they send,
// and tells which sessions go on.

import type { MessagePort } from 'node:worker_threads';
import type { Log } from '#engine/base/log.ts';
import { RecordingError } from '#engine/base/recording-error.ts';
import type { LiveSessions } from '#engine/intake/live/live-sessions.ts';
import { AdminError, unavailable } from './admin-error.ts';
import type { Ingest, Ingested } from './ingest.ts';
import type { LiveReply, LiveRequest, LiveSessionCells } from './live-requests.ts';
import { ReceivedBody } from './received-body.ts';

export interface LiveHostParts {
  readonly port: MessagePort;
  readonly ingest: Ingest;
  readonly sessions: Pick<LiveSessions, 'all'>;
  /** Whether live timing is connected. */
  readonly connected: () => boolean;
  readonly log: Log;
  /** What was taken cannot be recorded. */
  readonly failed: (error: Error) => void;
}

export class LiveHost {
  readonly #parts: LiveHostParts;
  /** By the number of the request that feeds. */
  readonly #bodies = new Map<number, ReceivedBody>();
  #told: { readonly sessions: readonly LiveSessionCells[]; readonly connected: boolean } | null = null;

  constructor(parts: LiveHostParts) {
    this.#parts = parts;
    parts.port.on('message', (request: LiveRequest) => this.#heard(request));
    parts.port.on('close', () => this.#cut());
    this.tell();
  }

  /** To be called when sessions begin and end, and now and then: tells what has changed. */
  tell(): void {
    const connected = this.#parts.connected();
    const sessions = Array.from(this.#parts.sessions.all(), ({ head, progress }) => ({
      sessionId: head.sessionId,
      progress: progress.memory,
    }));
    if (connected === this.#told?.connected && sameSessions(sessions, this.#told.sessions)) return;
    this.#told = { connected, sessions };
    this.#reply({ kind: 'sessions', sessions, connected });
  }

  /** Nothing further is taken. */
  close(): void {
    this.#cut();
    this.#parts.port.close();
  }

  #heard(message: LiveRequest): void {
    const { ingest } = this.#parts;
    const { request } = message;
    switch (message.kind) {
      case 'progress':
        void this.#answer(request, async () => ingest.progress(message.sessionId));
        return;
      case 'end':
        void this.#answer(request, () => ingest.end(message.sessionId));
        return;
      case 'feed': {
        const body = new ReceivedBody(() => this.#reply({ kind: 'taken', request }));
        this.#bodies.set(request, body);
        void this.#answer(request, () => ingest.feed(message.sessionId, body, message.seriesId));
        return;
      }
      case 'body.part':
        this.#bodies.get(request)?.put(message.bytes);
        return;
      case 'body.end':
        this.#bodies.get(request)?.end();
        return;
      case 'body.cut':
        this.#bodies.get(request)?.cut();
    }
  }

  async #answer(request: number, work: () => Promise<Ingested>): Promise<void> {
    try {
      this.#settle({ kind: 'done', request, ingested: await work() });
    } catch (error) {
      this.#refuse(request, error as Error);
    } finally {
      this.#bodies.delete(request);
    }
  }

  #refuse(request: number, error: Error): void {
    const { log, failed } = this.#parts;
    const known = error instanceof AdminError;
    // A sender that goes away in the middle is its own affair.
    if (this.#bodies.get(request)?.isCut !== true) {
      const { statusCode, code, message } = known ? error : unavailable();
      this.#settle({ kind: 'refused', request, statusCode, code, message });
      if (!known) log.error({ err: error }, 'a request of an operator failed');
    }
    if (error instanceof RecordingError) failed(error);
  }

  /** Whoever looks after the answer sees the sessions of now. */
  #settle(reply: LiveReply): void {
    this.tell();
    this.#reply(reply);
  }

  #cut(): void {
    for (const body of this.#bodies.values()) body.cut();
  }

  #reply(reply: LiveReply): void {
    this.#parts.port.postMessage(reply);
  }
}

function sameSessions(one: readonly LiveSessionCells[], other: readonly LiveSessionCells[]): boolean {
  return one.length === other.length && one.every(({ progress }, index) => progress === other[index]!.progress);
}
