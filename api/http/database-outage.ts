// Distinguishes database outages from our own bugs. An outage becomes a 503, which a client may retry.

/**
 * SQLSTATE classes and codes: connection lost, login refused, unknown database, transaction to be retried, server out
 * of connections or space, server starting or stopping, disk failure, read-only server. Also a secret that was sealed
 * just before its key was retired (schemas/database/0008-retired-secret-keys.sql): a retry seals it under the new key.
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
  'NO_PRIMARY',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

export function isDatabaseOutage(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false;
  // The socket of the built-in server may be gone. A file that is missing says nothing about the database.
  if (error.code === 'ENOENT') return 'syscall' in error && error.syscall === 'connect';
  return STATES.test(error.code) || SYSTEM_CODES.has(error.code);
}
