// Where sign-ins are kept: who holds which session cookie.

import type { Caller } from '#api/http/operation.ts';

export interface SignInStore {
  /** Keeps a sign-in by its hash; the account's expired ones go, and its oldest ones when it has too many. */
  insert(tokenHash: Buffer, accountId: string, expiresAt: Date, now: Date): Promise<void>;
  /** Who is signed in with a cookie that is good now. */
  find(tokenHash: Buffer, now: Date): Promise<Caller | null>;
  delete(tokenHash: Buffer): Promise<void>;
}
