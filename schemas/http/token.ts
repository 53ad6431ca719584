// POST /v1/oauth: exchanges client credentials for a bearer token (RFC 6749).

import Type from 'typebox';

/** Only the grant type is required in the body, since credentials may come in the Authorization header instead. */
export const TokenRequest = Type.Object(
  {
    grant_type: Type.String({ description: '`client_credentials`.' }),
    client_id: Type.Optional(Type.String({ description: 'The client id.' })),
    client_secret: Type.Optional(Type.String({ description: 'The client secret.' })),
  },
  { title: 'TokenRequest', description: 'Client id and secret may be sent as HTTP Basic credentials instead.' },
);

export const TokenAnswer = Type.Object(
  {
    access_token: Type.String({ description: 'Opaque. Store it like a password.' }),
    token_type: Type.Literal('Bearer', { description: 'Always `Bearer`.' }),
    expires_in: Type.Integer({ description: 'Lifetime in seconds.' }),
  },
  { title: 'Token' },
);
