// A condition outside the program that keeps storage from working: a full disk, a wrong setting, a second process. The
// message names the setting or folder and the next step and never holds a password. Show it without a stack.

export class StorageError extends Error {
  override readonly name = 'StorageError';
}

/** Returns the code of a system or database error (`ENOENT`, `28P01`), or undefined. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

export function errorText(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : (errorCode(error) ?? String(error));
}
