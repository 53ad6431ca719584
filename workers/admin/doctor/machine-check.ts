// Checks what the machine gives this process: open files, memory, cores.

import { readFile } from 'node:fs/promises';
import { availableParallelism, totalmem } from 'node:os';
import { REQUESTS_IN_PROGRESS_MAX, SHARD_IN_FLIGHT_MAX } from '#engine/base/limits.ts';
import { type Found, ok, problem, unknown, warning } from './finding.ts';

const MEBIBYTE = 1024 * 1024;
const FILES_BASE = 512;
/**
 * Memory for the service without deliveries, for each shard, and for the built-in database (docs/operating.md,
 * Capacity).
 */
const MEMORY_BASE_BYTES = 300 * 1024 * 1024;
const MEMORY_SHARD_BYTES = 100 * 1024 * 1024;
const MEMORY_DATABASE_BYTES = 256 * 1024 * 1024;

/** `endpoints`: how many are active. Each keeps a connection while deliveries to it run. */
export async function checkFileLimit(shards: number, endpoints: number): Promise<readonly Found[]> {
  const limit = await openFilesMax();
  if (limit === null) return [unknown('the limit of open files can be checked on Linux only', 'See ulimit -n.')];
  const least = FILES_BASE + endpoints;
  const most = least + shards * SHARD_IN_FLIGHT_MAX + REQUESTS_IN_PROGRESS_MAX;
  const formula = `${FILES_BASE} + ${endpoints} endpoints + ${shards} shard(s) x ${SHARD_IN_FLIGHT_MAX} attempts + ${REQUESTS_IN_PROGRESS_MAX} requests = ${most}`;
  const next = `Raise it: ulimit -n ${most}, or LimitNOFILE=${most} in the systemd unit.`;
  if (limit < least) return [problem(`${limit} files may be open; at least ${least} are needed (${formula})`, next)];
  if (limit < most) return [warning(`${limit} files may be open; full load needs ${most} (${formula})`, next)];
  return [ok(`${limit === Number.POSITIVE_INFINITY ? 'any number of' : limit} files may be open (${formula})`)];
}

/** The hard limit. Node raises the soft limit to it at start. */
async function openFilesMax(): Promise<number | null> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const hard = /^Max open files\s+\S+\s+(\S+)/m.exec(limits)?.[1];
  if (hard === undefined) return null;
  return hard === 'unlimited' ? Number.POSITIVE_INFINITY : Number(hard);
}

export async function checkMemory(shards: number, builtInDatabase: boolean): Promise<readonly Found[]> {
  const bound = process.constrainedMemory();
  const memory = bound > 0 && bound < totalmem() ? bound : totalmem();
  const needed = MEMORY_BASE_BYTES + shards * MEMORY_SHARD_BYTES + (builtInDatabase ? MEMORY_DATABASE_BYTES : 0);
  const text = `${Math.floor(memory / MEBIBYTE)} MiB of memory; the service with ${shards} shard(s)${builtInDatabase ? ' and its database' : ''} needs ${needed / MEBIBYTE} MiB`;
  const cores = availableParallelism();
  return [
    memory < needed ? problem(text, 'Give it more memory, or lower SHARDS.') : ok(text),
    shards > cores
      ? warning(
          `${shards} shards share ${cores} core(s): more threads than cores add no throughput`,
          'Set SHARDS to the number of cores - 1.',
        )
      : ok(`${shards} shard(s) on ${cores} core(s)`),
  ];
}
