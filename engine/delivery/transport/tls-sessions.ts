// The newest TLS session of each origin, which makes the next handshake with it cheaper, whichever endpoint opens it. A
// session exists only after the server's certificate and name were verified, and is used for that origin only.

import { LRUCache } from 'lru-cache';
import { TLS_SESSION_BYTES_MAX, TLS_SESSIONS_MAX } from '#engine/base/limits.ts';

export class TlsSessions {
  readonly #sessions = new LRUCache<string, Buffer>({ max: TLS_SESSIONS_MAX });

  of(origin: string): Buffer | undefined {
    return this.#sessions.get(origin);
  }

  keep(origin: string, session: Buffer): void {
    if (session.length <= TLS_SESSION_BYTES_MAX) this.#sessions.set(origin, session);
  }

  forget(origin: string): void {
    this.#sessions.delete(origin);
  }
}
