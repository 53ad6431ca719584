// Limits the requests of an account per hour, by its plan. Hours are clock hours in UTC. Pages of the console have a quota
// of their own, so that looking at them takes nothing from the account's programs.
//
// A service alone begins anew when it starts. In a cluster the counts go with an account to its next home (quota-keeper.ts).

import { TERMS } from '#api/plans/plan.ts';
import type { Clock } from '#engine/base/clock.ts';
import { ACCOUNTS_COUNTED_MAX, CONSOLE_REQUESTS_HOUR_MAX } from '#engine/base/limits.ts';
import { growingCache } from './growing-cache.ts';
import type { Caller } from './operation.ts';

const HOUR_MS = 3_600_000;

/** Requests of an account within an hour. */
export interface RequestCount {
  readonly accountId: string;
  readonly fromConsole: boolean;
  /** Hours since the Unix epoch. */
  readonly hour: number;
  readonly requests: number;
}

interface Count {
  readonly accountId: string;
  readonly fromConsole: boolean;
  hour: number;
  requests: number;
  /** Of them, those that `takeUnsaved` has not given out yet. */
  unsaved: number;
}

export class RequestQuota {
  readonly #clock: Clock;
  readonly #counts = growingCache<Count>(ACCOUNTS_COUNTED_MAX);
  /** With unsaved requests; null if nobody saves them. */
  readonly #unsaved: Set<Count> | null;

  /** `isSaved`: somebody calls `takeUnsaved` now and then. */
  constructor(clock: Clock, isSaved = false) {
    this.#clock = clock;
    this.#unsaved = isSaved ? new Set() : null;
  }

  /** Counts a request of this account. Returns its quota, this request included. */
  take({ accountId, plan, fromConsole: isConsole }: Caller): QuotaState {
    const fromConsole = isConsole === true;
    const nowMs = this.#clock.wallMs();
    const hour = Math.floor(nowMs / HOUR_MS);
    const count = this.#of(accountId, fromConsole, hour);
    count.requests++;
    count.unsaved++;
    this.#unsaved?.add(count);
    const limit = fromConsole ? CONSOLE_REQUESTS_HOUR_MAX : TERMS[plan].requestsPerHour;
    const resetS = (hour + 1) * (HOUR_MS / 1_000);
    return {
      limit,
      remaining: Math.max(0, limit - count.requests),
      resetS,
      exceeded: count.requests > limit,
      retryAfterS: Math.max(1, Math.ceil(resetS - nowMs / 1_000)),
    };
  }

  /** The current hour. */
  get hour(): number {
    return Math.floor(this.#clock.wallMs() / HOUR_MS);
  }

  /** Requests that were counted here since they were last given out, of so many accounts at most. */
  takeUnsaved(accountsMax: number): RequestCount[] {
    const given: RequestCount[] = [];
    for (const count of this.#unsaved ?? []) {
      if (given.length === accountsMax) break;
      this.#unsaved?.delete(count);
      const { accountId, fromConsole, hour, unsaved } = count;
      given.push({ accountId, fromConsole, hour, requests: unsaved });
      count.unsaved = 0;
    }
    return given;
  }

  /** They could not be saved. */
  giveBack(counts: readonly RequestCount[]): void {
    for (const { accountId, fromConsole, hour, requests } of counts) {
      if (hour !== this.hour) continue;
      const count = this.#of(accountId, fromConsole, hour);
      count.unsaved += requests;
      this.#unsaved?.add(count);
    }
  }

  /** What all homes of the accounts have saved. The same may be learned again. */
  learn(counts: readonly RequestCount[]): void {
    for (const { accountId, fromConsole, hour, requests } of counts) {
      if (hour !== this.hour) continue;
      const count = this.#of(accountId, fromConsole, hour);
      count.requests = Math.max(count.requests, requests + count.unsaved);
    }
  }

  #of(accountId: string, fromConsole: boolean, hour: number): Count {
    // Account ids hold no space, so the key is nobody's.
    const key = fromConsole ? `${accountId} console` : accountId;
    let count = this.#counts.get(key);
    if (count === undefined) {
      count = { accountId, fromConsole, hour, requests: 0, unsaved: 0 };
      this.#counts.set(key, count);
    }
    if (count.hour !== hour) {
      count.hour = hour;
      count.requests = 0;
      count.unsaved = 0;
    }
    return count;
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
