// Every check of the doctor, run under the real condition that it should find.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { NameServer } from '#bench/receivers/hostile/name-server.ts';
import { withMailServer } from '#test/mail/mail-server.ts';
import { runAdminCommand as admin } from '#test/support/admin-command.ts';
import { temporaryDataDir } from '#test/support/database.ts';
import { startService } from '#test/support/service-process.ts';
import { checkClock } from '#workers/admin/doctor/clock-check.ts';
import { checkDataDir } from '#workers/admin/doctor/data-dir-check.ts';
import { type Finding, type Found, runCheck } from '#workers/admin/doctor/finding.ts';
import { checkNameServers } from '#workers/admin/doctor/network-check.ts';
import { makeDataDir } from '#workers/data-dir.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

interface Diagnosis {
  readonly code: number | null;
  readonly findings: readonly Finding[];
}

async function diagnose(dataDir: string, env: Readonly<Record<string, string>> = {}): Promise<Diagnosis> {
  const { code, out } = await admin(dataDir, ['doctor', '--json'], { env: { PORT: '0', ...env } });
  const { ok, findings } = JSON.parse(out);
  assert.equal(ok, code === 0);
  return { code, findings };
}

function has(findings: readonly (Found | Finding)[], level: string, text: RegExp): void {
  const found = findings.find((finding) => finding.level === level && text.test(finding.text));
  assert.ok(found, `no ${level} ${text} in ${JSON.stringify(findings, null, 1)}`);
  assert.equal(found.next === '', level === 'ok', 'every finding that is not ok has a next step');
}

