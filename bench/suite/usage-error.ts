// An invalid command line, as opposed to a failed bench: nothing was measured, and the exit code is 2.

import { parseArgs } from 'node:util';
import { errorCode, errorText } from '#engine/storage/storage-error.ts';
import { repeatedOption } from '#workers/admin/command-line.ts';

export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Otherwise the last one would count, without a word. */
export function refuseRepeated(args: readonly string[]): void {
  const { tokens } = parseArgs({ args: [...args], strict: false, allowPositionals: true, tokens: true });
  const repeated = repeatedOption(tokens);
  if (repeated !== undefined) throw new UsageError(`${repeated} is given more than once`);
}

/** Benches report invalid arguments by what parseArgs throws, or by a message that begins with the option's name. */
export function isUsageError(error: unknown): boolean {
  if (error instanceof UsageError || errorCode(error)?.startsWith('ERR_PARSE_ARGS')) return true;
  return error instanceof Error && /^--[a-z]/.test(error.message);
}

/** One line for the terminal. What parseArgs throws goes on about positional arguments that begin with a dash. */
export function usageText(error: unknown): string {
  const text = errorText(error);
  return errorCode(error)?.startsWith('ERR_PARSE_ARGS') ? text.split('. ')[0]! : text;
}
