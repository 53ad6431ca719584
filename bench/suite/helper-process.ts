// A process that a bench starts for itself, to keep what it measures apart: spoken to by messages, bounded in how long
// it may take to answer, and ended when the bench ends, whatever ends it: a helper ends as soon as nobody is connected
// to it.

import { type ChildProcess, fork } from 'node:child_process';
import { basename } from 'node:path';

/** A helper that is still closing after this long is ended the hard way. */
const END_MS_MAX = 60_000;

export class HelperProcess<ToHelper extends object, FromHelper extends { readonly kind: string }> {
  readonly #child: ChildProcess;
  readonly #name: string;
  readonly #exited: Promise<void>;

  /** The name of `file` without the ending is how errors call the process. */
  constructor(file: URL, args: readonly string[] = []) {
    this.#name = basename(file.pathname, '.ts');
    // Typed arrays go over as they are.
    this.#child = fork(file, args, {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      serialization: 'advanced',
    });
    this.#exited = new Promise((resolve) => this.#child.once('exit', () => resolve()));
  }

  send(message: ToHelper): void {
    this.#child.send(message);
  }

  /** The next message of this kind. To be asked for before what leads to it is sent. */
  next<Kind extends FromHelper['kind']>(kind: Kind, withinMs: number): Promise<Extract<FromHelper, { kind: Kind }>> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        clearTimeout(timer);
        this.#child.off('message', heard);
        this.#child.off('exit', died);
        settle();
      };
      const heard = (message: FromHelper): void => {
        if (message.kind === kind) end(() => resolve(message as Extract<FromHelper, { kind: Kind }>));
      };
      const died = (code: number | null): void => {
        end(() => reject(new Error(`${this.#name} ended by itself (${code}) before it said "${kind}"`)));
      };
      const timer = setTimeout(
        () => end(() => reject(new Error(`${this.#name} has not said "${kind}" within ${withinMs / 1_000} s`))),
        withinMs,
      );
      this.#child.on('message', heard);
      this.#child.once('exit', died);
    });
  }

  ask<Kind extends FromHelper['kind']>(
    message: ToHelper,
    kind: Kind,
    withinMs = 60_000,
  ): Promise<Extract<FromHelper, { kind: Kind }>> {
    const answer = this.next(kind, withinMs);
    this.send(message);
    return answer;
  }

  /** Safe to call again. */
  async end(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), END_MS_MAX);
    await this.#exited;
    clearTimeout(timer);
  }
}

/** In the helper: Ctrl-C is the bench's to hear; it ends, through `close`, when the bench has gone or on SIGTERM. */
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
