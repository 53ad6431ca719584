// Sign-ins with email and password. The session cookie is a random token. Without the right password, neither the
// response nor its timing reveals whether an account exists or is verified.

import { ApiError } from '#api/http/api-error.ts';
import { networkOf } from '#api/http/client-address.ts';
import type { EventCounts } from '#api/http/event-counts.ts';
import type { Caller } from '#api/http/operation.ts';
import { hashOfToken, newSecretToken } from '#api/tokens/secret-token.ts';
import type { Clock } from '#engine/base/clock.ts';
import type { AccountRecord, AccountStore, SignInRecord } from './account-store.ts';
import type { EmailAddress } from './email-address.ts';
import { LoginGuard } from './login-guard.ts';
import type { HashAsker, PasswordHasher } from './password-hasher.ts';
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
  readonly eventCounts: EventCounts;
  readonly clock: Clock;
}

export class SignIns {
  readonly #parts: SignInsParts;
  readonly #guard: LoginGuard;

  constructor(parts: SignInsParts) {
    this.#parts = parts;
    this.#guard = new LoginGuard(parts.eventCounts);
  }

  /**
   * Rejects with `invalid_credentials`, with `email_not_verified` if the credentials are right but the address is
   * unconfirmed, or with `rate_limit_exceeded` after too many failures. An attempt that nobody awaits (`isAwaited`) when it
   * is its turn is not made, and does not count.
   */
  async begin(email: EmailAddress, password: string, clientIp: string, isAwaited: () => boolean): Promise<SignedIn> {
    const { store, clock } = this.#parts;
    const network = networkOf(clientIp);
    const found = await this.#parts.accounts.findByEmail(email);
    const now = new Date(clock.wallMs());
    // Asked in every case, so that an unknown address takes as long as a known one.
    const isKnown = await store.knowsNetwork(found?.accountId ?? '', network, now);
    const attempt = await this.#guard.admit(email, network, isKnown);
    const account = await this.#verified(found, password, { network, isAwaited }).catch(async (error: Error) => {
      if (!(error instanceof ApiError) || error.code !== 'invalid_credentials') await attempt.discount();
      throw error;
    });
    await attempt.discount();
    const { token, tokenHash } = newSecretToken();
    await store.insert(tokenHash, account.accountId, network, new Date(now.getTime() + SIGN_IN_LIFETIME_MS), now);
    return { account, token };
  }

  /** Resolves with the account if it exists, is verified and has this password. */
  async #verified(account: SignInRecord | null, password: string, asker: HashAsker): Promise<AccountRecord> {
    const { hasher } = this.#parts;
    // A sign-up with the address of an existing account must look like any other, here too: its password gets
    // `email_not_verified`.
    const hashes = [account?.passwordHash ?? null, account?.ineffectivePasswordHash ?? null];
    const [right, ineffective] = await hasher.verify(hashes, password, asker);
    if (account === null || !(right || ineffective)) throw new ApiError('invalid_credentials');
    if (!right || !account.verified) throw new ApiError('email_not_verified');
    return account;
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
