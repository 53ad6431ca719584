// Scenarios against a real database, one for each correction of the PostgreSQL driver
// (engine/storage/postgres-driver.ts). A scenario throws on a failure. With a driver that lacks the correction, the
// failure is the `fault` named there.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { setImmediate as immediate, setTimeout as pause } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import type postgresTypes from 'postgres';
import { systemClock } from '#engine/base/clock.ts';
import { type SocketMaker, socketMaker } from '#engine/storage/client-socket.ts';
import { type ConnectionSettings, parseDatabaseUrl } from '#engine/storage/connection-settings.ts';
import { correctedDriver, type Driver } from '#engine/storage/postgres-driver.ts';
import { DatabaseProxy } from '#test/support/database-proxy.ts';
import { eventually } from '#test/support/patience.ts';

export interface Trial {
  readonly driver: Driver;
  readonly connection: ConnectionSettings;
  /** How long a statement may stay unanswered. */
  readonly patienceMs: number;
}

interface Client {
  readonly sql: postgresTypes.Sql;
  readonly name: string;
  readonly sockets: readonly Socket[];
  /** A connection has ended. */
  readonly closed: Promise<void>;
}

interface ClientOptions {
  readonly max?: number;
  readonly silenceMsMax?: number;
  readonly connection?: ConnectionSettings;
  /** In place of what the maker of the sockets says. */
  readonly maker?: Partial<SocketMaker>;
  /** No socket is made before. */
  readonly made?: Promise<void>;
  readonly ssl?: false | { readonly ca: Buffer };
}

export interface Scenario {
  readonly correction: string;
  /** What holds with the correction. */
  readonly title: string;
  /** What is seen without it. */
  readonly fault: RegExp;
  play(trial: Trial): Promise<void>;
}

