// Starts and stops the real service and times each step: from the start of its process to lines in its log and on
// standard output, and from SIGTERM to its exit.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../workers/main.ts', import.meta.url));
const READY = /^slipstream ready on (http:\/\/\S+) /;
/** Log messages once a new data folder has its tables, and once it has the built-in session. */
const STEPS: ReadonlyMap<string, 'database' | 'session'> = new Map([
  ['migrated the database schema', 'database'],
  ['installed the built-in session', 'session'],
]);

export interface TimedService {
  readonly address: string;
  /** Milliseconds from the start of the process. */
  readonly readyMs: number;
  /** The same for the steps that only a new data folder needs. */
  readonly steps: ReadonlyMap<'database' | 'session', number>;
  /** Stops it with SIGTERM. */
  end(): Promise<{ readonly ms: number; readonly code: number | null }>;
}

export async function startTimed(dataDir: string): Promise<TimedService> {
  const { PATH, HOME, TMPDIR, TZ, LANG } = process.env;
  const startedMs = performance.now();
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH, HOME, TMPDIR, TZ, LANG, DATA_DIR: dataDir, HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'info' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const steps = new Map<'database' | 'session', number>();
  const log: string[] = [];
  createInterface(child.stderr).on('line', (line) => {
    log.push(line);
    const step = STEPS.get(messageIn(line));
    if (step !== undefined) steps.set(step, performance.now() - startedMs);
  });
  const address = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      const address = READY.exec(line)?.[1];
      if (address !== undefined) resolve(address);
    });
    exited.then((code) => reject(new Error(`the service exited (${code}) before it was ready:\n${log.join('\n')}`)));
  });
  return {
    address,
    readyMs: performance.now() - startedMs,
    steps,
    async end() {
      const signalledMs = performance.now();
      child.kill('SIGTERM');
      const code = await exited;
      return { ms: performance.now() - signalledMs, code };
    },
  };
}

/** The message of a log line; empty if the line is not a log entry. */
function messageIn(line: string): string {
  try {
    return (JSON.parse(line) as { msg?: string }).msg ?? '';
  } catch {
    return '';
  }
}
