// A command line that makes no sense, told apart from a bench that failed: nothing was measured, and the exit code is 2.

import { errorCode } from '#engine/storage/storage-error.ts';

export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Of a bench it is what parseArgs throws, or a message that begins with the name of the option that it is about. */
export function isUsageError(error: unknown): boolean {
  if (error instanceof UsageError || errorCode(error)?.startsWith('ERR_PARSE_ARGS')) return true;
  return error instanceof Error && /^--[a-z]/.test(error.message);
}
