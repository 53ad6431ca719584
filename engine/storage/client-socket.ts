// The sockets of the PostgreSQL client. The driver (3.4.9) can make its own. But when a server accepts a connection and
// closes it before it is ready, as a proxy without a database does, the driver reconnects at once, thousands of times a
// second and without end, and the statement never fails (porsager/postgres issues 1179 and 1193). Here such a close is
// an error, after which the driver backs off, and connections are opened at a bounded rate.

import { connect as connectSocket, type Socket } from 'node:net';
import type { TimerClock } from '#engine/base/clock.ts';
import { DATABASE_SOCKET_PAUSE_MS, DATABASE_SOCKETS_AT_ONCE_MIN } from '#engine/base/limits.ts';
import type { ConnectionSettings } from './connection-settings.ts';

/** The driver's `socket` option: each call returns a socket that is connecting. */
export interface SocketMaker {
  (): Promise<Socket>;
  /** How long the server may be silent while it owes a response (postgres-driver.ts); null: as long as TCP allows. */
  readonly answerTimeoutS: number | null;
  /** Called when one connection is found dead. Closes the others too: they are probably dead as well. */
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
    // Not in a close listener: TLS removes the listeners of a socket.
    for (const earlier of open) if (earlier.destroyed) open.delete(earlier);
    open.add(socket);
    socket.once('end', () => {
      // If we have ended our side, the end is expected.
      if (!socket.writableEnded) socket.destroy(new ServerClosed());
    });
    // The driver checks the certificate against this host.
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
  /** The driver's own code for this error. */
  readonly code = 'CONNECTION_CLOSED';

  constructor() {
    super('the server closed the connection');
  }
}
