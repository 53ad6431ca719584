// What new owners of accounts are written. Nothing in it comes from whoever asked for the mail: a stranger can have these
// mails sent to any address, and must not be able to say anything in them.

import type { Mail } from '#api/mail/mailer.ts';
import type { EmailAddress } from './email-address.ts';
import { VERIFICATION_LIFETIME_MS } from './verification-store.ts';

const HOUR_MS = 3_600_000;

/** The link that confirms an address. */
export function verificationMail(to: EmailAddress, token: string, siteUrl: string): Mail {
  return {
    kind: 'verification',
    to,
    subject: 'Confirm your email address',
    text: `Welcome. To open your account, confirm your email address on this page:

${siteUrl}/verify-email?token=${token}

The link is good for ${VERIFICATION_LIFETIME_MS / HOUR_MS} hours and works once. The account then has the
password that was chosen at the sign-up.

If you have not asked for an account, ignore this mail: without the link nobody
can open one with your address.
`,
  };
}

/** For an address with which more than one person may have signed up: only a new sign-up tells whose password it is. */
export function signUpAgainMail(to: EmailAddress, siteUrl: string): Mail {
  return {
    kind: 'sign-up-again',
    to,
    subject: 'Please sign up once more',
    text: `You asked for a fresh link to confirm your email address. There was more than
one sign-up with this address, and only one of the passwords is yours. So please
sign up once more, with the password that you want, and use the link in the mail
that follows: ${siteUrl}

Links in earlier mails do not work any more.
`,
  };
}

/** For an address that has its account already. */
export function accountExistsMail(to: EmailAddress, siteUrl: string): Mail {
  return {
    kind: 'account-exists',
    to,
    subject: 'You already have an account',
    text: `Somebody asked for an account with your email address, where you already have
one: ${siteUrl}

If it was you, sign in with the password of that account. Nothing has changed.

If it was not you, there is nothing to do.
`,
  };
}
