// The store of accounts.

import type { Plan } from '#api/plans/plan.ts';
import type { EmailAddress } from './email-address.ts';

export interface NewAccount {
  readonly accountId: string;
  readonly email: EmailAddress;
  readonly plan: Plan;
  readonly clientId: string;
  readonly clientSecretSealed: Buffer;
  /** Null until the owner has confirmed the address. */
  readonly verifiedAt: Date | null;
  readonly createdAt: Date;
}

/** An account as its owner sees it. */
export interface AccountRecord {
  readonly accountId: string;
  /** In the spelling of the first sign-up. */
  readonly email: EmailAddress;
  readonly plan: Plan;
}

export interface SignInRecord extends AccountRecord {
  /** Null for accounts that the operator created, which have no password. */
  readonly passwordHash: string | null;
  /**
   * The password of the latest sign-up for an address that was already verified, which changed nothing. Null if there
   * is none.
   */
  readonly ineffectivePasswordHash: string | null;
  readonly verified: boolean;
}

export interface ShownAccount {
  readonly email: EmailAddress;
  readonly name: string | null;
  readonly clientId: string;
}

export interface SealedClient {
  readonly clientId: string;
  readonly clientSecretSealed: Buffer;
}

export interface AccountStore {
  /** Resolves with false if the address is taken. Case does not matter. */
  insert(account: NewAccount): Promise<boolean>;
  /** The account of an address. Case does not matter. */
  findByEmail(email: EmailAddress): Promise<SignInRecord | null>;
  /** What the console shows of an account. */
  findShown(accountId: string): Promise<ShownAccount | null>;
  findClient(accountId: string): Promise<SealedClient | null>;
  /**
   * Replaces the client secret and revokes all bearer tokens of the account, atomically. Resolves with the client id.
   */
  replaceClientSecret(accountId: string, clientSecretSealed: Buffer): Promise<string | null>;
}
