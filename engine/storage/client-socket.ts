// The sockets of the PostgreSQL client. The driver (3.4.9) makes its own, but when a server accepts a connection and closes
// it before it is ready, as a proxy without a database behind it does, that one connects again at once, thousands of
// times a second and without an end, and its statement never fails (porsager/postgres issues 1179 and 1193). Here such
// an end is an error, which the driver answers with a pause, and connections are made at a bounded rate.

import { connect as connectSocket, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectionSettings } from './connection-settings.ts';

/** Sockets that may be opened at once, and how long each further one waits. */
const BURST_MIN = 20;
const PACE_MS = 250;

/** What the driver's `socket` option takes: makes a socket that is connecting, each time it is called. */
export function socketMaker({ host, port }: ConnectionSettings, max: number): () => Promise<Socket> {
  const burst = Math.max(BURST_MIN, 2 * max);
  let credit = burst;
  let lastMs = performance.now();
  return async () => {
    const nowMs = performance.now();
    credit = Math.min(burst, credit + (nowMs - lastMs) / PACE_MS) - 1;
    lastMs = nowMs;
    if (credit < 0) await sleep(-credit * PACE_MS);
    const socket = connectSocket(host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port });
    socket.once('end', () => {
      // After our own goodbye the end is what we asked for.
      if (!socket.writableEnded) socket.destroy(new ServerClosed());
    });
    // The driver reads the name to check a certificate against from here.
    return Object.assign(socket, { host, port });
  };
}

class ServerClosed extends Error {
  override readonly name = 'ServerClosed';
  /** The driver's own code for it. */
  readonly code = 'CONNECTION_CLOSED';

  constructor() {
    super('the server closed the connection');
  }
}
