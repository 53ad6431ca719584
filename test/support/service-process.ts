// A real service in its own process, as `npm start` runs it, and a client of its API.

import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { issuedIn, issuedSettings, outputFile, printsSecret } from './output-folder.ts';

const MAIN = fileURLToPath(new URL('../../workers/main.ts', import.meta.url));
const ADMIN = fileURLToPath(new URL('../../workers/admin.ts', import.meta.url));
const { PATH, NODE_OPTIONS } = process.env;
/** The only settings of this process that reach another one. */
const OWN_ENVIRONMENT = { PATH, NODE_OPTIONS };
const READY = /ready on (http:\/\/\S+) .*\n/;
const OPERATORS = /operators on port (\d+)/;
const CRASHES: ReadonlySet<number | NodeJS.Signals> = new Set(['SIGSEGV', 'SIGABRT', 'SIGBUS', 'SIGILL', 'SIGTRAP']);
const GRPC = /gRPC on port (\d+)/;

/** A test file that is ended, because it hangs for example, leaves no service behind. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGTERM');
});

export interface ServiceProcess {
  /** `http://127.0.0.1:PORT` */
  readonly address: string;
  /** The address for operators, such as `http://127.0.0.1:PORT`. Throws when there is none. */
  readonly operators: string;
  /** The address of gRPC, `127.0.0.1:PORT`. Throws when there is none. */
  readonly grpc: string;
  readonly process: ChildProcess;
  /** Standard output and error so far. */
  output(): string;
  /**
   * Sends the signal and waits for the end. Returns the exit code, or the signal that ended the process. Rejects with the
   * output if that was a crash of the runtime.
   */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>;
}

/**
 * Starts the service on a free port. Rejects with its output when it ends before it is ready. `openFilesMax` limits its
 * number of open files. `program`: of an installed version.
 */
export function startService(
  dataDir: string,
  env: Readonly<Record<string, string>> = {},
  openFilesMax?: number,
  program: readonly string[] = [process.execPath, MAIN],
): Promise<ServiceProcess> {
  const limit = openFilesMax === undefined ? '' : `ulimit -n ${openFilesMax} && `;
  const child = spawn('/bin/sh', ['-c', `${limit}exec "$0" "$@"`, ...program], {
    env: { ...OWN_ENVIRONMENT, DATA_DIR: dataDir, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const keep = outputFile('service');
  issuedSettings(env);
  const ended = new Promise<number | NodeJS.Signals>((resolve) =>
    child.on('exit', (code, signal) => resolve(code ?? signal!)),
  );
  running.add(child);
  ended.then(() => running.delete(child));
  const service = (address: string, port: string | undefined): ServiceProcess => ({
    address,
    get operators() {
      if (port === undefined) throw new Error('the service printed no port for operators: set ADMIN_PORT');
      return `http://127.0.0.1:${port}`;
    },
    get grpc() {
      const port = GRPC.exec(output)?.[1];
      if (port === undefined) throw new Error('the service printed no port for gRPC: set GRPC_PORT');
      return `127.0.0.1:${port}`;
    },
    process: child,
    output: () => output,
    async end(signal) {
      child.kill(signal);
      const how = await ended;
      if (CRASHES.has(how)) throw new Error(`the service crashed with ${how}: ${output}`);
      return how;
    },
  });
  return new Promise((resolve, reject) => {
    let started = false;
    const onOutput = (chunk: Buffer): void => {
      output += chunk;
      keep(chunk);
      // A search copies all of the output, and a service may print megabytes.
      if (started) return;
      const ready = READY.exec(output);
      if (ready === null) return;
      started = true;
      resolve(service(ready[1]!, OPERATORS.exec(ready[0])?.[1]));
    };
    child.stdout.on('data', onOutput);
    child.stderr.on('data', onOutput);
    child.on('close', (code, signal) => reject(new Error(`the service ended with ${code ?? signal}: ${output}`)));
  });
}

export interface AdminOutcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs `npm run admin -- ...args` in its own process, or the `program` of an installed version. */
export function runAdminProcess(
  dataDir: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  [command, ...first]: readonly [string, ...string[]] = [process.execPath, ADMIN],
): Promise<AdminOutcome> {
  const child = spawn(command, [...first, ...args], {
    env: { ...OWN_ENVIRONMENT, DATA_DIR: dataDir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  const keep = outputFile('command');
  child.stdout.on('data', (chunk) => {
    out += chunk;
    if (!printsSecret(args)) keep(chunk);
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
    keep(chunk);
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out, err })));
}

/** Runs an admin command that must succeed and returns its JSON. */
export async function runAdminCommand(
  dataDir: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Record<string, string>> {
  const { code, out, err } = await runAdminProcess(dataDir, args, env);
  if (code !== 0) throw new Error(err);
  const answer = JSON.parse(out);
  issuedIn(answer);
  return answer;
}

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read fields that they know to exist.
  readonly body: any;
}

export class ApiClient {
  readonly #address: string;
  readonly #token: string;

  constructor(address: string, token: string) {
    this.#address = address;
    this.#token = token;
  }

  /** Exchanges the credentials that `account create` printed. */
  static async open(address: string, account: Readonly<Record<string, string>>): Promise<ApiClient> {
    const response = await fetch(`${address}/v1/oauth`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        client_id: account.clientId,
        client_secret: account.clientSecret,
        grant_type: 'client_credentials',
      }),
    });
    const body = (await response.json()) as { access_token: string };
    issuedIn(body);
    return new ApiClient(address, body.access_token);
  }

  /** The bearer token. */
  get token(): string {
    return this.#token;
  }

  /** The same account at a service that was restarted at another address. */
  at(address: string): ApiClient {
    return new ApiClient(address, this.#token);
  }

  async call(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(`${this.#address}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    issuedIn(answer);
    return { status: response.status, body: answer };
  }

  /** Polls until `done` returns true. Rejects after 30 seconds. */
  async until(path: string, done: (body: Answer['body']) => boolean): Promise<Answer['body']> {
    for (let tries = 0; tries < 300; tries++) {
      const { body } = await this.call('GET', path);
      if (done(body)) return body;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`${path} did not reach the expected state`);
  }
}
