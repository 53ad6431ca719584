// Creates accounts without email verification, for the operator's command.

import { randomBytes } from 'node:crypto';
import type { Plan } from '#api/plans/plan.ts';
import type { Clock } from '#engine/base/clock.ts';
import { newId } from '#engine/base/ids.ts';
import { quoted } from '#engine/base/quoted-text.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import type { SecretBox } from '#engine/storage/secrets/secret-box.ts';
import { parseEmail } from './email-address.ts';
import { postgresAccountStore } from './postgres-account-store.ts';

export interface AccountOrder {
  readonly email: string;
  readonly plan: Plan;
}

export interface AccountCredentials {
  readonly accountId: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** An account could not be created. The message is for the operator. */
export class AccountRefused extends Error {
  override readonly name = 'AccountRefused';
}

/**
 * Creates a verified account with client credentials. Rejects with AccountRefused if the address is invalid or taken.
 */
export async function createAccount(
  { email, plan }: AccountOrder,
  parts: { readonly sql: Sql; readonly secretBox: SecretBox; readonly clock: Clock },
): Promise<AccountCredentials> {
  const address = parseEmail(email);
  if (address === null) throw new AccountRefused(`${quoted(email)} is not an email address`);
  const wallMs = parts.clock.wallMs();
  const now = new Date(wallMs);
  const credentials = newAccountCredentials(wallMs);
  const inserted = await postgresAccountStore(parts.sql).insert({
    accountId: credentials.accountId,
    email: address,
    plan,
    clientId: credentials.clientId,
    clientSecretSealed: parts.secretBox.seal(credentials.clientSecret),
    verifiedAt: now,
    createdAt: now,
  });
  if (!inserted)
    throw new AccountRefused(`an account for ${quoted(address)} already exists: "account plan" changes its plan`);
  return credentials;
}

/** Returns the ids and the client secret of a new account. */
export function newAccountCredentials(wallMs: number): AccountCredentials {
  return {
    accountId: newId('acc', wallMs, systemRandomBytes),
    clientId: newId('cli', wallMs, systemRandomBytes),
    clientSecret: newClientSecret(),
  };
}

export function newClientSecret(): string {
  return randomBytes(32).toString('base64url');
}
