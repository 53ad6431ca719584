// Distinguishes a process from a later one with the same number. After a reboot, or in a restarted container, the pid
// file of a dead process is thus never mistaken for that of a live one.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { errorCode } from '#engine/storage/storage-error.ts';

/** The system is out of resources. Such an error says nothing about the process in question. */
const EXHAUSTED: readonly (string | undefined)[] = ['EMFILE', 'ENFILE', 'ENOMEM'];

/**
 * Returns a text that no other process with this number ever has, or null when there is no such process. Throws when it
 * cannot be determined.
 */
export function processIdentity(pid: number): string | null {
  if (!isAlive(pid)) return null;
  if (process.platform !== 'linux') return psField(pid, 'lstart');
  const startTicks = statFields(pid)?.[19];
  if (startTicks === undefined) return null;
  return `${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()}:${startTicks}`;
}

/**
 * Returns the command line of the process; empty when the system does not show it. Throws when it cannot be determined.
 */
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
 * Whether a process with this number is running, of any user. A zombie does not count: the first process of a container
 * often never collects the exit codes of its children. Throws when it cannot be determined.
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

/** The fields of /proc/PID/stat from the third one, the state. The second is a name that may hold any characters. */
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
