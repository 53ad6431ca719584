// Signing up, confirming the address, signing in and out, and client credentials.

import Type from 'typebox';
import { choice } from './choice.ts';
import { data } from './page.ts';

const Strict = { additionalProperties: false };
const Email = Type.String({ description: 'Case does not matter.' });

export interface SignUpBounds {
  readonly passwordCharsMin: number;
  readonly passwordCharsMax: number;
  readonly nameCharsMax: number;
}

export function signUpBody({ passwordCharsMin, passwordCharsMax, nameCharsMax }: SignUpBounds) {
  return Type.Object(
    {
      email: Email,
      password: Type.String({
        minLength: passwordCharsMin,
        maxLength: passwordCharsMax,
        description: 'The password to sign in with.',
      }),
      tosAccepted: Type.Literal(true, { description: 'Accepts the terms of service.' }),
      privacyAccepted: Type.Literal(true, { description: 'Accepts the privacy policy.' }),
      aupAccepted: Type.Literal(true, { description: 'Accepts the acceptable use policy.' }),
      name: Type.Optional(Type.String({ maxLength: nameCharsMax, description: 'Display name.' })),
    },
    Strict,
  );
}

export const SignUpAnswer = data(
  Type.Object({
    email: Type.String({ description: 'The address as it is kept.' }),
    verificationRequired: Type.Literal(true, {
      description: 'Always true, even if the address already has an account.',
    }),
  }),
);

export const LinkQuery = Type.Object({ token: Type.String({ description: 'From the link in the email.' }) });
export const LinkAnswer = data(Type.Object({ valid: Type.Boolean({ description: 'Whether the link still works.' }) }));
export const LinkConfirmation = Type.Object(
  { token: Type.String({ description: 'From the link in the email.' }) },
  Strict,
);

export const LinkRequest = Type.Object({ email: Email }, Strict);
export const LinkRequestAnswer = data(
  Type.Object({
    message: Type.String({ description: 'What happens now. The same whether there is such an account or not.' }),
  }),
);

export const Login = Type.Object(
  { email: Email, password: Type.String({ description: 'As given at the sign-up.' }) },
  Strict,
);

/** Sent together with the session cookie. */
export const SignedInAnswer = data(
  Type.Object({
    accountId: Type.String({ description: 'Id of the account.' }),
    email: Type.String({ description: 'The address as it is kept.' }),
    plan: choice(['free', 'developer', 'custom'], 'The plan of the account.'),
  }),
);
export const SignedOutAnswer = data(Type.Object({ signedOut: Type.Literal(true, { description: 'Always true.' }) }));

export const Credentials = Type.Object({
  clientId: Type.String({ description: 'Not a secret. Names the account when it asks for a token.' }),
  clientSecret: Type.String({ description: 'Store it like a password.' }),
});
export const ReplacedCredentials = data(Credentials);
