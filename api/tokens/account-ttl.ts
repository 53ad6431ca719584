// How long cached data of an account is valid without a notification of a change. The TTL varies by key. Otherwise
// entries cached in one busy moment would all expire in one.

import { ACCOUNT_TTL_MAX_MS } from '#engine/base/limits.ts';

/**
 * Returns milliseconds between half of the longest TTL and all of it. `key` must end in random characters, as ids and
 * hashes do.
 */
export function accountTtlMs(key: string): number {
  const spread = ((key.charCodeAt(key.length - 3) * 31 + key.charCodeAt(key.length - 4)) % 64) / 64;
  return ACCOUNT_TTL_MAX_MS * (0.5 + spread / 2);
}
