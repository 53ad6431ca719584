// How accounts come to be: a sign-up, a mail, a link that confirms it.
//
// U1 Whether an address has an account already changes neither the answer nor the work before it: the password is hashed,
//    a row is written and a mail is sent in every case, to the address as the account has it.
// U2 Who confirms a mail gets the password that was chosen with it: a stranger can sign up with any address, but must
//    not leave a password behind that opens the account of its owner. A fresh link therefore needs a single sign-up; after
//    several, whose passwords nobody can tell apart, the owner is asked to sign up once more.
// U3 A link is consumed once, together with all others of its account; only its SHA-256 is kept.

import { ApiError } from '#api/http/api-error.ts';
import { MailError, type Mailer } from '#api/mail/mailer.ts';
import { hashOfToken, newSecretToken } from '#api/tokens/secret-token.ts';
import type { Clock } from '#engine/base/clock.ts';
import type { Log } from '#engine/base/log.ts';
import type { SecretBox } from '#engine/storage/secrets/secret-box.ts';
import { newAccountCredentials } from './account-creation.ts';
import { accountExistsMail, signUpAgainMail, verificationMail } from './account-mails.ts';
import type { AccountStore } from './account-store.ts';
import type { BackgroundWork } from './background-work.ts';
import type { EmailAddress } from './email-address.ts';
import type { PasswordHasher } from './password-hasher.ts';
import { SIGN_IN_LIFETIME_MS, type SignedIn } from './sign-ins.ts';
import { VERIFICATION_LIFETIME_MS, type VerificationStore } from './verification-store.ts';

export interface SignUpsParts {
  readonly accounts: AccountStore;
  readonly store: VerificationStore;
  readonly hasher: PasswordHasher;
  readonly mailer: Mailer;
  readonly background: BackgroundWork;
  readonly secretBox: SecretBox;
  readonly clock: Clock;
  readonly log: Log;
  /** Address of the web pages that mails link to. */
  readonly siteUrl: () => string;
}

export class SignUps {
  readonly #parts: SignUpsParts;

  constructor(parts: SignUpsParts) {
    this.#parts = parts;
  }

  /** Refuses with `email_delivery_failed` when the mail could not be sent; the account is kept then (U1). */
  async begin(email: EmailAddress, password: string, name: string | null): Promise<void> {
    const { store, hasher, mailer, secretBox, clock, log, siteUrl } = this.#parts;
    const passwordHash = await hasher.hash(password);
    const { token, tokenHash } = newSecretToken();
    const nowMs = clock.wallMs();
    const { accountId, clientId, clientSecret } = newAccountCredentials(nowMs);
    const recipient = await store.signUp({
      accountId,
      email,
      plan: 'free',
      clientId,
      clientSecretSealed: secretBox.seal(clientSecret),
      verifiedAt: null,
      createdAt: new Date(nowMs),
      name,
      passwordHash,
      verification: { tokenHash, expiresAt: new Date(nowMs + VERIFICATION_LIFETIME_MS) },
    });
    const mail = recipient.verified
      ? accountExistsMail(recipient.email, siteUrl())
      : verificationMail(recipient.email, token, siteUrl());
    try {
      await mailer.send(mail);
    } catch (error) {
      if (!(error instanceof MailError)) throw error;
      log.warn({ kind: mail.kind, reason: error.message }, 'the mail of a sign-up could not be sent');
      throw new ApiError('email_delivery_failed');
    }
  }

  /** Mails a fresh link to an account that waits for one, after the answer, which is the same for all addresses. */
  async sendAgain(email: EmailAddress): Promise<void> {
    const { accounts, store, mailer, background, clock, siteUrl } = this.#parts;
    const account = await accounts.findByEmail(email);
    background.run('sending a fresh verification link', async () => {
      if (account === null || account.verified) return;
      const { token, tokenHash } = newSecretToken();
      const expiresAt = new Date(clock.wallMs() + VERIFICATION_LIFETIME_MS);
      const replaced = await store.replace(account.accountId, { tokenHash, expiresAt });
      if (replaced === 'verified') return;
      const mail =
        replaced === 'replaced'
          ? verificationMail(account.email, token, siteUrl())
          : signUpAgainMail(account.email, siteUrl());
      await mailer.send(mail);
    });
  }

  /** Whether a link is good. Mail scanners open every link, so looking changes nothing. */
  isGood(token: string): Promise<boolean> {
    return this.#parts.store.isGood(hashOfToken(token), new Date(this.#parts.clock.wallMs()));
  }

  /** Opens the account of a link and signs its owner in (U2, U3); refuses with `invalid_token`. */
  async confirm(token: string): Promise<SignedIn> {
    const { store, clock } = this.#parts;
    const signIn = newSecretToken();
    const nowMs = clock.wallMs();
    const account = await store.confirm(
      hashOfToken(token),
      { tokenHash: signIn.tokenHash, expiresAt: new Date(nowMs + SIGN_IN_LIFETIME_MS) },
      new Date(nowMs),
    );
    if (account === null) throw new ApiError('invalid_token');
    return { account, token: signIn.token };
  }
}
