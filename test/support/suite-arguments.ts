// The arguments of `npm test`: files, and options of Node's test runner, in any order.

/** Options whose value is the next argument. */
const VALUED = /^--test-(concurrency|name-pattern|reporter|reporter-destination|shard|skip-pattern|timeout)$/;

export interface SuiteArguments {
  /** Empty: the whole suite. */
  readonly files: readonly string[];
  /** What the runner gets before the files: it reads no options after them. */
  readonly options: readonly string[];
}

export function readSuiteArguments(args: readonly string[]): SuiteArguments {
  const files: string[] = [];
  const options: string[] = [];
  for (const [index, arg] of args.entries()) {
    const isValue = VALUED.test(args[index - 1] ?? '');
    (arg.startsWith('-') || isValue ? options : files).push(arg);
  }
  return { files, options };
}
