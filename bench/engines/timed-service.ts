// A start and an end of the real service, with the time of each step: from the start of its process to what its log and
// its standard output say, and from SIGTERM to the end of the process.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../workers/main.ts', import.meta.url));
const READY = /^slipstream ready on (http:\/\/\S+) /;
/** What the log says once a new data folder has its tables, and its built-in session. */
const STEPS: ReadonlyMap<string, 'database' | 'session'> = new Map([
  ['the database schema is up to date', 'database'],
  ['installed the built-in session', 'session'],
]);

export interface TimedService {
  readonly address: string;
  /** From the start of the process, milliseconds. */
  readonly readyMs: number;
  /** The same for steps that only a new data folder needs. */
  readonly steps: ReadonlyMap<'database' | 'session', number>;
  /** Ends it with SIGTERM. */
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
      const told = READY.exec(line)?.[1];
      if (told !== undefined) resolve(told);
    });
    exited.then((code) => reject(new Error(`the service ended (${code}) before it was ready:\n${log.join('\n')}`)));
  });
  return {
    address,
    readyMs: performance.now() - startedMs,
    steps,
    async end() {
      const askedMs = performance.now();
      child.kill('SIGTERM');
      const code = await exited;
      return { ms: performance.now() - askedMs, code };
    },
  };
}

/** What an entry of the log says; nothing for a line that is none. */
function messageIn(line: string): string {
  try {
    return (JSON.parse(line) as { msg?: string }).msg ?? '';
  } catch {
    return '';
  }
}
