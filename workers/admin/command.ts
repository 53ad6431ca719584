// A command of the operator's tool, and its terminal: results go to standard output and everything else to standard
// error, so results can be piped.

import { constants } from 'node:os';

export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** One line of the result, without its line end. */
  print(line: string): void;
  /** One line for the operator. */
  say(line: string): void;
  /** Rewrites one progress line. Does nothing when standard error is not a terminal. */
  progress(line: string): void;
  /** Whether standard output is a terminal, so that a person and not a program reads the result. */
  readonly interactive: boolean;
}

export interface Command {
  /** The command as the operator types it: `account create`. */
  readonly words: string;
  readonly summary: string;
  /** What `--help` prints. */
  readonly help: string;
  /** `args` are the arguments after the words. Throws a UsageError when they are invalid. */
  run(args: readonly string[], terminal: Terminal): Promise<void>;
}

/** The command line is invalid. The message says why. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A signal ended the command before it was done. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  /** 128 plus the number of the signal, by convention. */
  readonly exitCode: number;

  constructor(signal: NodeJS.Signals) {
    super(`interrupted by ${signal}`);
    this.exitCode = 128 + constants.signals[signal];
  }
}
