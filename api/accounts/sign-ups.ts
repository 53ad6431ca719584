// Sign-ups: a request, an email, and a link that confirms the address.
//
// U1 Neither the response nor the work before it depends on whether the address already has an account. In every case
//    we hash the password, write a row and send an email, addressed as in the account.
// U2 A link confirms the password of its own sign-up. A stranger can sign up with any address, but must not leave
//    behind a password that opens the owner's account. So a new link is sent only if there was a single sign-up. After
//    several, we cannot tell whose password is whose, and ask the owner to sign up again.
// U3 A link works once. Using it removes all links of its account. Only its SHA-256 is stored.

import { ApiError } from '#api/http/api-error.ts';
import { networkOf } from '#api/http/client-address.ts';
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
import type { HashAsker, PasswordHasher } from './password-hasher.ts';
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
  /** Base URL of the web pages that emails link to. */
  readonly siteUrl: () => string;
}

export class SignUps {
  readonly #parts: SignUpsParts;

  constructor(parts: SignUpsParts) {
    this.#parts = parts;
  }

  /**
   * Rejects with `email_delivery_failed` if the email could not be sent; the account is kept (U1). Nothing is done if nobody
   * awaits it when it is the password's turn to be hashed.
   */
  async begin(email: EmailAddress, password: string, name: string | null, asker: HashAsker): Promise<void> {
    const { store, hasher, mailer, secretBox, clock, log, siteUrl } = this.#parts;
    const passwordHash = await hasher.hash(password, asker);
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
      log.warn({ kind: mail.kind, reason: error.message }, 'could not send the email of a sign-up');
      throw new ApiError('email_delivery_failed');
    }
  }

  /**
   * Sends a new link to an account that awaits verification. It does so after the response, which is the same for all
   * addresses.
   */
  async sendAgain(email: EmailAddress): Promise<void> {
    const { accounts, store, mailer, background, clock, siteUrl } = this.#parts;
    const account = await accounts.findByEmail(email);
    background.run('sending a new verification link', async () => {
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

  /** Resolves with whether a link is valid. Does not use it up, because mail scanners open every link. */
  isValid(token: string): Promise<boolean> {
    return this.#parts.store.isValid(hashOfToken(token), new Date(this.#parts.clock.wallMs()));
  }

  /** Verifies the account of a link and signs its owner in (U2, U3). Rejects with `invalid_token`. */
  async confirm(token: string, clientIp: string): Promise<SignedIn> {
    const { store, clock } = this.#parts;
    const signIn = newSecretToken();
    const nowMs = clock.wallMs();
    const account = await store.confirm(
      hashOfToken(token),
      {
        tokenHash: signIn.tokenHash,
        network: networkOf(clientIp),
        expiresAt: new Date(nowMs + SIGN_IN_LIFETIME_MS),
      },
      new Date(nowMs),
    );
    if (account === null) throw new ApiError('invalid_token');
    return { account, token: signIn.token };
  }
}
