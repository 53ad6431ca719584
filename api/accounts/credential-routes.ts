// Routes for signed-in users to show their client credentials and to replace the secret.

import { ApiError } from '#api/http/api-error.ts';
import { reply, sessionOperation } from '#api/http/operation.ts';
import type { TokenAuthority } from '#api/tokens/token-authority.ts';
import type { SecretBox } from '#engine/storage/secrets/secret-box.ts';
import { Credentials, ReplacedCredentials } from '#schemas/http/accounts.ts';
import { newClientSecret } from './account-creation.ts';
import type { AccountStore } from './account-store.ts';

export interface CredentialRouteParts {
  readonly accounts: AccountStore;
  readonly authority: TokenAuthority;
  readonly secretBox: SecretBox;
}

export function credentialRoutes({ accounts, authority, secretBox }: CredentialRouteParts) {
  return {
    show: sessionOperation({ summary: 'Show the client credentials', answer: Credentials }, async ({ caller }) => {
      const client = await accounts.findClient(caller.accountId);
      if (client === null) throw new ApiError('not_signed_in');
      return reply({ clientId: client.clientId, clientSecret: secretBox.open(client.clientSecretSealed) });
    }),

    regenerate: sessionOperation(
      {
        summary: 'Replace the client secret and revoke all bearer tokens',
        answer: ReplacedCredentials,
      },
      async ({ caller }) => {
        const clientSecret = newClientSecret();
        const clientId = await accounts.replaceClientSecret(caller.accountId, secretBox.seal(clientSecret));
        if (clientId === null) throw new ApiError('not_signed_in');
        authority.forgetAccount(caller.accountId);
        return reply({ data: { clientId, clientSecret } });
      },
    ),
  };
}
