// The newest TLS session of each origin, which makes the next handshake with it cheaper, whichever endpoint opens it. A
// session exists only after the server's certificate and name were verified, and is used for that origin only. A resumed
// handshake verifies neither again, and brings new sessions: none of them is used after that certificate has expired.

import { LRUCache } from 'lru-cache';
import { TLS_SESSION_BYTES_MAX, TLS_SESSIONS_MAX } from '#engine/base/limits.ts';

export interface TlsSession {
  readonly bytes: Buffer;
  /** When the certificate expires that was verified for it, Unix epoch milliseconds. */
  readonly untilMs: number;
}

export class TlsSessions {
  readonly #sessions = new LRUCache<string, TlsSession>({ max: TLS_SESSIONS_MAX });

  of(origin: string, wallMs: number): TlsSession | undefined {
    const session = this.#sessions.get(origin);
    return session !== undefined && wallMs < session.untilMs ? session : undefined;
  }

  keep(origin: string, session: TlsSession): void {
    if (session.bytes.length <= TLS_SESSION_BYTES_MAX) this.#sessions.set(origin, session);
  }

  forget(origin: string): void {
    this.#sessions.delete(origin);
  }
}
