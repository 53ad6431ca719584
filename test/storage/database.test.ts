// The database as the service opens it, the built-in server and one that DATABASE_URL names.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { TLSSocket } from 'node:tls';
import { Worker } from 'node:worker_threads';
import { systemClock } from '#engine/base/clock.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import { openDatabase } from '#engine/storage/database.ts';
import { PARTITION_DAYS } from '#engine/storage/partitions.ts';
import { StorageError } from '#engine/storage/storage-error.ts';
import { silentLog, withDatabase } from '#test/support/database.ts';

const { database, sql, dataDir } = await withDatabase({ after });

/** The test's server as DATABASE_URL would name it. */
function urlOf(user: string, name: string, host = database.connection.host): string {
  return `postgres://${user}:hunter2@localhost/${name}?host=${encodeURIComponent(host)}`;
}

function open(databaseUrl: string) {
  return openDatabase({
    databaseUrl,
    dataDir,
    role: 'service',
    log: silentLog,
    clock: systemClock,
    randomBytes: systemRandomBytes,
  });
}

async function refusal(databaseUrl: string): Promise<string> {
  const error = await open(databaseUrl).then(
    () => assert.fail('it opened'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof StorageError, String(error));
  assert.match(error.message, /^DATABASE_URL: /);
  assert.doesNotMatch(error.message, /hunter2/);
  return error.message;
}

test('an opened database is migrated and has partitions for the coming days', async () => {
  const [row] = await sql<{ days: number }[]>`
    select count(*)::int as days from pg_inherits where inhparent = 'log_page'::regclass`;
  assert.equal(row!.days, PARTITION_DAYS + 1);
});

test('numbers too large for a double are exact', async () => {
  const [row] = await sql<{ value: bigint }[]>`select 9007199254740993::bigint as value`;
  assert.equal(row!.value, 9007199254740993n);
});

test('another thread opens its own client from the settings', async () => {
  const source = `
    import { parentPort, workerData } from 'node:worker_threads';
    const { connect } = await import(workerData.client);
    const { systemClock } = await import(workerData.clock);
    const sql = connect(workerData.connection, { max: 1, name: 'thread', clock: systemClock });
    const [row] = await sql\`select current_setting('application_name') as name\`;
    await sql.end();
    parentPort.postMessage(row.name);`;
  const client = new URL('../../engine/storage/postgres-client.ts', import.meta.url).href;
  const clock = new URL('../../engine/base/clock.ts', import.meta.url).href;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`), {
    workerData: { client, clock, connection: database.connection },
  });
  const name = await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
  assert.equal(name, 'slipstream thread');
});

test('the database that DATABASE_URL names is migrated and used', async () => {
  await sql`create database elsewhere`;
  const other = await open(urlOf('slipstream', 'elsewhere'));
  const client = other.connect(1);
  assert.equal((await client`select * from migration`).length > 0, true);
  await other.close();
  await assert.rejects(async () => await client`select 1`, /CONNECTION_ENDED/);
  assert.equal((await sql`select 1`).length, 1);
});

test('the error for a wrong DATABASE_URL names the next step', async () => {
  assert.match(await refusal(urlOf('stranger', 'postgres')), /refuses user stranger/);
  assert.match(await refusal(urlOf('slipstream', 'nowhere')), /has no database nowhere. Create it: create database/);
  assert.match(await refusal(urlOf('slipstream', 'postgres', `${dataDir}/none`)), /nothing listens there/);
  assert.match(await refusal('postgres://a@nowhere.invalid/b'), /the host name nowhere.invalid is unknown/);
  assert.match(await refusal('nonsense'), /not a URL/);
});

test('a port where nothing listens, or another program does, is named', async (t) => {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket
      .on('error', () => {})
      .resume()
      .end('HTTP/1.1 400 Bad Request\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address() as { port: number };
  const at = `127.0.0.1:${port}`;
  for (const tls of ['disable', 'prefer', 'require']) {
    const said = await refusal(`postgres://a:hunter2@${at}/b?sslmode=${tls}`);
    assert.match(said, new RegExp(`${at} closes the connection at once|cannot use database b at ${at}`));
  }
  assert.ok(connections < 10, `${connections} connections`);
  await new Promise((resolve) => server.close(resolve));
  assert.match(await refusal(`postgres://a:hunter2@${at}/b`), new RegExp(`cannot reach ${at}: nothing listens there`));
});

test('with verify-full a server without TLS, or with a certificate that is not valid, is named with the next step', async (t) => {
  const certificate = (name: string) => readFileSync(new URL(`../fixtures/tls/${name}.pem`, import.meta.url));
  const answers: Readonly<Record<string, (socket: Socket) => void>> = {
    'does not speak TLS .*sslmode=disable': (socket) =>
      socket.write('N', () => socket.once('data', () => socket.destroy())),
    'is not valid .*NODE_EXTRA_CA_CERTS': (socket) => {
      socket.write('S');
      const secure = new TLSSocket(socket, {
        isServer: true,
        key: certificate('key'),
        cert: certificate('self-signed'),
      });
      secure.on('error', () => {});
    },
  };
  for (const [said, answer] of Object.entries(answers)) {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      // The request for TLS, eight bytes.
      socket.once('data', () => answer(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => server.close());
    const { port } = server.address() as { port: number };
    assert.match(await refusal(`postgres://a:hunter2@127.0.0.1:${port}/b?sslmode=verify-full`), new RegExp(said));
  }
});
