// Limits requests of one kind per client address, or per account, in a sliding window. This slows down password
// guessing and floods of email. Refused requests do not count, so a client that keeps asking gets through as soon as
// the window allows.

import { LRUCache } from 'lru-cache';
import { ApiError } from '#api/http/api-error.ts';
import { limitGroup } from '#api/http/client-address.ts';
import type { Clock } from '#engine/base/clock.ts';
import { ADDRESSES_COUNTED_MAX } from '#engine/base/limits.ts';

export interface AddressTerms {
  readonly requests: number;
  readonly windowMs: number;
  /** Counts by account instead of by client address. */
  readonly byAccount?: true;
}

export class AddressLimit {
  readonly #terms: AddressTerms;
  readonly #clock: Clock;
  /** Times of the requests in the window, oldest first, by limit group. */
  readonly #recent = new LRUCache<string, number[]>({ max: ADDRESSES_COUNTED_MAX });

  constructor(terms: AddressTerms, clock: Clock) {
    this.#terms = terms;
    this.#clock = clock;
  }

  /**
   * Counts a request; `who` is a client address, or the email address of an account. Throws `rate_limit_exceeded` at
   * the limit.
   */
  admit(who: string): void {
    const { requests, windowMs, byAccount } = this.#terms;
    const nowMs = this.#clock.nowMs();
    const group = byAccount ? who.toLowerCase() : limitGroup(who);
    const times = (this.#recent.get(group) ?? []).filter((timeMs) => timeMs + windowMs > nowMs);
    if (times.length >= requests) {
      const retryAfterS = Math.max(1, Math.ceil((times[0]! + windowMs - nowMs) / 1_000));
      throw new ApiError(
        'rate_limit_exceeded',
        `The limit is ${requests} such requests per ${byAccount ? 'account' : 'address'} in ` +
          `${windowMs / 60_000} minutes: try again in ${retryAfterS} seconds.`,
        { 'retry-after': String(retryAfterS) },
      );
    }
    this.#recent.set(group, [...times, nowMs]);
  }
}
