// Refusals that any request may get, whatever its protocol.

import { PLAN_NAMES, type Plan, type PlanTerms, plansWith } from '#api/plans/plan.ts';
import { ACCOUNT_REQUESTS_MAX } from '#engine/base/limits.ts';
import { ApiError } from './api-error.ts';
import type { QuotaState } from './request-quota.ts';

export function insufficientTier(plan: Plan, included: (terms: PlanTerms) => boolean): ApiError {
  return new ApiError(
    'insufficient_tier',
    `This needs ${plansWith(included)}; this account is on ${PLAN_NAMES[plan]}.`,
  );
}

export function busy(): ApiError {
  return new ApiError('unavailable', undefined, { 'retry-after': '1' });
}

export function tooManyAtOnce(): ApiError {
  const text = `This account has ${ACCOUNT_REQUESTS_MAX} requests in progress: wait for some of them.`;
  return new ApiError('unavailable', text, { 'retry-after': '1' });
}

export function quotaExceeded({ limit, retryAfterS }: QuotaState): ApiError {
  return new ApiError(
    'rate_limit_exceeded',
    `This account may send ${limit} requests per hour: try again in ${retryAfterS} seconds.`,
    { 'retry-after': String(retryAfterS) },
  );
}
