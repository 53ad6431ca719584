// The store of sign-ups that await confirmation.

import type { AccountRecord, NewAccount } from './account-store.ts';
import type { EmailAddress } from './email-address.ts';

/** How long a link is valid. */
export const VERIFICATION_LIFETIME_MS = 24 * 3_600_000;

/** A link sent by email. */
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
  /** As spelled in the account, which may differ from the request. */
  readonly email: EmailAddress;
  readonly verified: boolean;
}

export interface NewSignIn {
  readonly tokenHash: Buffer;
  /** Where the owner signs in from, to be remembered. */
  readonly network: string;
  readonly expiresAt: Date;
}

export interface VerificationStore {
  /**
   * Creates the account and a link. An unverified account gets another link and takes the new password and name. A
   * verified account stays as it is; the link's row is stored only for its password, and confirms nothing.
   */
  signUp(signUp: NewSignUp): Promise<Recipient>;
  /** Resolves with whether a link would confirm an account now. */
  isValid(tokenHash: Buffer, now: Date): Promise<boolean>;
  /**
   * Replaces all earlier links by one, with the password of the account's only sign-up. `contested`: there were several
   * sign-ups, so all links are removed and none is added. `verified`: the account is verified already and nothing
   * changes.
   */
  replace(accountId: string, verification: NewVerification): Promise<'replaced' | 'contested' | 'verified'>;
  /**
   * Uses up a link: verifies the account with the password and name of the link's sign-up, removes its other links, and
   * signs it in. Resolves with null, and changes nothing, if the link is not valid.
   */
  confirm(tokenHash: Buffer, signIn: NewSignIn, now: Date): Promise<AccountRecord | null>;
}
