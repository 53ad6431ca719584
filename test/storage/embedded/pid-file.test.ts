import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '#engine/base/clock.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import { lockDataDir } from '#engine/storage/data-dir-lock.ts';
import { claimPidFile } from '#engine/storage/embedded/pid-file.ts';
import { isAlive, processIdentity } from '#engine/storage/embedded/process-identity.ts';
import { StorageError } from '#engine/storage/storage-error.ts';

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-test-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** The pid of a process that has ended. */
function deadPid(): number {
  return spawnSync(process.execPath, ['-e', '']).pid;
}

test('a claim is refused while its holder is alive, and granted after its release', async (t) => {
  const path = join(folderOf(t), 'claim');
  const first = await claimPidFile(path, systemClock, systemRandomBytes);
  assert.equal(first.kind, 'held');
  assert.deepEqual(await claimPidFile(path, systemClock, systemRandomBytes), { kind: 'taken', pid: process.pid });
  if (first.kind === 'held') await first.file.release();
  assert.equal((await claimPidFile(path, systemClock, systemRandomBytes)).kind, 'held');
});

test('a file is replaced when it is invalid, or names a dead process, or a pid that another process has now', async (t) => {
  const path = join(folderOf(t), 'claim');
  const contents = [
    JSON.stringify({ pid: deadPid(), identity: 'earlier', token: 'a' }),
    JSON.stringify({ pid: process.pid, identity: 'before the reboot', token: 'a' }),
    '{"pid": -1}',
    '{"pid"',
    '',
  ];
  for (const content of contents) {
    writeFileSync(path, content);
    assert.equal((await claimPidFile(path, systemClock, systemRandomBytes)).kind, 'held', content);
    rmSync(path);
  }
});

test('when many processes find a stale file at once, one gets the claim, and no other file is left', async (t) => {
  const folder = folderOf(t);
  const path = join(folder, 'claim');
  for (let round = 0; round < 20; round++) {
    writeFileSync(path, JSON.stringify({ pid: process.pid, identity: 'before the reboot' }));
    const claims = await Promise.all(
      Array.from({ length: 8 }, () => claimPidFile(path, systemClock, systemRandomBytes)),
    );
    assert.equal(claims.filter(({ kind }) => kind === 'held').length, 1);
    assert.deepEqual(readdirSync(folder), ['claim']);
  }
});

test('a release leaves the claim of a later holder alone', async (t) => {
  const path = join(folderOf(t), 'claim');
  const claim = await claimPidFile(path, systemClock, systemRandomBytes);
  writeFileSync(path, 'of a later one');
  if (claim.kind === 'held') await claim.file.release();
  assert.equal(readFileSync(path, 'utf8'), 'of a later one');
});

test('a second service on the same DATA_DIR gets an error that names the process that holds it', async (t) => {
  const dataDir = join(folderOf(t), 'new');
  const lock = await lockDataDir(dataDir, systemClock, systemRandomBytes);
  await assert.rejects(lockDataDir(dataDir, systemClock, systemRandomBytes), (error: Error) => {
    assert.ok(error instanceof StorageError);
    assert.ok(error.message.includes(`process ${process.pid}`) && error.message.includes(dataDir), error.message);
    return true;
  });
  await lock.release();
  await (await lockDataDir(dataDir, systemClock, systemRandomBytes)).release();
});

test('a process that has ended is not alive and has no identity', () => {
  const pid = deadPid();
  assert.equal(isAlive(pid), false);
  assert.equal(processIdentity(pid), null);
  assert.equal(processIdentity(process.pid), processIdentity(process.pid));
  assert.notEqual(processIdentity(process.pid), null);
});

test('a zombie, whose parent has not collected its exit code, counts as ended', async (t) => {
  // The shell starts a child, then becomes a program that never asks for the child's exit code.
  const parent = spawn('sh', ['-c', 'sleep 0.01 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
  t.after(() => parent.kill('SIGKILL'));
  const [line] = await once(parent.stdout, 'data');
  const pid = Number(String(line));
  for (let looks = 0; looks < 200 && isAlive(pid); looks++) await sleep(20);
  assert.equal(isAlive(pid), false);
  assert.doesNotThrow(() => process.kill(pid, 0), 'its pid is still taken');
});

test('a process at its limit of open files gets an error instead of taking a living process for dead, and can still release its claim', async (t) => {
  const path = join(folderOf(t), 'claim');
  const { stdout, stderr } = spawnSync(
    'sh',
    ['-c', 'ulimit -n 64 && exec "$0" --input-type=module -e "$1"', process.execPath, WITHOUT_FILES],
    { env: { ...process.env, CLAIM: path }, cwd: import.meta.dirname, encoding: 'utf8' },
  );
  assert.deepEqual(stdout.split('\n'), ['EMFILE', 'EMFILE', 'EMFILE', 'released', ''], stderr);
  assert.deepEqual(readdirSync(dirname(path)), []);
});

const WITHOUT_FILES = `
  import { openSync } from 'node:fs';
  import { systemClock } from '#engine/base/clock.ts';
  import { systemRandomBytes } from '#engine/base/random.ts';
  import { claimPidFile } from '#engine/storage/embedded/pid-file.ts';
  import { isAlive, processArguments, processIdentity } from '#engine/storage/embedded/process-identity.ts';
  const path = process.env.CLAIM;
  const { file } = await claimPidFile(path, systemClock, systemRandomBytes);
  const looks = [() => isAlive(process.ppid), () => processIdentity(process.ppid), () => processArguments(process.ppid)];
  for (const look of looks) look();
  try {
    for (;;) openSync('/dev/null');
  } catch {}
  for (const look of looks) {
    try {
      console.log(look());
    } catch ({ code }) {
      console.log(code);
    }
  }
  await file.release();
  console.log('released');
`;
