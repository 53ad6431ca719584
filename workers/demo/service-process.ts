// Runs the service for the demo: in a process of its own, with its own data folder, on a free port.

import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { DEMO_LOG_LINES_MAX, DEMO_READY_MS, DEMO_STOP_MS } from '#engine/base/limits.ts';

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));
const ADMIN = fileURLToPath(new URL('../admin.ts', import.meta.url));
const READY = /^slipstream ready on (http:\/\/\S+) .*?(?:, gRPC on port (\d+))?(?:, operators on port (\d+))?\)$/m;

/** Without the operator's own settings, so that the demo never touches another database or folder. */
function environment(dataDir: string): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR, TZ, LANG, NODE_OPTIONS } = process.env;
  const kept = Object.entries({ PATH, HOME, TMPDIR, TZ, LANG, NODE_OPTIONS }).filter(
    ([, value]) => value !== undefined,
  );
  return { ...Object.fromEntries(kept), DATA_DIR: dataDir, HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'warn' };
}

export class ServiceProcess {
  readonly dataDir: string;
  readonly #child: ChildProcess;
  readonly #log: string[] = [];
  readonly #exited: Promise<number | null>;
  #stopping = false;
  #address = '';
  #operatorsAddress = '';
  #grpcAddress = '';

  private constructor(dataDir: string, settings: Readonly<Record<string, string>>) {
    this.dataDir = dataDir;
    const env = { ...environment(dataDir), ...settings };
    this.#child = spawn(process.execPath, [MAIN], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#exited = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.stderr!.on('data', (chunk: Buffer) => {
      this.#log.push(...chunk.toString().trimEnd().split('\n'));
      this.#log.splice(0, Math.max(0, this.#log.length - DEMO_LOG_LINES_MAX));
    });
  }

  /**
   * Starts the service with these additional settings and waits until it is ready. Rejects when `signal` is aborted.
   */
  static async start(
    dataDir: string,
    signal: AbortSignal,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<ServiceProcess> {
    const service = new ServiceProcess(dataDir, settings);
    try {
      await service.#ready(signal);
      return service;
    } catch (error) {
      await service.stop();
      throw error;
    }
  }

  /** `http://127.0.0.1:PORT` */
  get address(): string {
    return this.#address;
  }

  /** The address of the listener for operators, `http://127.0.0.1:PORT`; empty when the settings do not ask for one. */
  get operatorsAddress(): string {
    return this.#operatorsAddress;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** The address of gRPC, `http://127.0.0.1:PORT`; empty when the settings do not ask for it. */
  get grpcAddress(): string {
    return this.#grpcAddress;
  }

  /** Rejects when the service ends before `stop` is called. */
  async unexpectedEnd(): Promise<never> {
    const code = await this.#exited;
    if (this.#stopping) return new Promise(() => {});
    throw new Error(`the service ended unexpectedly (exit code ${code}):\n${this.#log.join('\n')}`);
  }

  /**
   * Runs an admin command on the service's data and returns its JSON. Its progress goes to standard error of this
   * process.
   */
  admin(args: readonly string[], signal: AbortSignal): Promise<unknown> {
    const child = spawn(process.execPath, [ADMIN, ...args], {
      env: environment(this.dataDir),
      stdio: ['ignore', 'pipe', 'inherit'],
      signal,
    });
    let out = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => {
        if (code === 0) resolve(JSON.parse(out));
        else reject(new Error(`${args.slice(0, 2).join(' ')} ended with exit code ${code}`));
      });
    });
  }

  /** Stops the service and its database. Safe to call again. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), DEMO_STOP_MS);
    await this.#exited;
    clearTimeout(timer);
  }

  #ready(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      let out = '';
      const timer = setTimeout(() => reject(new Error('the service was not ready within a minute')), DEMO_READY_MS);
      const fail = (error: unknown): void => {
        clearTimeout(timer);
        reject(error);
      };
      signal.addEventListener('abort', () => fail(signal.reason), { once: true });
      this.#child.stdout!.on('data', (chunk: Buffer) => {
        out += chunk;
        const ready = READY.exec(out);
        if (ready === null) return;
        clearTimeout(timer);
        this.#address = ready[1]!;
        if (ready[2] !== undefined) this.#grpcAddress = `http://127.0.0.1:${ready[2]}`;
        if (ready[3] !== undefined) this.#operatorsAddress = `http://127.0.0.1:${ready[3]}`;
        resolve();
      });
      this.unexpectedEnd().catch(fail);
    });
  }
}
