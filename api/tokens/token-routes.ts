// POST /v1/oauth: the OAuth 2.0 client-credentials grant. Credentials come in the body, JSON or form, or as HTTP Basic.

import { ApiError } from '#api/http/api-error.ts';
import { type Operation, publicOperation, reply } from '#api/http/operation.ts';
import { TokenAnswer, TokenRequest } from '#schemas/http/token.ts';
import { invalidClient, TOKEN_LIFETIME_S, type TokenAuthority } from './token-authority.ts';

interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

export function tokenRoutes(authority: TokenAuthority): { readonly issue: Operation } {
  return {
    issue: publicOperation(
      {
        summary: 'Exchange client credentials for a bearer token',
        body: TokenRequest,
        answer: TokenAnswer,
        refuses: ['unsupported_grant_type', 'invalid_client', 'rate_limit_exceeded'],
        countsSenders: true,
        takesTurns: true,
        form: true,
        reads: ['authorization'],
        confidential: true,
      },
      async ({ body, headers, clientIp }) => {
        if (body.grant_type !== 'client_credentials') throw new ApiError('unsupported_grant_type');
        const { clientId, clientSecret } = credentials(headers.authorization!, body.client_id, body.client_secret);
        const token = await authority.issue(clientId, clientSecret, clientIp);
        return reply({ access_token: token, token_type: 'Bearer' as const, expires_in: TOKEN_LIFETIME_S });
      },
    ),
  };
}

function credentials(authorization: string, clientId?: string, clientSecret?: string): Credentials {
  const basic = /^basic +([A-Za-z0-9+/]+=*) *$/i.exec(authorization)?.[1];
  if (basic === undefined) {
    if (clientId !== undefined && clientSecret !== undefined) return { clientId, clientSecret };
    const missing = Object.entries({ client_id: clientId, client_secret: clientSecret })
      .filter(([, value]) => value === undefined)
      .map(([name]) => `${name} is required`);
    throw new ApiError('invalid_body', missing.join('; '));
  }
  if (clientSecret !== undefined) {
    throw new ApiError('invalid_body', 'client_secret is given in the body and in the Authorization header: use one');
  }
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(basic, 'base64').toString()) ?? [];
  if (id === undefined || secret === undefined) throw invalidClient();
  return { clientId: formDecoded(id), clientSecret: formDecoded(secret) };
}

/** RFC 6749 form-encodes both parts before joining them. */
function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
