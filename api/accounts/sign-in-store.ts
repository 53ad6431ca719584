// The store of sign-ins: which account each session cookie belongs to.

import type { Caller } from '#api/http/operation.ts';

export interface SignInStore {
  /**
   * Stores a sign-in by its hash, and remembers its network. Removes the account's expired sign-ins, and the oldest ones
   * if there are too many; its networks likewise.
   */
  insert(tokenHash: Buffer, accountId: string, network: string, expiresAt: Date, now: Date): Promise<void>;
  /** Whether the account's owner has signed in from this network. */
  knowsNetwork(accountId: string, network: string, now: Date): Promise<boolean>;
  /** The account of a cookie, or null if the cookie is not valid now. */
  find(tokenHash: Buffer, now: Date): Promise<Caller | null>;
  delete(tokenHash: Buffer): Promise<void>;
}
