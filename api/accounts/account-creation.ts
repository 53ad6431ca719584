// Makes an account with its client credentials. Called where the owner needs no proof: by the operator's command.

import { randomBytes } from 'node:crypto';
import type { Plan } from '#api/plans/plan.ts';
import type { Clock } from '#engine/clock.ts';
import { newId } from '#engine/ids.ts';
import { EMAIL_CHARS_MAX } from '#engine/limits.ts';
import { quoted } from '#engine/quoted-text.ts';
import type { SecretBox } from '#engine/sign/secret-box.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
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

/** Why an account could not be made, in words for whoever asked. */
export class AccountRefused extends Error {
  override readonly name = 'AccountRefused';
}

// Only what every address has; whether mail arrives is another question.
const EMAIL = /^[^\s@"<>()[\],;:\\]+@[^\s@"<>()[\],;:\\]+\.[^\s@"<>()[\],;:\\]+$/u;

/** Makes a verified account; rejects with AccountRefused when the address is no address or is taken. */
export async function createAccount(
  { email, plan }: AccountOrder,
  parts: { readonly sql: Sql; readonly secretBox: SecretBox; readonly clock: Clock },
): Promise<AccountCredentials> {
  const address = email.trim();
  if (address.length > EMAIL_CHARS_MAX || !EMAIL.test(address) || !address.isWellFormed() || address.includes('\0')) {
    throw new AccountRefused(`${quoted(email)} is not an email address`);
  }
  const wallMs = parts.clock.wallMs();
  const now = new Date(wallMs);
  const accountId = newId('acc', wallMs);
  const clientId = newId('cli', wallMs);
  const clientSecret = randomBytes(32).toString('base64url');
  const inserted = await postgresAccountStore(parts.sql).insert({
    accountId,
    email: address,
    plan,
    clientId,
    clientSecretSealed: parts.secretBox.seal(clientSecret),
    verifiedAt: now,
    createdAt: now,
  });
  if (!inserted) throw new AccountRefused(`an account for ${quoted(address)} exists already`);
  return { accountId, clientId, clientSecret };
}
