// Passwords are stored as hashes that are expensive to compute, which slows down a thief who guesses.

export interface PasswordHasher {
  /**
   * Rejects with `unavailable` if too many others are waiting, or if nobody awaits it (`isAwaited`) when its turn comes.
   */
  hash(password: string, isAwaited: () => boolean): Promise<string>;
  /**
   * Resolves with whether the hash is of this password. A null hash stands for an account that does not exist or has no
   * password: it takes the same work and never matches. Rejects with `unavailable` like `hash`.
   */
  verify(hash: string | null, password: string, isAwaited: () => boolean): Promise<boolean>;
}
