// A running PostgreSQL server as its data folder shows it: found by its postmaster.pid, made sure of, and stopped.

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

/** What postmaster.pid says, whether or not that process still lives; null without one. */
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

/** The live server of this data folder. A number that some other process has by now does not count. */
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
 * Ends the server: first by a fast shutdown, which breaks connections off and leaves a clean data folder, and if that
 * does not end in time, by an immediate one. Throws a StorageError when it outlives both.
 */
export async function stopPostmaster(pid: number, clock: TimerClock): Promise<void> {
  if (signalled(pid, 'SIGINT') && (await gone(pid, SERVER_FAST_STOP_MS, clock))) return;
  if (signalled(pid, 'SIGQUIT') && (await gone(pid, SERVER_IMMEDIATE_STOP_MS, clock))) return;
  if (isAlive(pid))
    throw new StorageError(`PostgreSQL (process ${pid}) does not stop. End it by hand and start again.`);
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
