// An operator's mistake at start is reported in one line that names the setting, and leaves nothing running. Nor does a
// service that is stopped while it starts.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { runningPostmaster } from '#engine/storage/embedded/postmaster.ts';
import { temporaryDataDir } from '#test/support/database.ts';
import { startService } from '#test/support/service-process.ts';

const MAIN = fileURLToPath(new URL('../../workers/main.ts', import.meta.url));

/** Starts a service that is not waited for. `complaints`: what it logged as warnings or errors after it was told to stop. */
function starting(settings: Readonly<Record<string, string>>) {
  const { PATH, NODE_OPTIONS } = process.env;
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH, NODE_OPTIONS, PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, log] = ['', ''];
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    log += chunk;
  });
  return {
    process: child,
    async said(text: string): Promise<void> {
      while (!log.includes(text)) await once(child.stderr, 'data');
    },
    ended: once(child, 'close').then(([code, signal]) => ({ code: code ?? signal, out })),
    complaints(): string[] {
      const lines = log.trimEnd().split('\n');
      const stopping = lines.findIndex((line) => line.includes('"stopping'));
      assert.notEqual(stopping, -1, log);
      return lines.slice(stopping).filter((line) => !line.startsWith('{"level":30'));
    },
  };
}

test('a port in use is named with its setting before anything is made in DATA_DIR', async (t) => {
  const blocker = createServer().listen(0, '127.0.0.1');
  t.after(() => blocker.close());
  await new Promise((resolve) => blocker.once('listening', resolve));
  const { port } = blocker.address() as { port: number };
  const place = `127\\.0\\.0\\.1:${port}`;
  const node = { CLUSTER: 'on', DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', SECRET_KEY: 'k'.repeat(40) };
  const cases: readonly (readonly [Readonly<Record<string, string>>, string])[] = [
    [{ PORT: String(port) }, `cannot listen on ${place}: PORT is in use .*Choose another PORT`],
    [{ ADMIN_PORT: String(port) }, 'ADMIN_PORT: listen EADDRINUSE.*Choose another ADMIN_PORT'],
    [{ GRPC_PORT: String(port) }, `GRPC_PORT: cannot listen on ${place} .*Choose another GRPC_PORT`],
    [
      { ...node, CLUSTER_ADDRESS: `127.0.0.1:${port}` },
      `CLUSTER_ADDRESS: cannot listen on ${place}: EADDRINUSE\\. Is the port`,
    ],
  ];
  for (const [settings, expected] of cases) {
    const dataDir = temporaryDataDir();
    await assert.rejects(startService(dataDir, settings), (error: Error) => {
      assert.match(error.message, new RegExp(`ended with 1: (?:.*\n)*${expected}`));
      assert.doesNotMatch(error.message, /\n\s+at /, 'no stack trace');
      return true;
    });
    assert.deepEqual(readdirSync(dataDir), [], expected);
  }
});

test('a port on which another service listens is refused, not shared', async () => {
  const first = await startService(temporaryDataDir('service'));
  const { port } = new URL(first.address);
  await assert.rejects(startService(temporaryDataDir('service'), { PORT: port }), (error: Error) => {
    assert.match(error.message, new RegExp(`ended with 1[\\s\\S]*127\\.0\\.0\\.1:${port}.*PORT`));
    return true;
  });
  assert.equal(await first.end('SIGTERM'), 0);
});

test('an unreachable DATABASE_URL is named, without its password', async () => {
  const dataDir = temporaryDataDir();
  const url = 'postgres://user:hunter2secret@127.0.0.1:9/none';
  await assert.rejects(startService(dataDir, { DATABASE_URL: url }), (error: Error) => {
    assert.match(error.message, /DATABASE_URL/);
    assert.doesNotMatch(error.message, /hunter2secret/);
    assert.doesNotMatch(error.message, /\n\s+at /, 'no stack trace');
    return true;
  });
});

test('bad settings are reported all at once', async () => {
  const dataDir = temporaryDataDir();
  await assert.rejects(startService(dataDir, { PORT: 'abc', SHARDS: '0' }), (error: Error) => {
    assert.match(error.message, /PORT: /);
    assert.match(error.message, /SHARDS: /);
    return true;
  });
});

test('a service that is stopped while it starts ends at the next part, quietly, and leaves no PostgreSQL behind', async () => {
  const dataDir = temporaryDataDir();
  const service = starting({ DATA_DIR: dataDir });
  await service.said('migrated the database schema');
  service.process.kill('SIGINT');
  assert.deepEqual(await service.ended, { code: 0, out: '' });
  assert.deepEqual(service.complaints(), []);
  assert.equal(await runningPostmaster(join(dataDir, 'postgres', 'data')), null);
});

test('a service whose terminal is closed stops as after Ctrl-C', async () => {
  const dataDir = temporaryDataDir('service');
  const service = await startService(dataDir);
  assert.equal(await service.end('SIGHUP'), 0);
  assert.equal(await runningPostmaster(join(dataDir, 'postgres', 'data')), null);
});

test('a service that is stopped while its database does not answer does not wait for it', async () => {
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const service = starting({ DATA_DIR: temporaryDataDir(), DATABASE_URL: `postgres://a@127.0.0.1:${port}/a` });
  await once(silent, 'connection');
  service.process.kill('SIGTERM');
  assert.deepEqual(await service.ended, { code: 0, out: '' });
  assert.deepEqual(service.complaints(), []);
  for (const socket of sockets) socket.destroy();
  silent.close();
});

test('a PostgreSQL that is not ready when the service stops ends with it', async (t) => {
  const dataDir = temporaryDataDir('database');
  const cluster = join(dataDir, 'postgres', 'data');
  t.after(async () => {
    const left = await runningPostmaster(cluster);
    if (left !== null) process.kill(left.pid, 'SIGKILL');
  });
  const service = starting({ DATA_DIR: dataDir });
  let server = null;
  while (server === null) server = await runningPostmaster(cluster);
  assert.ok(!server.ready, 'it was caught while it started');
  process.kill(server.pid, 'SIGSTOP');
  service.process.kill('SIGTERM');
  assert.deepEqual(await service.ended, { code: 0, out: '' });
  process.kill(server.pid, 'SIGCONT');
  while ((await runningPostmaster(cluster)) !== null) await pause(20);
});

test('a second service on the same DATA_DIR is refused, and the first continues undisturbed', async () => {
  const dataDir = temporaryDataDir();
  const first = await startService(dataDir);
  await assert.rejects(startService(dataDir), /DATA_DIR: a service is already running/);
  assert.equal((await fetch(`${first.address}/readyz`)).status, 200);
  assert.equal(await first.end('SIGTERM'), 0);
});

test('if PostgreSQL ends while the service starts, one line reports it, nothing keeps running, and the next start succeeds', async () => {
  const dataDir = temporaryDataDir('database');
  const cluster = join(dataDir, 'postgres', 'data');
  const starting = startService(dataDir);
  const refused = assert.rejects(starting, (error: Error) => {
    assert.match(error.message, /ended with 1/);
    assert.match(error.message, /The database became unreachable while the service started|DATA_DIR: /);
    assert.doesNotMatch(error.message, /\n\s+at /, 'no stack trace');
    return true;
  });
  let server = null;
  while (!server?.ready) {
    await pause(2);
    server = await runningPostmaster(cluster);
  }
  process.kill(server.pid, 'SIGKILL');
  await refused;
  assert.equal(await runningPostmaster(cluster), null);
  assert.equal(await (await startService(dataDir)).end('SIGTERM'), 0);
});
