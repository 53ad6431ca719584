// The sockets of the PostgreSQL client. The driver (3.4.9) makes its own, but when a server accepts a connection and closes
// it before it is ready, as a proxy without a database behind it does, that one connects again at once, thousands of
// times a second and without an end, and its statement never fails (porsager/postgres issues 1179 and 1193). Here such
// an end is an error, which the driver answers with a pause, and connections are made at a bounded rate.

import { connect as connectSocket, type Socket } from 'node:net';
import type { TimerClock } from '#engine/base/clock.ts';
import { DATABASE_SOCKET_PAUSE_MS, DATABASE_SOCKETS_AT_ONCE_MIN } from '#engine/base/limits.ts';
import type { ConnectionSettings } from './connection-settings.ts';

/** What the driver's `socket` option takes: makes a socket that is connecting, each time it is called. */
export interface SocketMaker {
  (): Promise<Socket>;
  /** How long the server may be silent while it owes an answer (postgres-driver.ts); null: as long as TCP allows. */
  readonly answerTimeoutS: number | null;
  /** One of the connections is found dead: the others, which may be as dead, are given up without waiting for each in turn. */
  giveUp(): void;
}

export function socketMaker(
  { host, port }: ConnectionSettings,
  max: number,
  silenceMsMax: number | null,
  clock: TimerClock,
): SocketMaker {
  const burst = Math.max(DATABASE_SOCKETS_AT_ONCE_MIN, 2 * max);
  let credit = burst;
  let lastMs = clock.nowMs();
  const open = new Set<Socket>();
  const make = async () => {
    const nowMs = clock.nowMs();
    credit = Math.min(burst, credit + (nowMs - lastMs) / DATABASE_SOCKET_PAUSE_MS) - 1;
    lastMs = nowMs;
    if (credit < 0) await clock.sleep(-credit * DATABASE_SOCKET_PAUSE_MS);
    const socket = connectSocket(host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port });
    // Not when they close: TLS takes a socket's listeners away.
    for (const earlier of open) if (earlier.destroyed) open.delete(earlier);
    open.add(socket);
    socket.once('end', () => {
      // After our own goodbye the end is what we asked for.
      if (!socket.writableEnded) socket.destroy(new ServerClosed());
    });
    // The driver reads the name to check a certificate against from here.
    return Object.assign(socket, { host, port });
  };
  return Object.assign(make, {
    answerTimeoutS: silenceMsMax && silenceMsMax / 1_000,
    giveUp() {
      for (const socket of open) socket.destroy();
    },
  });
}

class ServerClosed extends Error {
  override readonly name = 'ServerClosed';
  /** The driver's own code for it. */
  readonly code = 'CONNECTION_CLOSED';

  constructor() {
    super('the server closed the connection');
  }
}
