// Where accounts are kept.

import type { Plan } from '#api/plans/plan.ts';
import type { EmailAddress } from './email-address.ts';

export interface NewAccount {
  readonly accountId: string;
  readonly email: EmailAddress;
  readonly plan: Plan;
  readonly clientId: string;
  readonly clientSecretSealed: Buffer;
  /** Null until its owner has proved to read this address. */
  readonly verifiedAt: Date | null;
  readonly createdAt: Date;
}

/** An account as its owner sees it. */
export interface AccountRecord {
  readonly accountId: string;
  /** As it was first written. */
  readonly email: EmailAddress;
  readonly plan: Plan;
}

export interface SignInRecord extends AccountRecord {
  /** Null for accounts that the operator made, to which nobody signs in. */
  readonly passwordHash: string | null;
  /** Of the last sign-up with the address of a verified account, which changed nothing; null when there was none. */
  readonly vainPasswordHash: string | null;
  readonly verified: boolean;
}

export interface SealedClient {
  readonly clientId: string;
  readonly clientSecretSealed: Buffer;
}

export interface AccountStore {
  /** False when the address is taken, in whatever case it is written. */
  insert(account: NewAccount): Promise<boolean>;
  /** The account of an address, in whatever case it is written. */
  findByEmail(email: EmailAddress): Promise<SignInRecord | null>;
  findClient(accountId: string): Promise<SealedClient | null>;
  /**
   * Puts another client secret in place and revokes every bearer token that the old one gave out, all or nothing. The
   * account's client id.
   */
  replaceClientSecret(accountId: string, clientSecretSealed: Buffer): Promise<string | null>;
}
