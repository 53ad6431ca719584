// How many requests an account may send in an hour, by its plan. The hours are those of the clock, in UTC.

import { LRUCache } from 'lru-cache';
import { TERMS } from '#api/plans/plan.ts';
import type { Clock } from '#engine/base/clock.ts';
import { ACCOUNTS_COUNTED_MAX } from '#engine/base/limits.ts';
import type { Caller } from './operation.ts';

const HOUR_MS = 3_600_000;

interface Count {
  hour: number;
  requests: number;
}

export class RequestQuota {
  readonly #clock: Clock;
  readonly #counts = new LRUCache<string, Count>({ max: ACCOUNTS_COUNTED_MAX });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a request of this account. */
  take({ accountId, plan }: Caller): QuotaState {
    const nowMs = this.#clock.wallMs();
    const hour = Math.floor(nowMs / HOUR_MS);
    let count = this.#counts.get(accountId);
    if (count === undefined) {
      count = { hour, requests: 0 };
      this.#counts.set(accountId, count);
    }
    if (count.hour !== hour) {
      count.hour = hour;
      count.requests = 0;
    }
    count.requests++;
    const limit = TERMS[plan].requestsPerHour;
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

/** Where an account stands in its hour, this request included. */
export interface QuotaState {
  readonly limit: number;
  readonly remaining: number;
  /** Unix epoch seconds at which the hour ends. */
  readonly resetS: number;
  readonly exceeded: boolean;
  /** Seconds until then. */
  readonly retryAfterS: number;
}
