// Finds the running PostgreSQL server of a data folder by its postmaster.pid, verifies it, and stops it.

import { readFile } from 'node:fs/promises';
import type { TimerClock } from '#engine/base/clock.ts';
import { SERVER_FAST_STOP_MS, SERVER_IMMEDIATE_STOP_MS } from '#engine/base/limits.ts';
import { errorCode, StorageError } from '#engine/storage/storage-error.ts';
import { isAlive, processArguments } from './process-identity.ts';

export interface Postmaster {
  readonly pid: number;
  readonly socket: string;
  readonly ready: boolean;
}

const POLL_MS = 20;

/** Reads postmaster.pid, whether or not that process is still alive; null without the file. */
export async function readPostmaster(cluster: string): Promise<Postmaster | null> {
  let text: string;
  try {
    text = await readFile(`${cluster}/postmaster.pid`, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  if (!Number.isSafeInteger(pid) || pid <= 1) return null;
  return { pid, socket: lines[4]?.trim() ?? '', ready: lines[7]?.trim() === 'ready' };
}

/** Returns the live server of this data folder, or null. A process that has reused the number does not count. */
export async function runningPostmaster(cluster: string): Promise<Postmaster | null> {
  const found = await readPostmaster(cluster);
  return found !== null && isPostmasterOf(found.pid, cluster) ? found : null;
}

function isPostmasterOf(pid: number, cluster: string): boolean {
  if (!isAlive(pid)) return false;
  const line = processArguments(pid);
  return line.some((argument, index) => argument === '-D' && line[index + 1] === cluster);
}

/**
 * Stops the server: first with a fast shutdown, which closes connections and leaves a clean data folder; if that takes
 * too long, with an immediate one. Throws a StorageError when the server survives both.
 */
export async function stopPostmaster(pid: number, clock: TimerClock): Promise<void> {
  if (signalled(pid, 'SIGINT') && (await gone(pid, SERVER_FAST_STOP_MS, clock))) return;
  if (signalled(pid, 'SIGQUIT') && (await gone(pid, SERVER_IMMEDIATE_STOP_MS, clock))) return;
  if (isAlive(pid))
    throw new StorageError(`PostgreSQL (process ${pid}) does not stop. Stop it by hand and start again.`);
}

function signalled(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return true;
    throw error;
  }
}

async function gone(pid: number, withinMs: number, clock: TimerClock): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < withinMs; waitedMs += POLL_MS) {
    if (!isAlive(pid)) return true;
    await clock.sleep(POLL_MS);
  }
  return !isAlive(pid);
}
