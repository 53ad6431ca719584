// A real service whose disk, with its built-in database, fills up in the middle of a replay and a live session.
// Deliveries continue, nothing is recorded by half, and with room again everything resumes by itself and the sums are
// exact.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { loggedCount } from '#bench/suite/logged-attempts.ts';
import { systemClock } from '#engine/base/clock.ts';
import { runningPostmaster } from '#engine/storage/embedded/postmaster.ts';
import { SERVER_USER_NAME } from '#engine/storage/embedded/server-launch.ts';
import { SERVER_PORT } from '#engine/storage/embedded/server-settings.ts';
import { connect, type Sql } from '#engine/storage/postgres-client.ts';
import { temporaryDataDir } from '#test/support/database.ts';
import { ApiClient, runAdminCommand, type ServiceProcess, startService } from '#test/support/service-process.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';

const REPLAYED = 'demo-race';
const LIVE = '2026-full-disk-race';
/** Enough for the service to be ready: it requires 64 MiB of free space. */
const DISK_MIB = 256;
const dataDir = temporaryDataDir();
const ballast = join(dataDir, 'ballast');
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m,mode=711`, 'tmpfs', dataDir]).status === 0;
const skip = !mounted && 'only root can make a small disk';
let service: ServiceProcess;
let api: ApiClient;
let receiver: WebhookReceiver;
let runId: string;
let handedIn = 0;

before(async () => {
  if (!mounted) return;
  execFileSync('cp', ['-a', `${temporaryDataDir('service')}/.`, dataDir]);
  service = await startService(dataDir, { SHARDS: '1', ADMIN_PORT: '0', LIVE_TO_LOCALHOST: 'on' });
  const account = await runAdminCommand(dataDir, ['account', 'create', '--email', 'a@example.org', '--plan', 'custom']);
  api = await ApiClient.open(service.address, account);
  receiver = await startWebhookReceiver();
  await api.call('POST', '/webhooks', { webhookUrl: receiver.url, feedIds: ['*'] });
  await api.call('POST', '/simulate/prepare', { sessionId: REPLAYED });
  await api.until(`/simulate/status?session=${REPLAYED}`, ({ data }) => data.status === 'ready');
  runId = (await api.call('GET', `/simulate/stream?session=${REPLAYED}&speed=10&sinks=webhook`)).body.data.runId;
  await received(5);
  assert.equal(await handIn(), 200);
});
after(async () => {
  await service?.end('SIGTERM');
  await receiver?.close();
  if (mounted) spawnSync('umount', ['-l', dataDir]);
});

async function received(further: number, signal?: AbortSignal): Promise<void> {
  const until = receiver.received.length + further;
  while (receiver.received.length < until) await pause(20, null, { signal });
}

async function status(path: string): Promise<number> {
  return (await fetch(`${service.address}${path}`)).status;
}

/** Sends the next message of the live session, or the last one again if it was refused. Returns the status. */
async function handIn(): Promise<number> {
  const sequence = handedIn + 1;
  const utc = new Date(Date.UTC(2026, 4, 3, 14, 0, sequence)).toISOString();
  // Larger than the rest of the last page of a file on a full disk.
  const data = sequence === 1 ? { Status: 'Started' } : { Utc: utc, filler: 'x'.repeat(8_192) };
  const topic = sequence === 1 ? 'SessionStatus' : 'Heartbeat';
  const answer = await fetch(`${service.operators}/v1/ingest/${LIVE}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: `${JSON.stringify({ sequence, topic, utc, data })}\n`,
  }).catch(() => null);
  await answer?.arrayBuffer();
  if (answer?.status === 200) handedIn = sequence;
  return answer?.status ?? 0;
}

/** Writes no more than the small disk holds: a test that outlives its mount must not fill the machine's own disk. */
function fillDisk(): void {
  let left = DISK_MIB * 1_048_576;
  for (let bytes = 1_048_576; bytes >= 1; bytes >>>= 1) {
    try {
      for (; left >= bytes; left -= bytes) appendFileSync(ballast, Buffer.alloc(bytes));
    } catch {}
  }
}

