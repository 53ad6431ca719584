// The live thread's end of the port to the operators' thread. It handles operators' requests, receives their bodies,
// and reports the live sessions.

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
  /** Called when an accepted frame cannot be recorded. */
  readonly failed: (error: Error) => void;
}

export class LiveHost {
  readonly #parts: LiveHostParts;
  /** Bodies by the number of their `feed` request. */
  readonly #bodies = new Map<number, ReceivedBody>();
  #reported: { readonly sessions: readonly LiveSessionCells[]; readonly connected: boolean } | null = null;

  constructor(parts: LiveHostParts) {
    this.#parts = parts;
    parts.port.on('message', (request: LiveRequest) => this.#handle(request));
    parts.port.on('close', () => this.#cut());
    this.report();
  }

  /** Reports the live sessions if they have changed. Call when a session starts or ends, and from time to time. */
  report(): void {
    const connected = this.#parts.connected();
    const sessions = Array.from(this.#parts.sessions.all(), ({ head, progress }) => ({
      sessionId: head.sessionId,
      progress: progress.memory,
    }));
    if (connected === this.#reported?.connected && sameSessions(sessions, this.#reported.sessions)) return;
    this.#reported = { connected, sessions };
    this.#reply({ kind: 'sessions', sessions, connected });
  }

  /** Closes the port and cuts all bodies. */
  close(): void {
    this.#cut();
    this.#parts.port.close();
  }

  #handle(message: LiveRequest): void {
    const { ingest } = this.#parts;
    const { request } = message;
    switch (message.kind) {
      case 'progress':
        void this.#replyTo(request, () => ingest.progress(message.sessionId));
        return;
      case 'end':
        void this.#replyTo(request, () => ingest.end(message.sessionId));
        return;
      case 'feed': {
        const body = new ReceivedBody(() => this.#reply({ kind: 'taken', request }));
        this.#bodies.set(request, body);
        void this.#replyTo(request, () => ingest.feed(message.sessionId, body, message.seriesId));
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

  async #replyTo(request: number, work: () => Promise<Ingested>): Promise<void> {
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
    // A client that disconnects early gets no reply and no log line.
    if (this.#bodies.get(request)?.isCut !== true) {
      const { statusCode, code, message } = known ? error : unavailable();
      this.#settle({ kind: 'refused', request, statusCode, code, message });
      if (!known) log.error({ err: error }, "an operator's request failed");
    }
    if (error instanceof RecordingError) failed(error);
  }

  /** Reports the sessions before it replies, so a client that has its reply also sees the current sessions. */
  #settle(reply: LiveReply): void {
    this.report();
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