export const SCENARIOS: readonly Scenario[] = [
  {
    correction: 'P1',
    title: 'a statement that could not be sent any more does not hold up the next connection',
    fault: /no answer/,
    async play(trial) {
      const { sql, sockets } = clientOf(trial);
      await sql`select 1`;
      // What is written now is sent after the closing callbacks of this turn of the event loop.
      await immediate();
      sockets[0]!.destroy();
      await assert.rejects(answered(trial, sql`select 2`), { code: 'CONNECTION_CLOSED' });
      assert.deepEqual([...(await answered(trial, sql`select 3 as value`))], [{ value: 3 }]);
    },
  },

  {
    correction: 'P2',
    title: 'a statement handed over between the error of a connection and its end is refused',
    fault: /no answer/,
    async play(trial) {
      const client = clientOf(trial);
      const { sql } = client;
      await sql`select 1`;
      const first = sql`select pg_sleep(30)`.catch(() => sql`select 2`);
      // It may be refused before `breakOff` has its own answer, and an unhandled rejection ends the thread.
      first.catch(() => {});
      await breakOff(trial, client);
      await assert.rejects(answered(trial, first), { code: 'CONNECTION_CLOSED' });
    },
  },

  {
    correction: 'P3',
    title: 'the error that ended a connection is not that of the first statement on the next one',
    fault: /57P01/,
    async play(trial) {
      const client = clientOf(trial);
      const first = client.sql`select pg_sleep(30)`.catch(() => {});
      await breakOff(trial, client);
      await Promise.all([first, client.closed]);
      assert.deepEqual([...(await answered(trial, client.sql`select 3 as value`))], [{ value: 3 }]);
    },
  },

  {
    correction: 'P3',
    title: 'a statement fails with the reason for which the server refuses the next connection',
    fault: /CONNECTION_CLOSED/,
    async play(trial) {
      const user = `guest_${randomUUID().slice(0, 8)}`;
      const aside = clientOf(trial).sql;
      await aside`create role ${aside(user)} login`;
      const client = clientOf(trial, { connection: { ...trial.connection, user } });
      const first = client.sql`select pg_sleep(30)`.catch(() => {});
      await breakOff(trial, client);
      await Promise.all([first, client.closed]);
      await aside`alter role ${aside(user)} nologin`;
      await assert.rejects(answered(trial, client.sql`select 2`), { code: '28000' });
    },
  },

  {
    correction: 'P4',
    title: 'a transaction that goes on after its connection has ended is refused, and the client works on',
    fault: /the thread ended: .*reading 'write'/,
    async play(trial) {
      const client = clientOf(trial);
      const { sql } = client;
      let late: Promise<unknown> | undefined;
      const transaction = sql.begin(async (inside) => {
        await inside`select pg_sleep(30)`.catch(() => {});
        await client.closed;
        late = answered(trial, inside`select 2`);
        await late;
      });
      await Promise.all([assert.rejects(transaction), breakOff(trial, client)]);
      await eventually('the late statement', () => late !== undefined);
      await assert.rejects(late!, { code: 'CONNECTION_DESTROYED' });
      assert.deepEqual([...(await answered(trial, sql`select 3 as value`))], [{ value: 3 }]);
    },
  },

  {
    correction: 'P5',
    title: 'a connection that ends while the driver asks it for types refuses one statement, no more',
    fault: /the thread ended: (CONNECTION_CLOSED|ECONNRESET)/,
    async play(trial) {
      await withProxy(trial, async (proxy, connection) => {
        const { sql } = clientOf(trial, { connection });
        proxy.breakAt('typarray');
        await assert.rejects(answered(trial, sql`select 2`));
        assert.deepEqual([...(await answered(trial, sql`select 3 as value`))], [{ value: 3 }]);
      });
    },
  },

  {
    correction: 'P6',
    title: 'a statement to a server that has vanished fails in time, and those after it go over new connections',
    fault: /answerTimer|unanswered|no answer/,
    async play(trial) {
      await withProxy(trial, async (proxy, connection) => {
        const { sql, sockets } = clientOf(trial, { connection, max: 2, silenceMsMax: 200 });
        const patient = clientOf(trial, { connection }).sql;
        const both = () => Promise.all([1, 2].map(() => answered(trial, sql`select pg_sleep(0.02)`)));
        await both();
        await patient`select 1`;
        await pause(300);
        assert.deepEqual(
          sockets.map(({ destroyed }) => destroyed),
          [false, false],
          'idle, they live on',
        );
        const ends = Promise.all(sockets.map((socket) => once(socket, 'close')));
        proxy.vanish();
        const waiting = patient`select 2`.catch(() => {});
        await assert.rejects(answered(trial, sql`select 2`), { code: 'ETIMEDOUT' });
        await answered(trial, ends);
        await both();
        assert.deepEqual(
          sockets.map(({ destroyed }) => destroyed),
          [true, true, false, false],
          'both are new',
        );
        assert.equal(await Promise.race([waiting, pause(100, 'still waits')]), 'still waits', 'who has no bound');
      });
    },
  },

  {
    correction: 'P7',
    title: 'an answer that takes longer than the bound is whole as long as something of it comes',
    fault: /ETIMEDOUT/,
    async play(trial) {
      const { sql } = clientOf(trial, { silenceMsMax: 500 });
      const rows = sql`select pg_sleep(0.1), repeat('x', 20000) as value from generate_series(1, 8)`;
      assert.equal((await answered(trial, rows)).length, 8);
    },
  },

  {
    correction: 'P8',
    title: 'an ended client leaves no timer behind, which would keep the process alive',
    fault: /a timer is left/,
    async play(trial) {
      const { sql } = clientOf(trial, { silenceMsMax: 60_000 });
      await sql`select 1`;
      await sql.end();
      assert.ok(!process.getActiveResourcesInfo().includes('Timeout'), 'a timer is left');
    },
  },

  {
    correction: 'P9',
    title: 'a driver that says that it is corrected is taken',
    fault: /is not patched/,
    async play({ driver }) {
      assert.equal(correctedDriver(driver), driver);
    },
  },

  {
    correction: 'P10',
    title: 'after the rows of a COPY that are read late, the next statement is answered',
    fault: /no answer/,
    async play(trial) {
      const { sql } = clientOf(trial);
      // More than a stream holds before it asks its source to wait.
      const bytes = 100_000;
      const rows = await answered(trial, sql.unsafe(`copy (select repeat('x', ${bytes})) to stdout`).readable());
      // All rows, and with them their end, have come before the first of them is read.
      await eventually('all rows', () => rows.readableLength > bytes);
      let read = 0;
      for await (const part of rows) read += (part as Buffer).length;
      assert.equal(read, bytes + 1);
      assert.deepEqual([...(await answered(trial, sql`select 3 as value`))], [{ value: 3 }]);
    },
  },

  {
    correction: 'P11',
    title: 'a server that will not do is refused before a statement goes to it',
    fault: /Missing expected rejection/,
    async play(trial) {
      const unfit = Object.assign(new Error('unfit'), { code: 'UNFIT' });
      const { sql, closed } = clientOf(trial, {
        maker: { refusal: ({ in_hot_standby }) => (in_hot_standby === 'off' ? unfit : null) },
      });
      await assert.rejects(answered(trial, sql`select 1`), { code: 'UNFIT' });
      await answered(trial, closed);
    },
  },

  {
    correction: 'P12',
    title: 'the maker of the sockets hears with what a statement failed',
    fault: /deep-equal/,
    async play(trial) {
      const codes: string[] = [];
      const { sql } = clientOf(trial, { maker: { failed: (code) => void codes.push(code) } });
      await assert.rejects(answered(trial, sql`select 1 / 0`));
      assert.deepEqual(codes, ['22012']);
    },
  },

  {
    correction: 'P13',
    title: 'the certificate of a server that is named by its address must be valid for that address',
    fault: /no answer/,
    async play(trial) {
      const certificate = (name: string) => readFileSync(new URL(`../fixtures/tls/${name}.pem`, import.meta.url));
      const server = createServer((socket) => {
        socket.on('error', () => {});
        socket.once('data', () => {
          socket.write('S');
          const secure = { isServer: true, key: certificate('key'), cert: certificate('localhost') };
          new TLSSocket(socket, secure).on('error', () => {});
        });
      });
      // The certificate is for localhost and 127.0.0.1.
      server.listen(0, '127.0.0.2');
      await once(server, 'listening');
      const { port } = server.address() as { port: number };
      const connection = { ...trial.connection, host: '127.0.0.2', port };
      const { sql } = clientOf(trial, { connection, ssl: { ca: certificate('authority') } });
      await assert.rejects(answered(trial, sql`select 1`), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    },
  },

  {
    correction: 'P14',
    title: 'a client that is ended while its socket is being made does not connect',
    fault: /no answer/,
    async play(trial) {
      const made = Promise.withResolvers<void>();
      const { sql, sockets } = clientOf(trial, { made: made.promise });
      const refused = assert.rejects(answered(trial, sql`select 1`), { code: 'CONNECTION_DESTROYED' });
      await pause(20);
      await sql.end({ timeout: 0 });
      await refused;
      made.resolve();
      await eventually('the socket', () => sockets.length === 1);
      if (!sockets[0]!.destroyed) await answered(trial, once(sockets[0]!, 'close'));
    },
  },
];

function clientOf(
  { driver, ...trial }: Trial,
  { max = 1, silenceMsMax, connection = trial.connection, maker, made: ready, ssl = false }: ClientOptions = {},
) {
  const { host, port, user, database } = connection;
  const name = `trial ${randomUUID()}`;
  const sockets: Socket[] = [];
  const closed = Promise.withResolvers<void>();
  const make = socketMaker(connection, max, silenceMsMax ?? null, systemClock);
  const socket = Object.assign(
    async () => {
      await ready;
      const made = await make();
      sockets.push(made);
      return made;
    },
    make,
    maker,
  );
  const options: postgresTypes.Options<never> & { socket: unknown } = {
    host,
    port,
    user,
    database,
    max,
    ssl,
    backoff: () => 0.02,
    connection: { application_name: name },
    onclose: () => closed.resolve(),
    socket,
  };
  return { sql: driver(options), name, sockets, closed: closed.promise };
}

/** What comes of it; throws when nothing does. */
async function answered<Answer>({ patienceMs }: Trial, statement: Promise<Answer>): Promise<Answer> {
  const patience = new AbortController();
  const none = async (): Promise<never> => {
    await pause(patienceMs, undefined, patience);
    throw new Error('no answer');
  };
  try {
    return await Promise.race([statement, none()]);
  } finally {
    patience.abort();
  }
}

/** Ends the client's connection, as a restart of the database does, once it waits for `pg_sleep`. */
async function breakOff(trial: Trial, { name }: Client): Promise<void> {
  const aside = clientOf(trial).sql;
  await eventually('the end of a connection', async () => {
    const ended = await aside`
      select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = ${name} and wait_event = 'PgSleep'`;
    return ended.length > 0;
  });
}

async function withProxy(
  { connection }: Trial,
  play: (proxy: DatabaseProxy, connection: ConnectionSettings) => Promise<void>,
): Promise<void> {
  const proxy = await DatabaseProxy.start(connection);
  await play(proxy, parseDatabaseUrl(proxy.urlFor(connection.user, connection.database)));
}
