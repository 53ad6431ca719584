// The emails of the sign-up. They contain nothing from the request: a stranger can have them sent to any address, and
// must not be able to put words into them.

import type { Mail } from '#api/mail/mailer.ts';
import type { EmailAddress } from './email-address.ts';
import { VERIFICATION_LIFETIME_MS } from './verification-store.ts';

const HOUR_MS = 3_600_000;

/** Holds the link that confirms an address. */
export function verificationMail(to: EmailAddress, token: string, siteUrl: string): Mail {
  return {
    kind: 'verification',
    to,
    subject: 'Confirm your email address',
    text: `Welcome. To activate your account, confirm your email address on this page:

${siteUrl}/verify-email?token=${token}

The link is valid for ${VERIFICATION_LIFETIME_MS / HOUR_MS} hours and works once. Your password is the one that
was chosen at sign-up.

If you did not ask for an account, ignore this email: without the link, your
address cannot be used for one.
`,
  };
}

/**
 * For an address with several sign-ups, perhaps by different people. Only a new sign-up shows which password is the
 * owner's.
 */
export function signUpAgainMail(to: EmailAddress, siteUrl: string): Mail {
  return {
    kind: 'sign-up-again',
    to,
    subject: 'Please sign up again',
    text: `You asked for a new link to confirm your email address. Someone else may have
signed up with your address as well, so we cannot tell which password is yours.
Please sign up again with the password that you want, and use the link in the
email that follows: ${siteUrl}

Links in earlier emails no longer work.
`,
  };
}

/** For an address that already has an account. */
export function accountExistsMail(to: EmailAddress, siteUrl: string): Mail {
  return {
    kind: 'account-exists',
    to,
    subject: 'You already have an account',
    text: `Someone tried to sign up with your email address, but you already have an
account: ${siteUrl}

If it was you, sign in with your existing password. Nothing has changed.

If it was not you, you need not do anything.
`,
  };
}
