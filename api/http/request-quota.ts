// Limits the requests of an account per hour, by its plan. Hours are clock hours in UTC. Pages of the console have a quota
// of their own, so that looking at them takes nothing from the account's programs.

import { TERMS } from '#api/plans/plan.ts';
import type { Clock } from '#engine/base/clock.ts';
import { ACCOUNTS_COUNTED_MAX, CONSOLE_REQUESTS_HOUR_MAX } from '#engine/base/limits.ts';
import { growingCache } from './growing-cache.ts';
import type { Caller } from './operation.ts';

const HOUR_MS = 3_600_000;

interface Count {
  hour: number;
  requests: number;
}

export class RequestQuota {
  readonly #clock: Clock;
  readonly #counts = growingCache<Count>(ACCOUNTS_COUNTED_MAX);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a request of this account. Returns its quota, this request included. */
  take({ accountId, plan, fromConsole }: Caller): QuotaState {
    const nowMs = this.#clock.wallMs();
    const hour = Math.floor(nowMs / HOUR_MS);
    // Account ids hold no space, so the key is nobody's.
    const key = fromConsole === true ? `${accountId} console` : accountId;
    let count = this.#counts.get(key);
    if (count === undefined) {
      count = { hour, requests: 0 };
      this.#counts.set(key, count);
    }
    if (count.hour !== hour) {
      count.hour = hour;
      count.requests = 0;
    }
    count.requests++;
    const limit = fromConsole === true ? CONSOLE_REQUESTS_HOUR_MAX : TERMS[plan].requestsPerHour;
    const resetS = (hour + 1) * (HOUR_MS / 1_000);
    return {
      limit,
      remaining: Math.max(0, limit - count.requests),
      resetS,
      exceeded: count.requests > limit,
      retryAfterS: Math.max(1, Math.ceil(resetS - nowMs / 1_000)),
    };
  }
}

/** The quota of an account in the current hour. */
export interface QuotaState {
  readonly limit: number;
  readonly remaining: number;
  /** When the hour ends, in Unix seconds. */
  readonly resetS: number;
  readonly exceeded: boolean;
  /** Seconds until then. */
  readonly retryAfterS: number;
}
