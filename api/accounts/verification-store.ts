// Where sign-ups wait until a link from the mail confirms them.

import type { AccountRecord, NewAccount } from './account-store.ts';
import type { EmailAddress } from './email-address.ts';

/** How long a link is good. */
export const VERIFICATION_LIFETIME_MS = 24 * 3_600_000;

/** A link that was mailed, and what confirming it makes the account's own. */
export interface NewVerification {
  readonly tokenHash: Buffer;
  readonly expiresAt: Date;
}

export interface NewSignUp extends NewAccount {
  readonly name: string | null;
  readonly passwordHash: string;
  readonly verification: NewVerification;
}

export interface Recipient {
  /** As the account has it, which may be another spelling than the one asked with. */
  readonly email: EmailAddress;
  readonly verified: boolean;
}

export interface NewSignIn {
  readonly tokenHash: Buffer;
  readonly expiresAt: Date;
}

export interface VerificationStore {
  /**
   * Makes the account with a link, or another link for one that is not verified yet, which takes the new password and
   * name. A verified account stays as it is; the row of its link, which confirms nothing, is kept for its password alone.
   */
  signUp(signUp: NewSignUp): Promise<Recipient>;
  /** Whether a link confirms an account now. Changes nothing. */
  isGood(tokenHash: Buffer, now: Date): Promise<boolean>;
  /**
   * One link in the place of all earlier ones, which carries the password of the account's one sign-up. `contested`: there
   * were several, so there is no link any more; `verified`: nothing happens.
   */
  replace(accountId: string, verification: NewVerification): Promise<'replaced' | 'contested' | 'verified'>;
  /**
   * Consumes a link: the account is verified, has the password and name of the sign-up that the link was mailed for, is
   * signed in, and has no other links. Null, and nothing happens, for a link that is not good.
   */
  confirm(tokenHash: Buffer, signIn: NewSignIn, now: Date): Promise<AccountRecord | null>;
}