async function listening(): Promise<number> {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  after(() => server.close());
  await once(server, 'listening');
  return (server.address() as { port: number }).port;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test('before the first start the doctor finds no problem, creates nothing, and each check has a finding', async () => {
  const dataDir = join(temporaryDataDir(), 'data');
  const { code, findings } = await diagnose(dataDir);
  assert.equal(code, 0, JSON.stringify(findings));
  const checks = [...new Set(findings.map(({ check }) => check))];
  assert.deepEqual(checks, [
    'settings',
    'runtime',
    'DATA_DIR',
    'database',
    'key',
    'clock',
    'ports',
    'files',
    'memory',
    'network',
    'live timing',
    'mail',
    'payments',
    'overage',
  ]);
  assert.throws(() => chmodSync(dataDir, 0o700), /ENOENT/);
});

test('after a first start that was interrupted the doctor does not end it', async () => {
  const dataDir = temporaryDataDir();
  mkdirSync(join(dataDir, 'postgres'));
  const { findings } = await diagnose(dataDir);
  has(findings, 'ok', /the first start makes it/);
  assert.deepEqual(readdirSync(join(dataDir, 'postgres')), []);
});

test('findings are printed as lines, in colour only on a terminal, and problems are counted', async () => {
  const dataDir = temporaryDataDir();
  const plain = await admin(dataDir, ['doctor'], { env: { PORT: 'abc' } });
  assert.equal(plain.code, 1);
  assert.match(plain.err, /^1 problem\n$/);
  assert.match(plain.out, /^problem {2}settings {5}PORT: "abc" is not a port.*\n +-> Correct the value/m);
  assert.ok(!plain.out.includes('\x1b'));
  const shown = await admin(dataDir, ['doctor'], { env: { PORT: 'abc' }, interactive: true });
  assert.ok(shown.out.includes('\x1b[31mproblem\x1b[0m'));
});

test('every bad setting is reported, and the checks that do not depend on it still run', async () => {
  const { code, findings } = await diagnose(temporaryDataDir(), {
    SHARDS: '0',
    SMTP_URL: 'ftp://mail',
    DATABASE_URL: 'mysql://x:hunter2secret@y/z',
    ADMIN_TOKEN: 'for-no-listener-at-all',
    GRPC_PORT: 'x',
    GRPC_TLS_CERT: 'needs-the-port.pem',
    GRPC_TLS_KEY: 'needs-the-port.key',
  });
  assert.equal(code, 1);
  for (const name of ['SHARDS', 'SMTP_URL', 'DATABASE_URL', 'ADMIN_TOKEN', 'GRPC_PORT'])
    has(findings, 'problem', new RegExp(`^${name}:`));
  has(findings, 'unknown', /DATABASE_URL has a bad value/);
  has(findings, 'ok', /Argon2/);
  assert.doesNotMatch(JSON.stringify(findings), /hunter2secret/);
});

test('settings that are allowed but rarely intended are warnings', async () => {
  const open = await diagnose(temporaryDataDir(), {
    HOST: '0.0.0.0',
    PUBLIC_URL: 'http://hooks.example.com',
    TRUST_PROXY: 'true',
    ADMIN_PORT: '0',
    ADMIN_HOST: '0.0.0.0',
    ADMIN_TOKEN: 'a token of an operator'.replaceAll(' ', '-'),
    REPLAY_TO_LOCALHOST: 'on',
    LIVE_TO_LOCALHOST: 'on',
    CORS_ORIGINS: '*',
  });
  assert.equal(open.code, 0);
  for (const text of [
    /is open to other machines/,
    /TRUST_PROXY trusts/,
    /ADMIN_HOST/,
    /REPLAY_TO_LOCALHOST/,
    /LIVE_TO_LOCALHOST/,
    /SMTP_URL/,
    /CORS/,
  ]) {
    has(open.findings, 'warning', text);
  }
  has(
    (await diagnose(temporaryDataDir(), { PUBLIC_URL: 'https://hooks.example.com' })).findings,
    'warning',
    /TRUST_PROXY/,
  );
});

test('a DATA_DIR that the service has made is none that the doctor warns of', async (t) => {
  const umask = process.umask(0o022);
  t.after(() => process.umask(umask));
  const parent = temporaryDataDir();
  await makeDataDir(join(parent, 'var', 'data'));
  has(await checkDataDir(join(parent, 'var', 'data')), 'ok', /belongs to this user \(mode 711\)/);
  assert.equal(statSync(join(parent, 'var')).mode & 0o777, 0o755, 'the folder above it has the usual mode');
});

test('a DATA_DIR that is a file or a link, or that others may write to or list, is found', async () => {
  const parent = temporaryDataDir();
  const folder = join(parent, 'data');
  mkdirSync(folder, { mode: 0o700 });
  has(await checkDataDir(folder), 'ok', /belongs to this user \(mode 700\)/);
  has(await checkDataDir(folder), 'ok', /writing a file to the disk takes/);
  chmodSync(folder, 0o777);
  has(await checkDataDir(folder), 'problem', /others may write .* \(mode 777\)/);
  chmodSync(folder, 0o755);
  has(await checkDataDir(folder), 'warning', /others may list/);
  writeFileSync(join(parent, 'file'), '');
  has(await checkDataDir(join(parent, 'file')), 'problem', /is not a folder/);
  symlinkSync(folder, join(parent, 'link'));
  has(await checkDataDir(join(parent, 'link')), 'warning', /is a symbolic link/);
});

test('an unreadable DATA_DIR is a problem, and checks that depend on its content are unknown', async () => {
  const file = join(temporaryDataDir(), 'file');
  writeFileSync(file, '');
  const { code, findings } = await diagnose(join(file, 'data'));
  assert.equal(code, 1);
  has(findings, 'problem', /ENOTDIR/);
  has(findings, 'unknown', /DATA_DIR cannot be read/);
  has(findings, 'unknown', /cannot be checked without the database/);
});

test('a disk that is full, out of inodes or not persistent is found', async (t) => {
  const folder = join(temporaryDataDir(), 'disk');
  mkdirSync(folder);
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m,nr_inodes=64,mode=0700', 'tmpfs', folder]);
  if (mounted.status !== 0) return t.skip('only root can mount a small disk');
  try {
    has(await checkDataDir(folder), 'problem', /^\d MiB are free: below 64 MiB/);
    has(await checkDataDir(folder), 'problem', /room for only \d+ more files/);
    has(await checkDataDir(folder), 'warning', /in memory \(tmpfs\)/);
    writeFileSync(join(folder, 'big'), Buffer.alloc(1024 * 1024));
    has(await checkDataDir(folder), 'problem', /cannot write: .*ENOSPC/);
  } finally {
    execFileSync('umount', [folder]);
  }
});

test('a port that another program holds is a problem', async () => {
  const port = String(await listening());
  const { findings } = await diagnose(temporaryDataDir(), { PORT: port, ADMIN_PORT: '0' });
  has(findings, 'problem', new RegExp(`^PORT: another program listens on 127.0.0.1:${port}`));
  const operators = await diagnose(temporaryDataDir(), { ADMIN_PORT: port });
  has(operators.findings, 'problem', /^ADMIN_PORT: another program/);
  const calls = await diagnose(temporaryDataDir(), { GRPC_PORT: port });
  has(calls.findings, 'problem', /^GRPC_PORT: another program/);
  const node = { CLUSTER: 'on', DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', SECRET_KEY: 'k'.repeat(40) };
  const peers = await diagnose(temporaryDataDir(), { ...node, CLUSTER_ADDRESS: `127.0.0.1:${port}` });
  has(peers.findings, 'problem', /^CLUSTER_ADDRESS: another program/);
  const elsewhere = await diagnose(temporaryDataDir(), { HOST: '192.0.2.1', PORT: port });
  has(elsewhere.findings, 'problem', /not an address of this machine/);
});

test('a service that listens on another port than the settings say is one warning, and its readiness is not asked for', async (t) => {
  const dataDir = temporaryDataDir();
  const service = await startService(dataDir);
  t.after(() => service.end('SIGTERM'));
  const free = createServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const { port } = free.address() as { port: number };
  free.close();
  const { code, findings } = await diagnose(dataDir, { PORT: String(port) });
  assert.equal(code, 0);
  has(findings, 'warning', new RegExp(`^PORT: the service \\(process \\d+\\) does not listen on 127.0.0.1:${port}$`));
  assert.deepEqual(
    findings.filter(({ text }) => text.includes('readyz')),
    [],
  );
});

test('a low limit of open files is reported with the reason for the need', () => {
  const limited = (files: number): readonly Found[] => {
    const script = `
      import { checkFileLimit } from '#workers/admin/doctor/machine-check.ts';
      console.log(JSON.stringify(await checkFileLimit(1, 0)));`;
    const command = `ulimit -n ${files}; exec "$0" --input-type=module --eval "$1"`;
    const { stdout } = spawnSync('/bin/sh', ['-c', command, process.execPath, script], { cwd: ROOT, encoding: 'utf8' });
    return JSON.parse(stdout);
  };
  has(limited(400), 'problem', /^400 files may be open; at least 512 are needed/);
  has(limited(1_000), 'warning', /full load needs 8704 \(512 \+ 0 endpoints \+ 1 shard/);
});

test('name servers that do not respond or do not exist are found', async () => {
  const server = new NameServer(new Map(), '127.0.0.1');
  await server.listen(0);
  const { address } = server;
  has([await checkNameServers([address])], 'ok', /^the name servers answer/);
  server.close();
  has([await checkNameServers([address])], 'warning', /^no name server answers/);
});

test('the servers in the settings are contacted, and unreachable ones are named', async (t) => {
  const port = await listening();
  const mails = await withMailServer(t);
  const reached = await diagnose(temporaryDataDir(), {
    LIVE_TIMING_URL: `http://127.0.0.1:${port}/signalrcore`,
    SMTP_URL: mails.url,
  });
  has(reached.findings, 'ok', /^the mail server accepts the credentials/);
  assert.equal(mails.received.length, 0);
  has(reached.findings, 'ok', /^LIVE_TIMING_URL: .* accepts connections/);
  const { code, findings } = await diagnose(temporaryDataDir(), {
    LIVE_TIMING_URL: 'http://127.0.0.1:9/signalrcore',
    SMTP_URL: 'smtp://user:hunter2secret@127.0.0.1:9',
  });
  assert.equal(code, 1);
  has(findings, 'problem', /^LIVE_TIMING_URL: cannot reach 127\.0\.0\.1:9/);
  has(findings, 'problem', /^SMTP_URL: the mail server cannot be reached/);
  assert.doesNotMatch(JSON.stringify(findings), /hunter2secret/);
  // A server that accepts connections but does not speak TLS counts as unreachable too.
  const plain = await diagnose(temporaryDataDir(), { LIVE_TIMING_URL: `https://127.0.0.1:${port}/signalrcore` });
  has(plain.findings, 'problem', /^LIVE_TIMING_URL/);
});

test('a clock with a wrong year, or one that jumps, is found', async () => {
  has(await checkClock(() => 0), 'problem', /the year 1970/);
  let asked = 0;
  // The clock jumps by an hour between the second and the third reading.
  const moved = await checkClock(() => Date.now() + (asked++ >= 2 ? 3_600_000 : 0));
  has(moved, 'warning', /the clock jumped by 36000\d\d ms|the clock jumped by 3599\d{3} ms/);
});

test('a check that hangs or fails is reported, and the others still run', async () => {
  const [late] = await runCheck({ name: 'hanging', run: () => new Promise(() => {}) }, 10);
  assert.deepEqual([late!.check, late!.level], ['hanging', 'problem']);
  const [failed] = await runCheck({ name: 'failing', run: () => Promise.reject(new Error('out of order')) });
  assert.deepEqual([failed!.level, failed!.text], ['problem', 'out of order']);
});

test('while the service runs, its own ports are not a problem, and the key is checked against the secrets in the database', async () => {
  const dataDir = temporaryDataDir('service');
  const port = String(await freePort());
  const service = await startService(dataDir, { PORT: port });
  after(() => service.end('SIGKILL'));
  const made = await admin(dataDir, ['account', 'create', '--email', 'a@example.org', '--plan', 'free']);
  assert.equal(made.code, 0, made.err);
  const running = await diagnose(dataDir, { PORT: port });
  assert.equal(running.code, 0, JSON.stringify(running.findings));
  has(running.findings, 'ok', /is in use, as expected while the service runs \(process \d+\)/);
  has(running.findings, 'ok', /the service is ready/);
  has(running.findings, 'ok', /the key opens the secrets/);
  has(running.findings, 'ok', /a commit takes|its schema is up to date/);
  has(
    (await diagnose(dataDir, { PORT: '0', SECRET_KEY: 'another key than that' })).findings,
    'problem',
    /1 of the secrets/,
  );
  chmodSync(join(dataDir, 'secret.key'), 0o644);
  has((await diagnose(dataDir, { PORT: port })).findings, 'problem', /others may read \S+secret\.key/);

  assert.equal(await service.end('SIGTERM'), 0);
  copyFileSync(join(dataDir, 'secret.key'), join(dataDir, 'kept'));
  rmSync(join(dataDir, 'secret.key'));
  const missing = await diagnose(dataDir, { PORT: port });
  has(missing.findings, 'problem', /secret\.key is missing, and the database holds secrets/);
  has(missing.findings, 'ok', /PORT: \S+ is free/);
  copyFileSync(join(dataDir, 'kept'), join(dataDir, 'secret.key'));
  chmodSync(join(dataDir, 'secret.key'), 0o600);
  assert.equal((await diagnose(dataDir, { PORT: port })).code, 0, 'the built-in database is started for the check');
});
