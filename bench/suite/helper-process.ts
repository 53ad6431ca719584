// A process that a bench forks to isolate what it measures. The two exchange messages, and every wait for one has a
// timeout. The helper exits when its IPC channel closes, so it never outlives the bench, however the bench ends.

import { type ChildProcess, fork } from 'node:child_process';
import { basename } from 'node:path';

const READY_MS_MAX = 60_000;
/** A helper that has not exited by then is killed. */
const END_MS_MAX = 60_000;

export class HelperProcess<ToHelper extends object, FromHelper extends { readonly kind: string }> {
  readonly #child: ChildProcess;
  readonly #name: string;
  readonly #exited: Promise<void>;

  /** Errors name the process by the base name of `file`. */
  constructor(file: URL, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
    this.#name = basename(file.pathname, '.ts');
    // Advanced serialization passes typed arrays as they are.
    this.#child = fork(file, args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      serialization: 'advanced',
    });
    this.#exited = new Promise((resolve) => this.#child.once('exit', () => resolve()));
  }

  /** Starts a helper that says when it is ready; ends it if it does not. */
  static async ready<To extends object, From extends { readonly kind: string }>(
    file: URL,
    args: readonly string[] = [],
    env: NodeJS.ProcessEnv = {},
  ): Promise<HelperProcess<To, From>> {
    const helper = new HelperProcess<To, From>(file, args, env);
    try {
      await helper.next('ready' as From['kind'], READY_MS_MAX);
    } catch (error) {
      await helper.end();
      throw error;
    }
    return helper;
  }

  send(message: ToHelper): void {
    this.#child.send(message);
  }

  /** Resolves with the next message of this kind. Call it before sending what causes that message. */
  next<Kind extends FromHelper['kind']>(kind: Kind, withinMs: number): Promise<Extract<FromHelper, { kind: Kind }>> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        clearTimeout(timer);
        this.#child.off('message', received);
        this.#child.off('exit', died);
        settle();
      };
      const received = (message: FromHelper): void => {
        if (message.kind === kind) end(() => resolve(message as Extract<FromHelper, { kind: Kind }>));
      };
      const died = (code: number | null): void => {
        end(() => reject(new Error(`${this.#name} exited by itself (${code}) before it sent "${kind}"`)));
      };
      const timer = setTimeout(
        () => end(() => reject(new Error(`${this.#name} did not send "${kind}" within ${withinMs / 1_000} s`))),
        withinMs,
      );
      this.#child.on('message', received);
      this.#child.once('exit', died);
    });
  }

  ask<Kind extends FromHelper['kind']>(
    message: ToHelper,
    kind: Kind,
    withinMs = 60_000,
  ): Promise<Extract<FromHelper, { kind: Kind }>> {
    const reply = this.next(kind, withinMs);
    this.send(message);
    return reply;
  }

  /** Safe to call again. */
  async end(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), END_MS_MAX);
    await this.#exited;
    clearTimeout(timer);
  }
}

/**
 * Called in the helper. Runs `close` and exits when the bench disconnects or on SIGTERM. Ignores SIGINT: Ctrl-C reaches
 * the whole process group, and the bench handles it.
 */
export function endWithTheBench(close: () => Promise<void>): void {
  let ending = false;
  const end = (): void => {
    if (ending) return;
    ending = true;
    close().then(
      () => process.exit(0),
      (error) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', () => {}).on('SIGTERM', end);
  if (process.connected) process.once('disconnect', end);
  else end();
}
