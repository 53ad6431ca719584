// Passwords are stored as hashes that are expensive to compute, which slows down a thief who guesses.

/** Who asks for a hash. */
export interface HashAsker {
  /** Networks take turns (networkOf). */
  readonly network: string;
  /** Whether somebody still awaits it. */
  readonly isAwaited: () => boolean;
}

export interface PasswordHasher {
  /** Rejects with `unavailable` if too many others are waiting, or if nobody awaits it when its turn comes. */
  hash(password: string, asker: HashAsker): Promise<string>;
  /**
   * Resolves with whether each hash is of this password, all in one turn. A null hash stands for an account that does not
   * exist or has no password: it takes the same work and never matches. Rejects with `unavailable` like `hash`.
   */
  verify(hashes: readonly (string | null)[], password: string, asker: HashAsker): Promise<readonly boolean[]>;
}
