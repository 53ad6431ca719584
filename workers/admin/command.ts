// What a command of the operator's tool is, and how it talks: results on standard output, everything else on standard
// error, so that a result can be piped.

export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** One line of the result, without its line end. */
  print(line: string): void;
  /** One line for the person in front of it. */
  say(line: string): void;
  /** Rewrites the line for the person in front of it; does nothing where there is none. */
  progress(line: string): void;
  /** Whether the result goes to a person rather than to a program. */
  readonly interactive: boolean;
}

export interface Command {
  /** As it is typed: `account create`. */
  readonly words: string;
  readonly summary: string;
  /** What `--help` prints. */
  readonly help: string;
  /** `args` are those after the words. Throws UsageError when they make no sense. */
  run(args: readonly string[], terminal: Terminal): Promise<void>;
}

/** The command line makes no sense; the message says why. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Somebody ended the command before it was through. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  /** By convention 128 and the number of the signal. */
  readonly exitCode: number;

  constructor(signal: NodeJS.Signals) {
    super(`interrupted by ${signal}`);
    this.exitCode = signal === 'SIGINT' ? 130 : 143;
  }
}
