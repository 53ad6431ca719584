// A Redis server for one bench: from PATH, on a Unix socket in a temporary folder, without persistence.

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface RedisServer {
  readonly socket: string;
  end(): Promise<void>;
}

const START_MS_MAX = 10_000;
const POLL_MS = 10;

/** Null if there is no `redis-server` in PATH. */
export async function startRedis(): Promise<RedisServer | null> {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-bench-'));
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true });
  const socket = join(folder, 'redis.sock');
  const settings = ['--port', '0', '--unixsocket', socket, '--save', '', '--appendonly', 'no', '--dir', folder];
  const child = spawn('redis-server', settings, { stdio: 'ignore' });
  const ended = new Promise<'ended'>((resolve) => void child.once('exit', () => resolve('ended')));
  const failed = new Promise<NodeJS.ErrnoException>((resolve) => void child.once('error', resolve));
  // Leaves no server behind if the process exits without `end`, for instance on an uncaught error.
  const killAtExit = (): void => {
    child.kill('SIGKILL');
    removeFolder();
  };
  process.on('exit', killAtExit);
  const end = async (): Promise<void> => {
    process.off('exit', killAtExit);
    if (child.kill('SIGTERM')) await ended;
    removeFolder();
  };
  const outcome = await Promise.race([ended, failed, listening(socket)]);
  if (outcome === 'listening') return { socket, end };
  await end();
  if (outcome instanceof Error && outcome.code === 'ENOENT') return null;
  const why = outcome instanceof Error ? outcome.message : outcome === 'ended' ? 'it exited' : 'it does not listen';
  throw new Error(`redis-server was found but could not be started: ${why}. Run "redis-server --port 0" to see why.`);
}

async function listening(socket: string): Promise<'listening' | 'silent'> {
  for (let waitedMs = 0; waitedMs < START_MS_MAX; waitedMs += POLL_MS) {
    if (existsSync(socket)) return 'listening';
    await sleep(POLL_MS);
  }
  return 'silent';
}
