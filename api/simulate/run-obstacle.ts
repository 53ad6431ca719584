// What keeps a replay from starting or continuing, and the answer for it.

import { ApiError } from '#api/http/api-error.ts';
import type { Plan } from '#api/plans/plan.ts';
import type { RunObstacle, Sinks } from './run-store.ts';
import { slotsOf } from './session-access.ts';

/** How many sessions the account may unlock; null if this run needs no slot. Watching and the demo take none. */
export function slotsNeeded(plan: Plan, session: { readonly demo: boolean }, sinks: Sinks): number | null {
  return sinks === 'visual' || session.demo ? null : slotsOf(plan);
}

export function obstacle(what: RunObstacle, slots: number | null): ApiError {
  if (what === 'running') return new ApiError('replay_running');
  if (what === 'no_endpoint') return new ApiError('no_active_endpoint');
  return new ApiError(
    'simulate_quota_reached',
    `All ${slots} simulate sessions of this plan are used: replay one of those that GET /v1/simulate/quota lists as unlocked, or take a higher plan.`,
  );
}
