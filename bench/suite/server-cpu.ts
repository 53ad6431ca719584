// CPU time of a PostgreSQL server on this machine: the postmaster, its children (backends, writers, autovacuum) and
// those that have ended, from /proc.

import { readdirSync, readFileSync } from 'node:fs';
import type { Sql } from '#engine/storage/postgres-client.ts';

/** The unit of the times in /proc/PID/stat on every Linux; /proc/PID/schedstat counts nanoseconds. */
const TICK_US = 10_000;
const NS_IN_US = 1_000;

export async function postmasterPid(sql: Sql): Promise<number> {
  const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  return Number(statFields(row!.pid)![PARENT]);
}

/** Microseconds since the server has started. */
export function serverCpuUs(postmaster: number): number {
  let us = livingUs(postmaster);
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (Number(statFields(pid)?.[PARENT]) === postmaster) us += livingUs(pid);
  }
  const own = statFields(postmaster)!;
  return us + (Number(own[ENDED_USER]) + Number(own[ENDED_SYSTEM])) * TICK_US;
}

/** Places of the fields behind the name. */
const PARENT = 1;
const ENDED_USER = 13;
const ENDED_SYSTEM = 14;

/** Null if it is not the number of a process. */
function statFields(pid: number): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}

/** 0 once it has ended. Processes of PostgreSQL have one thread. */
function livingUs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / NS_IN_US;
  } catch {
    return 0;
  }
}
