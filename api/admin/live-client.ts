// The operators' side of the port to the live thread: what operators ask is asked there, and what is to be seen of live
// sessions is read from shared memory, so that a live thread that hangs or is dead holds up nobody who only looks.
//
// Q1 Whoever asks while there is no live thread, or loses it before the answer, is told to come again in a moment.
// Q2 Of a body at most one part is on its way, and about a window of bytes waits.

import type { Readable } from 'node:stream';
import type { MessagePort } from 'node:worker_threads';
import { SessionProgress } from '#engine/intake/live/session-progress.ts';
import { AdminError, unavailable } from './admin-error.ts';
import { BodySender } from './body-sender.ts';
import type { Ingested } from './ingest.ts';
import type { LiveReply, LiveRequest } from './live-requests.ts';

interface Asked {
  readonly resolve: (ingested: Ingested) => void;
  readonly reject: (error: Error) => void;
  /** Of a request that feeds a session. */
  sender: BodySender | null;
}

type State = { readonly kind: 'apart' } | Joined;

interface Joined {
  readonly kind: 'joined';
  readonly port: MessagePort;
  /** By the number of the request. */
  readonly asked: Map<number, Asked>;
}

export class LiveClient {
  #state: State = { kind: 'apart' };
  #requests = 0;
  #sessions: ReadonlyMap<string, SessionProgress> = new Map();
  #connected = false;

  /** The sessions that go on, by id; while there is no live thread, as they were. */
  get sessions(): ReadonlyMap<string, SessionProgress> {
    return this.#sessions;
  }

  /** Whether live timing is connected. */
  get connected(): boolean {
    return this.#connected;
  }

  /** Asks the live thread at the other end of this port from now on. */
  join(port: MessagePort): void {
    this.#leave();
    const joined: Joined = { kind: 'joined', port, asked: new Map() };
    this.#state = joined;
    port.on('message', (reply: LiveReply) => {
      if (this.#state === joined) this.#heard(joined, reply);
    });
    port.on('close', () => {
      if (this.#state === joined) this.#leave();
    });
  }

  progress(sessionId: string): Promise<Ingested> {
    return this.#ask(({ port }, request) => {
      port.postMessage({ kind: 'progress', request, sessionId } satisfies LiveRequest);
    });
  }

  end(sessionId: string): Promise<Ingested> {
    return this.#ask(({ port }, request) => {
      port.postMessage({ kind: 'end', request, sessionId } satisfies LiveRequest);
    });
  }

  /** What of the body is left when it is refused stays there to be read. */
  feed(sessionId: string, body: Readable, seriesId: string | null): Promise<Ingested> {
    return this.#ask(({ port, asked }, request) => {
      const tell = (message: LiveRequest): void => port.postMessage(message);
      tell({ kind: 'feed', request, sessionId, seriesId });
      asked.get(request)!.sender = new BodySender(body, {
        part(bytes) {
          port.postMessage({ kind: 'body.part', request, bytes } satisfies LiveRequest, [bytes.buffer]);
        },
        end: () => tell({ kind: 'body.end', request }),
        cut: () => {
          tell({ kind: 'body.cut', request });
          takeOut(asked, request)?.reject(new Error('the sender has left'));
        },
      });
    });
  }

  #ask(send: (joined: Joined, request: number) => void): Promise<Ingested> {
    const state = this.#state;
    if (state.kind === 'apart') return Promise.reject(unavailable());
    return new Promise((resolve, reject) => {
      const request = this.#requests++;
      state.asked.set(request, { resolve, reject, sender: null });
      send(state, request);
    });
  }

  #heard({ asked }: Joined, reply: LiveReply): void {
    switch (reply.kind) {
      case 'sessions':
        this.#sessions = new Map(
          reply.sessions.map(({ sessionId, progress }) => [sessionId, new SessionProgress(progress)]),
        );
        this.#connected = reply.connected;
        return;
      case 'taken':
        asked.get(reply.request)?.sender?.taken();
        return;
      case 'done':
        takeOut(asked, reply.request)?.resolve(reply.ingested);
        return;
      case 'refused':
        takeOut(asked, reply.request)?.reject(new AdminError(reply.statusCode, reply.code, reply.message));
    }
  }

  #leave(): void {
    if (this.#state.kind === 'apart') return;
    const { port, asked } = this.#state;
    this.#state = { kind: 'apart' };
    this.#connected = false;
    port.close();
    for (const request of [...asked.keys()]) takeOut(asked, request)!.reject(unavailable());
  }
}

/** Nothing further is sent for it, and no answer to it heard. */
function takeOut(asked: Map<number, Asked>, request: number): Asked | undefined {
  const one = asked.get(request);
  asked.delete(request);
  one?.sender?.stop();
  return one;
}
