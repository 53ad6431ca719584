// Tells one process from a later one that was given the same number, so that a file which names a dead process is never
// mistaken for a live one after a reboot or in a restarted container.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { errorCode } from '#engine/storage/storage-error.ts';

/** What the system lacks when it refuses to open anything: that says nothing about the process that was asked for. */
const EXHAUSTED: readonly (string | undefined)[] = ['EMFILE', 'ENFILE', 'ENOMEM'];

/** Text that no other process with this number has, or null when there is no such process. Throws when it cannot be told. */
export function processIdentity(pid: number): string | null {
  if (!isAlive(pid)) return null;
  if (process.platform !== 'linux') return psField(pid, 'lstart');
  const startTicks = statFields(pid)?.[19];
  if (startTicks === undefined) return null;
  return `${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()}:${startTicks}`;
}

/** The process's command line, or an empty one when it is not shown. Throws when it cannot be told. */
export function processArguments(pid: number): readonly string[] {
  if (process.platform !== 'linux') return psField(pid, 'args')?.split(' ') ?? [];
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch (error) {
    if (EXHAUSTED.includes(errorCode(error))) throw error;
    return [];
  }
}

/**
 * Whether a process of this number runs, whoever's it is. One that has ended but whose parent has not asked for its exit
 * code does not: the first process of a container often never asks. Throws when it cannot be told.
 */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  if (process.platform !== 'linux') return true;
  const state = statFields(pid)?.[0];
  return state !== undefined && state !== 'Z' && state !== 'X';
}

/** The fields of /proc/PID/stat from the third, the state, on: the second is a name that may hold anything. */
function statFields(pid: number): readonly string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch (error) {
    if (EXHAUSTED.includes(errorCode(error))) throw error;
    return null;
  }
}

function psField(pid: number, field: string): string | null {
  const { status, stdout } = spawnSync('ps', ['-p', String(pid), '-o', `${field}=`], { encoding: 'utf8' });
  return status === 0 && stdout.trim() !== '' ? stdout.trim() : null;
}
