// What stays open for a caller after its request was let in must end when its token is no longer valid, or when its account
// is on another plan.

import { ApiError } from '#api/http/api-error.ts';
import type { Authenticate, Caller } from '#api/http/operation.ts';
import type { Plan } from '#api/plans/plan.ts';

export interface OpenCaller {
  readonly caller: Caller;
  /** The header of its request. */
  readonly authorization: string;
}

/** Calls `end` for each that must end. Asks once for each token; what the database does not tell ends nothing. */
export async function checkCallers<Open extends OpenCaller>(
  open: readonly Open[],
  authenticate: Authenticate,
  end: (one: Open, code: 'unauthorized' | 'plan_changed') => void,
): Promise<void> {
  const byToken = Map.groupBy(open, ({ authorization }) => authorization);
  for (const [authorization, sharing] of byToken) {
    const plan = await planOf(authorization, authenticate);
    if (plan === 'unknown') continue;
    for (const one of sharing) {
      if (plan !== one.caller.plan) end(one, plan === null ? 'unauthorized' : 'plan_changed');
    }
  }
}

/** The plan of the token's account now; null if the token is not valid; `unknown` while the database does not tell. */
async function planOf(authorization: string, authenticate: Authenticate): Promise<Plan | 'unknown' | null> {
  try {
    const caller = authenticate(authorization);
    return (typeof caller === 'function' ? await caller() : caller).plan;
  } catch (error) {
    return error instanceof ApiError && error.code === 'unauthorized' ? null : 'unknown';
  }
}
