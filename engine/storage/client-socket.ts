// The sockets of the PostgreSQL client. The driver (3.4.9) can make its own. But when a server accepts a connection and
// closes it before it is ready, as a proxy without a database does, the driver reconnects at once, thousands of times a
// second and without end, and the statement never fails (porsager/postgres issues 1179 and 1193). Here such a close is
// an error, after which the driver backs off, and connections are opened at a bounded rate.
//
// The driver's own choice among several servers is not used either: it takes a standby for a server that takes writes,
// waits for each silent server in turn, and goes round for ever without a pause when none takes writes. Here each socket
// goes to the server that takes writes (primary-finder.ts):
//
// CO1 When one of the client's connections has ended, who takes writes is asked again before the next one is opened.
// CO2 A connection to a server that says that it takes no writes is closed before a statement goes over it (P11).
// CO3 When a statement fails because the server takes no writes any more, all connections to it are closed (P12).
// CO4 When any thread finds that another server takes writes, the connections to all others are closed.

import { connect as connectSocket, type LookupFunction, type Socket } from 'node:net';
import type { TimerClock } from '#engine/base/clock.ts';
import { DATABASE_SOCKET_PAUSE_MS, DATABASE_SOCKETS_AT_ONCE_MIN } from '#engine/base/limits.ts';
import type { ConnectionSettings } from './connection-settings.ts';
import { type DatabaseServer, doubtPrimary, primaryOf, type ServerGroup } from './server-group.ts';
import { errorCode } from './storage-error.ts';

/** The driver's `socket` option: each call returns a socket that is connecting. */
export interface SocketMaker {
  (): Promise<Socket>;
  /** How long the server may be silent while it owes a response (postgres-driver.ts); null: as long as TCP allows. */
  readonly answerTimeoutS: number | null;
  /** Called when one connection is found dead. Closes the others too: they are probably dead as well. */
  giveUp(): void;
  /** Returns why a server that has just let us in cannot be used, by the settings that it reports; else null. */
  refusal(reported: Readonly<Record<string, string>>): Error | null;
  /** Called when a statement has failed with this SQLSTATE. */
  failed(code: string): void;
}

/** Finds the server of the group that takes writes, by its index. Throws when there is none. */
export type FindPrimary = () => Promise<number>;

/** How often a client looks whether another thread has found that another server takes writes. */
const LOOK_MS = 250;
/** SQLSTATE of a write in a read-only transaction. */
const READ_ONLY = '25006';

/** `find` is needed for settings with a group. */
export function socketMaker(
  { host, port, group }: ConnectionSettings,
  max: number,
  silenceMsMax: number | null,
  clock: TimerClock,
  find?: FindPrimary,
): SocketMaker {
  const burst = Math.max(DATABASE_SOCKETS_AT_ONCE_MIN, 2 * max);
  let credit = burst;
  let lastMs = clock.nowMs();
  const open = new Set<Socket>();
  const choice = group && new ServerChoice(group, find!, clock);
  const connected = (server: DatabaseServer): Socket =>
    server.host.startsWith('/')
      ? connectSocket({ path: `${server.host}/.s.PGSQL.${server.port}` })
      : connectSocket({ host: server.host, port: server.port });
  const make = async () => {
    const nowMs = clock.nowMs();
    credit = Math.min(burst, credit + (nowMs - lastMs) / DATABASE_SOCKET_PAUSE_MS) - 1;
    lastMs = nowMs;
    if (credit < 0) await clock.sleep(-credit * DATABASE_SOCKET_PAUSE_MS);
    const chosen = await choice?.next();
    if (chosen instanceof Error) return failing(chosen, clock);
    const server = chosen?.server ?? { host, port };
    const socket = connected(server);
    if (chosen !== undefined) choice!.use(socket, chosen);
    // Not in a close listener: TLS removes the listeners of a socket.
    for (const earlier of open) if (earlier.destroyed) open.delete(earlier);
    open.add(socket);
    socket.once('end', () => {
      // If we have ended our side, the end is expected.
      if (!socket.writableEnded) socket.destroy(new ServerClosed());
    });
    // The driver checks the certificate against this host.
    return Object.assign(socket, { host: server.host, port: server.port });
  };
  const giveUp = (): void => {
    for (const socket of open) socket.destroy();
  };
  return Object.assign(make, {
    answerTimeoutS: silenceMsMax && silenceMsMax / 1_000,
    giveUp,
    refusal(reported: Readonly<Record<string, string>>) {
      const text = group && unfit(reported);
      if (text === undefined) return null;
      choice!.doubt();
      return Object.assign(new Error(`the server ${text}`), { code: READ_ONLY });
    },
    failed(code: string) {
      if (group === undefined || code !== READ_ONLY) return;
      choice!.doubt();
      // The statement gets its own error first.
      clock.schedule(0, giveUp);
    },
  });
}

