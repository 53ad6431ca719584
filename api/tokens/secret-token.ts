// Secrets that we issue and never need to read again: sign-in cookies and verification links. We store only the
// SHA-256, so a stolen database gives no access.

import { hash, randomBytes } from 'node:crypto';

export interface SecretToken {
  readonly token: string;
  readonly tokenHash: Buffer;
}

/** Creates a token: 32 random bytes as 43 characters of base64url. */
export function newSecretToken(): SecretToken {
  const token = randomBytes(32).toString('base64url');
  return { token, tokenHash: hashOfToken(token) };
}

/** The hash under which a token is stored. */
export function hashOfToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
