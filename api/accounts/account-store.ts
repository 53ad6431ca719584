// Where accounts are kept.

import type { Plan } from '#api/plans/plan.ts';

export interface NewAccount {
  readonly accountId: string;
  readonly email: string;
  readonly plan: Plan;
  readonly clientId: string;
  readonly clientSecretSealed: Buffer;
  /** Null until its owner has proved to read this address. */
  readonly verifiedAt: Date | null;
  readonly createdAt: Date;
}

export interface AccountStore {
  /** False when the address is taken, in whatever case it is written. */
  insert(account: NewAccount): Promise<boolean>;
}
