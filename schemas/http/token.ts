// POST /v1/oauth: client credentials against a bearer token, as RFC 6749 writes it.

import Type from 'typebox';

/** Credentials may come in the Authorization header instead, so only the grant type is needed in the body. */
export const TokenRequest = Type.Object(
  {
    grant_type: Type.String(),
    client_id: Type.Optional(Type.String()),
    client_secret: Type.Optional(Type.String()),
  },
  { title: 'TokenRequest', description: 'Id and secret may come as HTTP Basic instead.' },
);

export const TokenAnswer = Type.Object(
  {
    access_token: Type.String({ description: 'Opaque; to be kept like a password.' }),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ description: 'Seconds.' }),
  },
  { title: 'Token' },
);
