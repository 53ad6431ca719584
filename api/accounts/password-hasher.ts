// How passwords are kept: as hashes that are dear to compute, for us and for a thief.

export interface PasswordHasher {
  /** Refuses with `unavailable` when too many others wait. */
  hash(password: string): Promise<string>;
  /**
   * Whether the hash is of this password. Null stands for an account that does not exist or has no password: it takes the
   * same work, and no password is right.
   */
  verify(hash: string | null, password: string): Promise<boolean>;
}
