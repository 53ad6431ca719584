// Runs a bench in its own process: no bench inherits the heap or the compiled code of the one before, and a crash does
// not end the suite. That process leads a process group and has its own folder for temporary files. However the bench
// ends, Ctrl-C included, no process of the group is left and the folder is removed.

import { type ChildProcess, fork } from 'node:child_process';
import { chmodSync, globSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '#engine/base/clock.ts';
import { runningPostmaster, stopPostmaster } from '#engine/storage/embedded/postmaster.ts';
import { errorCode } from '#engine/storage/storage-error.ts';
import { removeDataFolder } from '#workers/demo/data-folder.ts';
import type { BenchResult } from './result.ts';
import { UsageError } from './usage-error.ts';

/** Messages from the process of a bench. */
export type FromBench =
  | { readonly kind: 'progress'; readonly line: string }
  | { readonly kind: 'result'; readonly result: BenchResult }
  | { readonly kind: 'failed'; readonly message: string; readonly isUsage: boolean };

const PROCESS = new URL('../bench-process.ts', import.meta.url);
/** A stopping service may take this long to record what is in flight. */
const END_MS = 25_000;
const KILL_MS = 5_000;
const POLL_MS = 25;

/**
 * `env`: environment of its process, added to this one's. Rejects with a UsageError if the arguments are invalid, and
 * with the signal's reason when it is aborted.
 */
export async function runSeparately(
  name: string,
  args: readonly string[],
  progress: (line: string) => void,
  signal: AbortSignal,
  env: NodeJS.ProcessEnv = {},
): Promise<BenchResult> {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-bench-'));
  // A service started as root runs PostgreSQL as another user, which must be able to traverse the folder.
  chmodSync(folder, 0o711);
  const child = fork(PROCESS, [name, ...args], {
    detached: true,
    env: { ...process.env, ...env, TMPDIR: folder },
    // Other output of the bench and its services goes to standard error, for people to read.
    stdio: ['ignore', 2, 2, 'ipc'],
    serialization: 'advanced',
  });
  try {
    return await outcome(child, progress, signal);
  } finally {
    if (child.pid !== undefined) await endGroup(child.pid);
    await removeAll(folder);
  }
}

function outcome(child: ChildProcess, progress: (line: string) => void, signal: AbortSignal): Promise<BenchResult> {
  return new Promise((resolve, reject) => {
    child.on('message', (message: FromBench) => {
      if (message.kind === 'progress') progress(message.line);
      else if (message.kind === 'result') resolve(message.result);
      else reject(message.isUsage ? new UsageError(message.message) : new Error(message.message));
    });
    child.once('error', reject);
    child.once('exit', (code, killedBy) => reject(new Error(`its process exited unexpectedly (${killedBy ?? code})`)));
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

async function endGroup(leader: number): Promise<void> {
  for (const [signal, withinMs] of [['SIGINT', END_MS] as const, ['SIGKILL', KILL_MS] as const]) {
    if (!signalGroup(leader, signal)) return;
    for (let waitedMs = 0; waitedMs < withinMs; waitedMs += POLL_MS) {
      if (!signalGroup(leader, 0)) return;
      await pause(POLL_MS);
    }
  }
}

/** Returns whether the group still has a process. */
function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader, signal);
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return false;
    throw error;
  }
}

/** Also stops PostgreSQL servers: each runs in its own session and outlives a parent that was killed. */
async function removeAll(folder: string): Promise<void> {
  const found = (name: string, root: string): string[] =>
    globSync(`**/${name}`, { cwd: root }).map((file) => join(root, dirname(file)));
  // As root, its data may be elsewhere; postgres.json in the data folder says where.
  const moved = found('postgres.json', folder);
  const roots = moved.map(
    (dataDir) => JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8')).folder as string,
  );
  for (const cluster of [folder, ...roots].flatMap((root) => found('postmaster.pid', root))) {
    const server = await runningPostmaster(cluster);
    if (server !== null) await stopPostmaster(server.pid, systemClock);
  }
  for (const dataDir of [...moved, folder]) removeDataFolder(dataDir);
}
