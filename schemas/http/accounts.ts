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
      password: Type.String({ minLength: passwordCharsMin, maxLength: passwordCharsMax }),
      tosAccepted: Type.Literal(true, { description: 'The terms of service.' }),
      privacyAccepted: Type.Literal(true, { description: 'The privacy policy.' }),
      aupAccepted: Type.Literal(true, { description: 'The acceptable use policy.' }),
      name: Type.Optional(Type.String({ maxLength: nameCharsMax, description: 'Display name.' })),
    },
    Strict,
  );
}

export const SignUpAnswer = data(
  Type.Object({
    email: Type.String(),
    verificationRequired: Type.Literal(true, { description: 'The same whether or not the address has an account.' }),
  }),
);

export const LinkQuery = Type.Object({ token: Type.String({ description: 'From the link in the mail.' }) });
export const LinkAnswer = data(Type.Object({ valid: Type.Boolean() }));
export const LinkConfirmation = Type.Object(
  { token: Type.String({ description: 'From the link in the mail.' }) },
  Strict,
);

export const LinkRequest = Type.Object({ email: Email }, Strict);
export const LinkRequestAnswer = data(Type.Object({ message: Type.String() }));

export const Login = Type.Object({ email: Email, password: Type.String() }, Strict);

/** Comes with the session cookie. */
export const SignedInAnswer = data(
  Type.Object({
    accountId: Type.String(),
    email: Type.String(),
    plan: choice(['free', 'developer', 'custom']),
  }),
);
export const SignedOutAnswer = data(Type.Object({ signedOut: Type.Literal(true) }));

export const Credentials = Type.Object({
  clientId: Type.String(),
  clientSecret: Type.String({ description: 'To be kept like a password.' }),
});
export const ReplacedCredentials = data(Credentials);
