// What a process has used so far, as the system tells it to anybody: CPU of all its threads, and memory that is really
// there.

import { readFileSync } from 'node:fs';

export interface ProcessUsage {
  /** User and system time of all threads, microseconds, in steps of ten thousand. */
  readonly cpuUs: number;
  readonly rssMiB: number;
}

/** Of /proc's times, on every Linux. */
const TICK_US = 10_000;

/** Null where the system has no /proc. */
export function readUsage(pid: number): ProcessUsage | null {
  let stat: string;
  let status: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    status = readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return null;
  }
  // The name, in brackets, may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const rssKiB = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]);
  return { cpuUs: (Number(fields[11]) + Number(fields[12])) * TICK_US, rssMiB: rssKiB / 1_024 };
}
