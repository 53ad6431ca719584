// Secrets that we make and never need to read again: sign-in cookies and verification links. Who holds one shows it; we
// keep its SHA-256 only, so that a stolen database lets nobody in.

import { hash, randomBytes } from 'node:crypto';

export interface SecretToken {
  readonly token: string;
  readonly tokenHash: Buffer;
}

/** A new one: 32 random bytes as 43 characters of base64url. */
export function newSecretToken(): SecretToken {
  const token = randomBytes(32).toString('base64url');
  return { token, tokenHash: hashOfToken(token) };
}

/** Under what a token is kept. */
export function hashOfToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
