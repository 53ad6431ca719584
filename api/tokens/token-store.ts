// The store of client credentials and bearer tokens.

import type { Plan } from '#api/plans/plan.ts';

export interface ClientRecord {
  readonly accountId: string;
  readonly clientSecretSealed: Buffer;
}

export interface TokenRecord {
  readonly accountId: string;
  readonly plan: Plan;
  readonly expiresAt: Date;
  /** It was issued for a page of the console. */
  readonly fromConsole: boolean;
}

export interface TokenStore {
  /** The verified account of a client id. */
  findClient(clientId: string): Promise<ClientRecord | null>;
  /**
   * Stores a token by its hash. Resolves with false, and stores nothing, if the client's secret was replaced since the
   * lookup.
   */
  insertToken(tokenHash: Buffer, client: ClientRecord, expiresAt: Date): Promise<boolean>;
  /** Stores a token that ends with this sign-in. Resolves with false, and stores nothing, if the sign-in has ended. */
  insertConsoleToken(tokenHash: Buffer, accountId: string, signInHash: Buffer, expiresAt: Date): Promise<boolean>;
  /**
   * Removes the account's expired tokens. If it has TOKENS_PER_ACCOUNT_MAX valid ones, removes the oldest
   * TOKENS_ENDED_AT_ONCE_MAX of them. Resolves with the number of those left.
   */
  makeRoom(accountId: string, now: Date): Promise<number>;
  /** The account of a token, or null if the token is not valid now. */
  findToken(tokenHash: Buffer, now: Date): Promise<TokenRecord | null>;
}