function countOf(line: RegExp): number {
  return service
    .output()
    .split('\n')
    .filter((text) => line.test(text)).length;
}

async function withDatabase<T>(use: (sql: Sql) => Promise<T>): Promise<T> {
  const { socket } = (await runningPostmaster(join(dataDir, 'postgres', 'data')))!;
  const settings = { setting: 'DATA_DIR', host: socket, port: SERVER_PORT, user: SERVER_USER_NAME } as const;
  const sql = connect(
    { ...settings, password: null, database: 'postgres', tls: 'off' },
    { max: 1, name: 'looking on', clock: systemClock },
  );
  try {
    return await use(sql);
  } finally {
    await sql.end({ timeout: 0 });
  }
}

test('full: deliveries continue, no message is accepted that is not recorded, the API sends Retry-After, and the log stays short', {
  skip,
  timeout: 60_000,
}, async ({ signal }) => {
  // PostgreSQL ends itself when it cannot write its write-ahead log. It would do so sooner or later; this makes it
  // sooner. It may refuse a statement or a connection for want of space, and live on; and while its checkpoints keep up
  // it would use old segments of its log again for ever.
  await withDatabase(async (sql) => {
    await sql`alter system set wal_recycle = off`;
    await sql`select pg_reload_conf()`;
  });
  fillDisk();
  while (countOf(/PostgreSQL ended unexpectedly/) === 0) {
    await withDatabase(async (sql) => {
      for (;;) {
        signal.throwIfAborted();
        fillDisk();
        await sql`select pg_switch_wal(), pg_logical_emit_message(false, 'test', 'anything', true)`;
      }
    }).catch(() => pause(20, null, { signal }));
  }
  const linesBefore = service.output().split('\n').length;
  while ((await status('/readyz')) !== 503) await pause(20, null, { signal });
  // The space that PostgreSQL frees when it ends.
  let refusals = 0;
  while (refusals === 0 || countOf(/cannot restart PostgreSQL/) < 2) {
    fillDisk();
    if ((await handIn()) !== 200) refusals++;
    await pause(20, null, { signal });
  }
  await received(5, signal);
  assert.equal(await status('/healthz'), 200);
  assert.equal(await status('/readyz'), 503);
  const { status: refused } = await api.call('POST', '/webhooks', { webhookUrl: receiver.url, feedIds: ['*'] });
  assert.equal(refused, 503);
  assert.ok(service.output().split('\n').length - linesBefore < 200);
});

test('I1, I10: with room again everything resumes by itself; each delivery is in the log once and counted once', {
  skip,
  timeout: 60_000,
}, async ({ signal }) => {
  rmSync(ballast);
  while ((await status('/readyz')) !== 200) await pause(100, null, { signal });
  while ((await handIn()) !== 200) await pause(100, null, { signal });
  for (let further = 0; further < 10; further++) assert.equal(await handIn(), 200);
  assert.equal((await fetch(`${service.operators}/v1/ingest/${LIVE}/end`, { method: 'POST' })).status, 200);
  await api.call('DELETE', `/simulate/stream?runId=${runId}`);
  await api.until('/simulate/runs', ({ data }) =>
    data.runs.every(({ state }: { state: string }) => state === 'stopped' || state === 'completed'),
  );
  const { body } = await api.call('GET', '/simulate/sessions');
  const entry = body.data.sessions.find(({ sessionId }: { sessionId: string }) => sessionId === LIVE);
  assert.equal(entry.updateCount, handedIn, 'every accepted message is recorded once');
  const count = receiver.received.length;
  assert.deepEqual(
    await withDatabase(async (sql) => [
      ...(await sql`
        select ${loggedCount(sql)} as logged, (select sum(attempts)::int from usage) as used`),
    ]),
    [{ logged: count, used: count }],
  );
  const told = new Set(receiver.received.map(({ body }) => body));
  assert.equal(told.size, count, 'and was delivered once');
  assert.equal(service.process.exitCode, null);
  const claims = readdirSync(dataDir).filter((name) => name.startsWith('postgres.pid'));
  assert.deepEqual(claims, ['postgres.pid'], 'starts that failed left nothing behind');
});
