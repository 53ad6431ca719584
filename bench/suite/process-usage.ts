// CPU time (all threads) and resident memory of any process, read from /proc.

import { readFileSync } from 'node:fs';

export interface ProcessUsage {
  /** User and system time of all threads, microseconds, in steps of ten thousand. */
  readonly cpuUs: number;
  readonly rssMiB: number;
}

/** The unit of the times in /proc on every Linux. */
const TICK_US = 10_000;

/** Null if the process is gone, or the system has no /proc. */
export function readUsage(pid: number): ProcessUsage | null {
  let stat: string;
  let status: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    status = readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return null;
  }
  // The second field is the process name in brackets, which may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const rssKiB = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]);
  return { cpuUs: (Number(fields[11]) + Number(fields[12])) * TICK_US, rssMiB: rssKiB / 1_024 };
}
