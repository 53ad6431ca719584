// The store of accounts' plans.

import type { Plan } from './plan.ts';

export interface AccountPlan {
  readonly accountId: string;
  readonly email: string;
  readonly plan: Plan;
  readonly spendCapCents: number;
}

export interface PlanStore {
  /**
   * Changes the plan by email address; case does not matter. A null cap leaves the cap as it is. Null if there is no
   * such account. Gives back the claims of the bucket warnings whose level it moves (BW1).
   */
  change(email: string, plan: Plan, spendCapCents: number | null): Promise<AccountPlan | null>;
}
