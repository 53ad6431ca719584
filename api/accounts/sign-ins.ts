// Sign-ins with email and password. The session cookie is a random token. Without the right password, neither the
// response nor its timing reveals whether an account exists or is verified.

import { ApiError } from '#api/http/api-error.ts';
import type { Caller } from '#api/http/operation.ts';
import { hashOfToken, newSecretToken } from '#api/tokens/secret-token.ts';
import type { Clock } from '#engine/base/clock.ts';
import type { AccountRecord, AccountStore } from './account-store.ts';
import type { EmailAddress } from './email-address.ts';
import type { PasswordHasher } from './password-hasher.ts';
import type { SignInStore } from './sign-in-store.ts';

export const SIGN_IN_LIFETIME_MS = 7 * 24 * 3_600_000;

/** An account, and the value of its owner's session cookie. */
export interface SignedIn {
  readonly account: AccountRecord;
  readonly token: string;
}

export interface SignInsParts {
  readonly accounts: AccountStore;
  readonly store: SignInStore;
  readonly hasher: PasswordHasher;
  readonly clock: Clock;
}

export class SignIns {
  readonly #parts: SignInsParts;

  constructor(parts: SignInsParts) {
    this.#parts = parts;
  }

  /**
   * Rejects with `invalid_credentials`, or with `email_not_verified` if the credentials are right but the address is
   * unconfirmed.
   */
  async begin(email: EmailAddress, password: string): Promise<SignedIn> {
    const { accounts, store, hasher, clock } = this.#parts;
    const account = await accounts.findByEmail(email);
    const right = await hasher.verify(account?.passwordHash ?? null, password);
    // A sign-up with the address of an existing account must look like any other, here too: its password gets
    // `email_not_verified`.
    const ineffective = await hasher.verify(account?.ineffectivePasswordHash ?? null, password);
    if (account === null || !(right || ineffective)) throw new ApiError('invalid_credentials');
    if (!right || !account.verified) throw new ApiError('email_not_verified');
    const { token, tokenHash } = newSecretToken();
    const nowMs = clock.wallMs();
    await store.insert(tokenHash, account.accountId, new Date(nowMs + SIGN_IN_LIFETIME_MS), new Date(nowMs));
    return { account, token };
  }

  /** The account of this session cookie. Rejects with `not_signed_in`. */
  async find(token: string): Promise<Caller> {
    const caller = await this.#parts.store.find(hashOfToken(token), new Date(this.#parts.clock.wallMs()));
    if (caller === null) throw new ApiError('not_signed_in');
    return caller;
  }

  end(token: string): Promise<void> {
    return this.#parts.store.delete(hashOfToken(token));
  }
}
