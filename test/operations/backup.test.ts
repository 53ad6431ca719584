// Backup and restore with the real service: a backup is taken during a replay, restored into another folder, and the replay
// resumes there.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { runAdminCommand } from '#test/support/admin-command.ts';
import { temporaryDataDir } from '#test/support/database.ts';
import { issuedIn } from '#test/support/output-folder.ts';
import { ApiClient, type ServiceProcess, startService } from '#test/support/service-process.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';

const ADMIN = fileURLToPath(new URL('../../workers/admin.ts', import.meta.url));
/** Takes minutes at ten times its speed, so its replay is still running after the backup, even on a slow machine. */
const SESSION = 'demo-race';
/** The number of attempts after which a replay counts as started. The first ones start at once, the next within seconds. */
const BEGUN = 10;
const origin = temporaryDataDir('service');
const folder = join(temporaryDataDir(), 'backup');
let service: ServiceProcess;
let receiver: WebhookReceiver;
let account: Record<string, string>;
let webhook: { webhookId: string; webhookSecret: string };
let runId: string;
let taken: Record<string, unknown>;
/** The attempts in usage, right after the backup. */
let usage: number;

const LIVE = '2026-club-race';
const LIVE_LINES = [
  ['SessionInfo', { Meeting: { Name: 'Club Grand Prix', Circuit: { ShortName: 'Club' } }, Type: 'Race', Name: 'Race' }],
  ['LapCount', { CurrentLap: 1, TotalLaps: 9 }],
  ['LapCount', { CurrentLap: 2 }],
] as const;

