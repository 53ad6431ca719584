// Tells "the database cannot be reached" from a mistake of ours, so that the first is a 503 that a client may retry.

/**
 * SQLSTATE classes and codes: connection lost, login refused, no such database, transaction to be tried again, server out of
 * connections or space, server starting or stopping, disk in trouble, no writing; and a secret sealed just before its key was
 * retired (schemas/database/0008-retired-secret-keys.sql), which another try seals anew.
 */
const STATES = /^(08...|28...|3D000|40...|53...|55P03|57P0[1-5]|57014|58...|25006|SK001)$/;
const SYSTEM_CODES: ReadonlySet<string> = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'CONNECTION_ENDED',
  'CONNECT_TIMEOUT',
  'CONNECTION_CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

export function isDatabaseOutage(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false;
  return STATES.test(error.code) || SYSTEM_CODES.has(error.code);
}
