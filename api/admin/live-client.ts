// The operators' end of the port to the live thread. It forwards requests, and reads the progress of live sessions from
// shared memory, so a hung or dead live thread does not block readers.
//
// Q1 A request fails with `unavailable` if there is no live thread, or if the thread dies before it replies.
// Q2 At most one part of a body is under way, and about one window of bytes is waiting.

import type { Readable } from 'node:stream';
import type { MessagePort } from 'node:worker_threads';
import { SessionProgress } from '#engine/intake/live/session-progress.ts';
import { AdminError, unavailable } from './admin-error.ts';
import { BodySender } from './body-sender.ts';
import type { Ingested } from './ingest.ts';
import type { LiveReply, LiveRequest } from './live-requests.ts';

interface PendingRequest {
  readonly resolve: (ingested: Ingested) => void;
  readonly reject: (error: Error) => void;
  /** Only for a request that feeds a session. */
  sender: BodySender | null;
}

type State = { readonly kind: 'detached' } | Attached;

interface Attached {
  readonly kind: 'attached';
  readonly port: MessagePort;
  /** By request number. */
  readonly pending: Map<number, PendingRequest>;
}

export class LiveClient {
  #state: State = { kind: 'detached' };
  #requests = 0;
  #sessions: ReadonlyMap<string, SessionProgress> = new Map();
  #connected = false;

  /** The live sessions by id. Without a live thread, those of the last one. */
  get sessions(): ReadonlyMap<string, SessionProgress> {
    return this.#sessions;
  }

  /** Whether live timing is connected. */
  get connected(): boolean {
    return this.#connected;
  }

  /** Sends requests to the live thread at the other end of this port from now on. */
  attach(port: MessagePort): void {
    this.#detach();
    const attached: Attached = { kind: 'attached', port, pending: new Map() };
    this.#state = attached;
    port.on('message', (reply: LiveReply) => {
      if (this.#state === attached) this.#handle(attached, reply);
    });
    port.on('close', () => {
      if (this.#state === attached) this.#detach();
    });
  }

  progress(sessionId: string): Promise<Ingested> {
    return this.#request(({ port }, request) => {
      port.postMessage({ kind: 'progress', request, sessionId } satisfies LiveRequest);
    });
  }

  end(sessionId: string): Promise<Ingested> {
    return this.#request(({ port }, request) => {
      port.postMessage({ kind: 'end', request, sessionId } satisfies LiveRequest);
    });
  }

  /** If the request is refused, the rest of the body is left unread. */
  feed(sessionId: string, body: Readable, seriesId: string | null): Promise<Ingested> {
    return this.#request(({ port, pending }, request) => {
      const send = (message: LiveRequest): void => port.postMessage(message);
      send({ kind: 'feed', request, sessionId, seriesId });
      pending.get(request)!.sender = new BodySender(body, {
        part(bytes) {
          port.postMessage({ kind: 'body.part', request, bytes } satisfies LiveRequest, [bytes.buffer]);
        },
        end: () => send({ kind: 'body.end', request }),
        cut: () => {
          send({ kind: 'body.cut', request });
          takeOut(pending, request)?.reject(new Error('the client disconnected'));
        },
      });
    });
  }

  #request(send: (attached: Attached, request: number) => void): Promise<Ingested> {
    const state = this.#state;
    if (state.kind === 'detached') return Promise.reject(unavailable());
    return new Promise((resolve, reject) => {
      const request = this.#requests++;
      state.pending.set(request, { resolve, reject, sender: null });
      send(state, request);
    });
  }

  #handle({ pending }: Attached, reply: LiveReply): void {
    switch (reply.kind) {
      case 'sessions':
        this.#sessions = new Map(
          reply.sessions.map(({ sessionId, progress }) => [sessionId, new SessionProgress(progress)]),
        );
        this.#connected = reply.connected;
        return;
      case 'taken':
        pending.get(reply.request)?.sender?.taken();
        return;
      case 'done':
        takeOut(pending, reply.request)?.resolve(reply.ingested);
        return;
      case 'refused':
        takeOut(pending, reply.request)?.reject(new AdminError(reply.statusCode, reply.code, reply.message));
    }
  }

  #detach(): void {
    if (this.#state.kind === 'detached') return;
    const { port, pending } = this.#state;
    this.#state = { kind: 'detached' };
    this.#connected = false;
    port.close();
    for (const request of [...pending.keys()]) takeOut(pending, request)!.reject(unavailable());
  }
}

/** Removes a request: it sends nothing more, and ignores later replies. */
function takeOut(pending: Map<number, PendingRequest>, request: number): PendingRequest | undefined {
  const one = pending.get(request);
  pending.delete(request);
  one?.sender?.stop();
  return one;
}
