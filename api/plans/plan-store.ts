// Where the plan of an account is kept.

import type { Plan } from './plan.ts';

export interface AccountPlan {
  readonly accountId: string;
  readonly email: string;
  readonly plan: Plan;
  readonly spendCapCents: number;
}

export interface PlanStore {
  /** By address, in whatever case it is written; a cap of null stays as it is. Null when there is no such account. */
  change(email: string, plan: Plan, spendCapCents: number | null): Promise<AccountPlan | null>;
}
