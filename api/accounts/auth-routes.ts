// /v1/auth: signing up, confirming the address, signing in and out.

import type { Static } from 'typebox';
import { AddressLimit } from '#api/http/address-limit.ts';
import { ApiError } from '#api/http/api-error.ts';
import { networkOf } from '#api/http/client-address.ts';
import { setSessionCookie } from '#api/http/cookie.ts';
import type { EventCounts } from '#api/http/event-counts.ts';
import { type Operation, publicOperation, type Reply, reply, sessionOperation } from '#api/http/operation.ts';
import { refuseViolations } from '#api/http/violations.ts';
import type { TokenAuthority } from '#api/tokens/token-authority.ts';
import {
  LOGIN_RATE_MAX,
  NAME_CHARS_MAX,
  PASSWORD_CHARS_MAX,
  PASSWORD_CHARS_MIN,
  RESEND_RATE_MAX,
  SIGN_UP_RATE_MAX,
} from '#engine/base/limits.ts';
import {
  LinkAnswer,
  LinkConfirmation,
  LinkQuery,
  LinkRequest,
  LinkRequestAnswer,
  Login,
  SignedInAnswer,
  SignedOutAnswer,
  SignUpAnswer,
  signUpBody,
} from '#schemas/http/accounts.ts';
import { type EmailAddress, parseEmail } from './email-address.ts';
import { RecipientLimit } from './recipient-limit.ts';
import { SIGN_IN_LIFETIME_MS, type SignedIn, type SignIns } from './sign-ins.ts';
import type { SignUps } from './sign-ups.ts';

export interface AuthRouteParts {
  readonly signUps: SignUps;
  readonly signIns: SignIns;
  readonly authority: Pick<TokenAuthority, 'forgetAccount'>;
  readonly eventCounts: EventCounts;
  /** Whether cookies are `Secure`, that is, sent only over https. */
  readonly https: boolean;
}

const SignUp = signUpBody({
  passwordCharsMin: PASSWORD_CHARS_MIN,
  passwordCharsMax: PASSWORD_CHARS_MAX,
  nameCharsMax: NAME_CHARS_MAX,
});

export function authRoutes({ signUps, signIns, authority, eventCounts, https }: AuthRouteParts) {
  const signUpLimit = new AddressLimit(eventCounts, 'sign-ups', SIGN_UP_RATE_MAX);
  const loginLimit = new AddressLimit(eventCounts, 'sign-ins', LOGIN_RATE_MAX);
  const resendLimit = new AddressLimit(eventCounts, 'links sent again', RESEND_RATE_MAX);
  const recipientLimit = new RecipientLimit(eventCounts);

  const welcome = ({ account: { accountId, email, plan }, token }: SignedIn): Reply<Static<typeof SignedInAnswer>> =>
    reply({ data: { accountId, email, plan } }, 200, {
      'set-cookie': setSessionCookie(token, SIGN_IN_LIFETIME_MS / 1_000, https),
    });

  const signUp: Operation = publicOperation(
    {
      summary: 'Create an account and email a link that confirms its address',
      body: SignUp,
      answer: SignUpAnswer,
      statuses: [201],
      refuses: ['rate_limit_exceeded', 'email_delivery_failed'],
      admit: async (clientIp) => void (await signUpLimit.admit(clientIp)),
      confidential: true,
    },
    async ({ body, clientIp, isAwaited }) => {
      const email = givenEmail(body.email);
      const name = givenName(body.name);
      await recipientLimit.admit(email);
      await signUps.begin(email, body.password, name, { network: networkOf(clientIp), isAwaited });
      return reply({ data: { email, verificationRequired: true as const } }, 201);
    },
  );

  const checkLink: Operation = publicOperation(
    {
      summary: 'Check whether a verification link is valid, without using it',
      query: LinkQuery,
      answer: LinkAnswer,
      takesTurns: true,
      confidential: true,
    },
    async ({ query }) => reply({ data: { valid: await signUps.isValid(query.token) } }),
  );

  const confirm: Operation = publicOperation(
    {
      summary: 'Confirm the address with the token of a verification link, and sign in',
      body: LinkConfirmation,
      answer: SignedInAnswer,
      refuses: ['invalid_token'],
      takesTurns: true,
      signsIn: true,
      confidential: true,
    },
    async ({ body, clientIp }) => welcome(await signUps.confirm(body.token, clientIp)),
  );

  const resend: Operation = publicOperation(
    {
      summary: 'Email a new verification link and invalidate older ones',
      body: LinkRequest,
      answer: LinkRequestAnswer,
      refuses: ['rate_limit_exceeded'],
      admit: async (clientIp) => void (await resendLimit.admit(clientIp)),
    },
    async ({ body }) => {
      const email = givenEmail(body.email);
      await recipientLimit.admit(email);
      await signUps.sendAgain(email);
      return reply({
        data: { message: 'If an account with this address awaits verification, a new link is on its way.' },
      });
    },
  );

  const login: Operation = publicOperation(
    {
      summary: 'Sign in with email and password',
      body: Login,
      answer: SignedInAnswer,
      refuses: ['invalid_credentials', 'email_not_verified', 'rate_limit_exceeded'],
      admit: async (clientIp) => void (await loginLimit.admit(clientIp)),
      signsIn: true,
      confidential: true,
    },
    async ({ body, clientIp, isAwaited }) =>
      welcome(await signIns.begin(givenEmail(body.email), body.password, clientIp, isAwaited)),
  );

  const logout: Operation = sessionOperation(
    { summary: 'Sign out', answer: SignedOutAnswer },
    async ({ sessionToken, caller }) => {
      await signIns.end(sessionToken);
      // Those of its console have ended with it.
      authority.forgetAccount(caller.accountId);
      return reply({ data: { signedOut: true as const } }, 200, { 'set-cookie': setSessionCookie('', 0, https) });
    },
  );

  return { signUp, checkLink, confirm, resend, login, logout };
}

function givenEmail(text: string): EmailAddress {
  const email = parseEmail(text);
  if (email === null) throw new ApiError('invalid_body', 'email must be an email address');
  return email;
}

/** Null for a missing or blank name. */
function givenName(text: string | undefined): string | null {
  const name = text?.trim() ?? '';
  refuseViolations('invalid_body', /\p{Cc}/u.test(name) ? ['name must not contain control characters'] : []);
  return name === '' ? null : name;
}
