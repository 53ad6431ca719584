// How long what is remembered of an account is trusted when nothing is heard of a change. It is spread by the key, since what
// was remembered in one busy moment would otherwise be asked for again in one.

import { ACCOUNT_TTL_MAX_MS } from '#engine/base/limits.ts';

/** Milliseconds, from half of the longest time to all of it. `key` ends in characters of chance, as ids and hashes do. */
export function accountTtlMs(key: string): number {
  const spread = ((key.charCodeAt(key.length - 3) * 31 + key.charCodeAt(key.length - 4)) % 64) / 64;
  return ACCOUNT_TTL_MAX_MS * (0.5 + spread / 2);
}