/** Sends lines of an operator's own session, which stays live. */
async function ingest(operators: string): Promise<void> {
  const utc = new Date().toISOString();
  const lines = LIVE_LINES.map(([topic, data], index) => JSON.stringify({ topic, utc, data, sequence: index + 1 }));
  const answer = await fetch(`${operators}/v1/ingest/${LIVE}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: `${lines.join('\n')}\n`,
  });
  assert.equal(answer.status, 200, await answer.text());
}

/** Runs a command that must succeed. Returns what it prints. */
async function done(dataDir: string, args: readonly string[]): Promise<Record<string, string>> {
  const { code, out, err } = await runAdminCommand(dataDir, args);
  assert.equal(code, 0, err);
  const printed = JSON.parse(out);
  issuedIn(printed);
  return printed;
}

async function prepared(api: ApiClient): Promise<void> {
  await api.call('POST', '/simulate/prepare', { sessionId: SESSION });
  await api.until(`/simulate/status?session=${SESSION}`, ({ data }) => data.status === 'ready');
}

before(async () => {
  service = await startService(origin, { ADMIN_PORT: '0' });
  receiver = await startWebhookReceiver();
  account = await done(origin, ['account', 'create', '--email', 'ada@example.org', '--plan', 'custom']);
  const api = await ApiClient.open(service.address, account);
  webhook = (await api.call('POST', '/webhooks', { webhookUrl: receiver.url, feedIds: ['*'] })).body.data;
  await ingest(service.operators);
  await prepared(api);
  const started = await api.call('GET', `/simulate/stream?session=${SESSION}&speed=10&sinks=webhook`);
  runId = started.body.data.runId;
  await api.until('/usage', ({ data }) => data.deliveryCount > BEGUN);
  symlinkSync('/etc/passwd', join(origin, 'recordings', '2026-not-ours.frames'));
  taken = await done(origin, ['backup', folder]);
  const { body } = await api.call('GET', `/simulate/runs/${runId}`);
  assert.equal(body.data.state, 'running', 'the replay is still running after the backup');
  usage = (await api.call('GET', '/usage')).body.data.deliveryCount;
  await service.end('SIGTERM');
});
after(async () => {
  service.process.kill('SIGKILL');
  await receiver.close();
});

test('a backup of a running service is complete, closed to other users, and holds no key', () => {
  assert.deepEqual(readdirSync(folder).sort(), ['live', 'manifest.json', 'playback', 'recordings', 'tables']);
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  assert.ok(!files.some(({ name }) => name.includes('not-ours')), 'links are not followed');
  const held = files.map(({ parentPath, name }) => `${basename(parentPath)}/${name}`);
  assert.ok(held.includes(`live/${LIVE}.updates`), 'what the live session has published');
  assert.ok(
    held.some((name) => name.startsWith(`playback/${SESSION}.`)),
    'what the running replay plays',
  );
  const key = readFileSync(join(origin, 'secret.key'), 'utf8').trim();
  for (const { parentPath, name } of files) {
    assert.equal(statSync(join(parentPath, name)).mode & 0o777, 0o600, name);
    assert.ok(!readFileSync(join(parentPath, name)).includes(key), name);
  }
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  const rows = manifest.tables.reduce((sum: number, table: { rows: number }) => sum + table.rows, 0);
  assert.deepEqual([taken.rows, taken.migration], [rows, manifest.migrations.length]);
  const rowsOf = (table: string): number => manifest.tables.find(({ name }: { name: string }) => name === table).rows;
  assert.ok(rowsOf('log_journal') + rowsOf('log_page') > 0, 'the delivery log');
});

test('a backup refuses a path that is in use, and leaves its content unchanged', async () => {
  const refused = await runAdminCommand(origin, ['backup', folder]);
  assert.deepEqual([refused.code, refused.out], [1, '']);
  assert.match(refused.err, /is not empty/);
  const file = join(temporaryDataDir(), 'file');
  writeFileSync(file, 'mine');
  const link = `${file}-link`;
  symlinkSync(origin, link);
  for (const path of [file, link]) assert.equal((await runAdminCommand(origin, ['backup', path])).code, 1);
  assert.equal(readFileSync(file, 'utf8'), 'mine');
});

test('a backup into a place in which no folder can be made says so, and where', async () => {
  const { code, err } = await runAdminCommand(origin, ['backup', '/proc/backups/new']);
  assert.deepEqual([code, err.includes('/proc/backups/new: ')], [1, true], err);
});

test('without the key of the backup, or with another key, nothing is restored', async () => {
  const dataDir = temporaryDataDir();
  const without = await runAdminCommand(dataDir, ['restore', folder]);
  assert.equal(without.code, 1);
  assert.match(without.err, /There is no key for the secrets of the backup/);
  assert.deepEqual(readdirSync(dataDir), []);
  writeFileSync(join(dataDir, 'secret.key'), 'another key than that of the backup\n', { mode: 0o600 });
  const wrong = await runAdminCommand(dataDir, ['restore', folder]);
  assert.equal(wrong.code, 1, wrong.err);
  assert.match(wrong.err, /2 of the secrets in the backup were sealed under another key/);
  assert.deepEqual(
    readdirSync(dataDir)
      .filter((name) => /recordings|restoring/.test(name))
      .flatMap((name) => readdirSync(join(dataDir, name))),
    [],
  );
  // An empty database is left, so with the right key the backup can be restored into the same folder.
  copyFileSync(join(origin, 'secret.key'), join(dataDir, 'secret.key'));
  const restored = await runAdminCommand(dataDir, ['restore', folder]);
  assert.equal(restored.code, 0, restored.err);
  const again = await runAdminCommand(dataDir, ['restore', folder]);
  assert.equal(again.code, 1);
  assert.match(again.err, /needs an empty DATA_DIR and database: \S+recordings holds files/);
  for (const name of ['recordings', 'live']) rmSync(join(dataDir, name), { recursive: true });
  const used = await runAdminCommand(dataDir, ['restore', folder]);
  assert.equal(used.code, 1);
  assert.match(used.err, /needs an empty DATA_DIR and database: table \w+ of the database holds rows/);
});

test('a backup that was changed, is of a newer version or points outside its folder is refused, and nothing is written', async () => {
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  const altered = (change: (copy: typeof manifest, path: string) => void): string => {
    const path = join(temporaryDataDir(), 'copy');
    for (const entry of ['tables', 'recordings', 'live', 'playback']) mkdirSync(join(path, entry), { recursive: true });
    for (const { parentPath, name } of readdirSync(folder, { recursive: true, withFileTypes: true }).filter((e) =>
      e.isFile(),
    )) {
      copyFileSync(join(parentPath, name), join(path, parentPath.slice(folder.length), name));
    }
    const copy = structuredClone(manifest);
    change(copy, path);
    writeFileSync(join(path, 'manifest.json'), JSON.stringify(copy));
    return path;
  };
  const table = 'tables/log_journal.copy.gz';
  const damaged = altered((_, path) => {
    const bytes = readFileSync(join(path, table));
    bytes[bytes.length >> 1]! ^= 1;
    writeFileSync(join(path, table), bytes);
  });
  const linked = altered((_, path) => {
    rmSync(join(path, table));
    symlinkSync(join(folder, table), join(path, table));
  });
  const newer = altered((copy) => copy.migrations.push({ number: copy.migrations.length + 1, name: 'tomorrow' }));
  const elsewhere = altered((copy) => {
    copy.files[0].path = '../../etc/recordings';
  });
  const sql = altered((copy) => {
    copy.tables[0].name = 'account"; drop table account; --';
  });
  for (const [path, reason] of [
    [damaged, /log_journal\.copy\.gz is damaged/],
    [linked, /a symbolic link is in the way .*log_journal\.copy\.gz/],
    [newer, new RegExp(`at migration ${manifest.migrations.length + 1}, but this version of the service knows only`)],
    [elsewhere, /is not the manifest of a backup/],
    [sql, /is not the manifest of a backup/],
    [join(folder, 'tables'), /is not a backup: it has no manifest\.json/],
  ] as const) {
    const dataDir = temporaryDataDir();
    copyFileSync(join(origin, 'secret.key'), join(dataDir, 'secret.key'));
    const { code, err } = await runAdminCommand(dataDir, ['restore', path]);
    assert.equal(code, 1);
    assert.match(err, reason);
    assert.deepEqual(readdirSync(dataDir), ['secret.key']);
  }
});

test('a service restored elsewhere has all data, signs with the same secret, and resumes the replay', async () => {
  const dataDir = temporaryDataDir('database');
  copyFileSync(join(origin, 'secret.key'), join(dataDir, 'secret.key'));
  const restored = await runAdminCommand(dataDir, ['restore', folder]);
  assert.equal(restored.code, 0, restored.err);
  assert.equal(JSON.parse(restored.out).rows, taken.rows);
  const before = receiver.received.length;
  const other = await startService(dataDir, { ADMIN_PORT: '0' });
  after(() => other.end('SIGKILL'));
  const live = (await (await fetch(`${other.operators}/v1/ingest/${LIVE}`)).json()) as {
    data: { lastSequence: number };
  };
  assert.equal(live.data.lastSequence, LIVE_LINES.length, 'the live session resumes as well');
  const api = await ApiClient.open(other.address, account);
  const { body } = await api.call('GET', `/webhooks/${webhook.webhookId}/secret`);
  assert.equal(body.data.webhookSecret, webhook.webhookSecret);
  const kept = (await api.call('GET', '/usage')).body.data.deliveryCount;
  assert.ok(kept > BEGUN && kept <= usage + receiver.received.length, `${kept} attempts are counted`);
  await api.until('/usage', ({ data }) => data.deliveryCount > kept + BEGUN);
  await api.call('DELETE', `/simulate/stream?runId=${runId}`);
  const run = await api.until(`/simulate/runs/${runId}`, ({ data }) => data.state === 'stopped');
  assert.ok(receiver.received.length > before, 'the replay resumed');
  const sequences = new Set(receiver.received.map(({ sequence }) => sequence));
  assert.equal(sequences.size, Math.max(...sequences), 'no update is missing where the replay resumed');
  assert.equal(receiver.wronglySigned(webhook.webhookSecret), 0, 'I6');
  const [endpoint] = run.data.endpoints;
  assert.equal(endpoint.delivered, sequences.size, 'I1');
  assert.equal((await api.call('GET', '/usage')).body.data.deliveryCount, sequences.size, 'I10');
  const more = await api.call('POST', '/webhooks', { webhookUrl: receiver.url, feedIds: ['*'] });
  assert.equal(more.status, 201, 'new rows get numbers after the restored ones');
  assert.equal(await other.end('SIGTERM'), 0);
});

/** Runs the tool in its own process, which can receive signals. */
function startTool(dataDir: string, args: readonly string[]) {
  const child = spawn(process.execPath, [ADMIN, ...args], {
    env: { PATH: process.env.PATH, DATA_DIR: dataDir },
    stdio: 'ignore',
  });
  return { child, code: new Promise((resolve) => child.on('close', resolve)) };
}

test('an interrupted backup leaves nothing behind', async () => {
  const parent = temporaryDataDir();
  const { child, code } = startTool(origin, ['backup', join(parent, 'b')]);
  while (readdirSync(parent).length === 0) await pause(2);
  child.kill('SIGINT');
  assert.equal(await code, 130);
  assert.deepEqual(readdirSync(parent), []);
});

test('a restore that is interrupted or killed can be repeated', async () => {
  const dataDir = temporaryDataDir('database');
  copyFileSync(join(origin, 'secret.key'), join(dataDir, 'secret.key'));
  for (const [signal, expected] of [
    ['SIGINT', 130],
    ['SIGKILL', null],
  ] as const) {
    const { child, code } = startTool(dataDir, ['restore', folder]);
    while (!readdirSync(dataDir).some((name) => name.startsWith('restoring-'))) await pause(2);
    child.kill(signal);
    assert.equal(await code, expected);
    assert.ok(!readdirSync(dataDir).includes('recordings'));
  }
  const restored = await runAdminCommand(dataDir, ['restore', folder]);
  assert.equal(restored.code, 0, restored.err);
  assert.deepEqual(readdirSync(join(dataDir, 'recordings')), readdirSync(join(folder, 'recordings')));
  assert.ok(!readdirSync(dataDir).some((name) => name.startsWith('restoring-')));
});
