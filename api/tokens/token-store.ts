// Where client credentials are looked up and bearer tokens are kept.

import type { Plan } from '#api/plans/plan.ts';

export interface ClientRecord {
  readonly accountId: string;
  readonly clientSecretSealed: Buffer;
}

export interface TokenRecord {
  readonly accountId: string;
  readonly plan: Plan;
  readonly expiresAt: Date;
}

export interface TokenStore {
  /** The verified account of a client id. */
  findClient(clientId: string): Promise<ClientRecord | null>;
  /**
   * Keeps a token by its hash and clears the account's expired and supernumerary ones away. False, and nothing is kept, when the client's
   * secret was replaced since it was looked up.
   */
  insertToken(tokenHash: Buffer, client: ClientRecord, expiresAt: Date, now: Date): Promise<boolean>;
  /** The account of a token that is valid now. */
  findToken(tokenHash: Buffer, now: Date): Promise<TokenRecord | null>;
}
