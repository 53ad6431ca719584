// Callers whose tokens were looked up, by the token's hash, and which of them belong to an account. Forgetting an account
// costs as much as it has cached tokens, however many others there are.

import { LRUCache } from 'lru-cache';
import type { Caller } from '#api/http/operation.ts';
import type { Clock } from '#engine/base/clock.ts';
import { ACCOUNT_TTL_MAX_MS, TOKENS_CACHED_MAX } from '#engine/base/limits.ts';
import { accountTtlMs } from './account-ttl.ts';

export interface KnownCaller extends Caller {
  readonly expiresAtMs: number;
}

export class CallerCache {
  readonly #callers: LRUCache<string, KnownCaller>;
  readonly #keysOf = new Map<string, Set<string>>();
  /** One for each look-up under way: what was forgotten since it began. Null: everything. */
  readonly #lookUps = new Set<{ forgotten: Set<string> | null }>();

  constructor(clock: Clock) {
    this.#callers = new LRUCache({
      max: TOKENS_CACHED_MAX,
      ttl: ACCOUNT_TTL_MAX_MS,
      ttlResolution: 0,
      perf: { now: () => clock.nowMs() },
      dispose: ({ accountId }, key) => this.#drop(accountId, key),
    });
  }

  get(key: string): KnownCaller | undefined {
    return this.#callers.get(key);
  }

  /** Looks a caller up and caches the result, unless its account was forgotten meanwhile: then it may be outdated. */
  async find(key: string, lookUp: () => Promise<KnownCaller | null>): Promise<KnownCaller | null> {
    const mine: { forgotten: Set<string> | null } = { forgotten: new Set() };
    this.#lookUps.add(mine);
    try {
      const caller = await lookUp();
      if (caller !== null && mine.forgotten?.has(caller.accountId) === false) this.#keep(key, caller);
      return caller;
    } finally {
      this.#lookUps.delete(mine);
    }
  }

  forget(accountId: string): void {
    for (const { forgotten } of this.#lookUps) forgotten?.add(accountId);
    for (const key of this.#keysOf.get(accountId) ?? []) this.#callers.delete(key);
  }

  forgetAll(): void {
    for (const lookUp of this.#lookUps) lookUp.forgotten = null;
    this.#callers.clear();
  }

  #keep(key: string, caller: KnownCaller): void {
    this.#callers.set(key, caller, { ttl: accountTtlMs(key) });
    const keys = this.#keysOf.get(caller.accountId);
    if (keys === undefined) this.#keysOf.set(caller.accountId, new Set([key]));
    else keys.add(key);
  }

  #drop(accountId: string, key: string): void {
    const keys = this.#keysOf.get(accountId);
    keys?.delete(key);
    if (keys?.size === 0) this.#keysOf.delete(accountId);
  }
}