/** Why a server that reports these settings (PostgreSQL 14 and newer do) takes no writes. */
function unfit(reported: Readonly<Record<string, string>>): string | undefined {
  if (reported.in_hot_standby === 'on') return 'is a standby';
  return reported.default_transaction_read_only === 'on' ? 'is read-only' : undefined;
}

interface Chosen {
  readonly index: number;
  readonly server: DatabaseServer;
  /** Of the finding that it was chosen by. */
  readonly token: number;
}

/** The choice of a server for each new connection of one client, and the end of connections to other servers. */
class ServerChoice {
  readonly #group: ServerGroup;
  readonly #find: FindPrimary;
  readonly #clock: TimerClock;
  readonly #used = new Map<Socket, Chosen>();
  #finding: Promise<unknown> | null = null;
  #stopLook: (() => void) | null = null;

  constructor(group: ServerGroup, find: FindPrimary, clock: TimerClock) {
    this.#group = group;
    this.#find = find;
    this.#clock = clock;
  }

  async next(): Promise<Chosen | Error> {
    this.#forgetEnded();
    try {
      if (primaryOf(this.#group).index === null) {
        this.#finding ??= this.#find().finally(() => {
          this.#finding = null;
        });
        await this.#finding;
      }
    } catch (error) {
      return error as Error;
    }
    const { index, token } = primaryOf(this.#group);
    if (index === null) return new Error('the server that takes writes was lost at once');
    return { index, server: this.#group.servers[index]!, token };
  }

  use(socket: Socket, chosen: Chosen): void {
    this.#used.set(socket, chosen);
    this.#stopLook ??= this.#clock.every(LOOK_MS, async () => this.#look());
  }

  /** Has everybody ask again who takes writes. */
  doubt(): void {
    doubtPrimary(this.#group, primaryOf(this.#group).token);
  }

  /** CO1. */
  #forgetEnded(): void {
    for (const [socket, { token }] of this.#used) {
      if (!socket.destroyed) continue;
      this.#used.delete(socket);
      doubtPrimary(this.#group, token);
    }
  }

  /** CO4. */
  #look(): void {
    const primary = primaryOf(this.#group).index;
    let left = 0;
    for (const [socket, { index }] of this.#used) {
      if (primary !== null && index !== primary) socket.destroy();
      if (!socket.destroyed) left++;
    }
    if (left > 0) return;
    this.#stopLook?.();
    this.#stopLook = null;
  }
}

/** A socket that fails with this error: the driver expects a socket, and tells the waiting statement what it fails with. */
function failing(cause: Error, clock: TimerClock): Socket {
  const error = Object.assign(new Error(cause.message), { code: errorCode(cause) ?? 'NO_PRIMARY' });
  const lookup: LookupFunction = (_host, _options, callback) => {
    clock.schedule(0, () => callback(error, '', 4));
  };
  return connectSocket({ host: 'database', port: 5432, lookup });
}

class ServerClosed extends Error {
  override readonly name = 'ServerClosed';
  /** The driver's own code for this error. */
  readonly code = 'CONNECTION_CLOSED';

  constructor() {
    super('the server closed the connection');
  }
}
