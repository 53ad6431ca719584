// Looks up the addresses of a host name directly at the machine's name servers. `dns.lookup` would hold one of the
// process's four pool threads while a name server is silent, and lets only two of them wait for names: two hanging
// names would hold back the connections of every endpoint. Its other sources (/etc/hosts, search domains) describe the
// service's own network, where no delivery may go.

import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { Clock } from '#engine/base/clock.ts';
import { ADDRESSES_MAX, ADDRESSES_PAUSE_MS, RESOLVE_TRIES_MAX, RESOLVE_TRY_MS } from '#engine/base/limits.ts';
import { errorCode } from '#engine/storage/storage-error.ts';

/** Resolves to all addresses of a host name. Rejects if it has none, or if no name server responds in time. */
export type NameLookup = (host: string) => Promise<readonly LookupAddress[]>;

export class TooManyAddresses extends Error {
  override readonly name = 'TooManyAddresses';

  constructor(host: string) {
    super(`${host} has too many addresses`);
  }
}

/** localhost is never looked up, so no name server can redirect it. */
const LOCALHOST: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];
const NO_SUCH_NAME: ReadonlySet<string | undefined> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

/** `servers`: addresses with ports, the machine's own by default. `tryMs`: the time limit of the first try. */
export function createNameLookup(servers: readonly string[] | null = null, tryMs = RESOLVE_TRY_MS): NameLookup {
  return async (host) => {
    if (host === 'localhost') return LOCALHOST;
    // One resolver for each lookup: a name server that is silent on one name must not end lookups of others.
    const resolver = new Resolver({ timeout: tryMs, tries: RESOLVE_TRIES_MAX });
    if (servers !== null) resolver.setServers(servers);
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = answers.flatMap((answer, index) =>
      answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family: index === 0 ? 4 : 6 })) : [],
    );
    if (addresses.length > ADDRESSES_MAX) throw new TooManyAddresses(host);
    if (addresses.length > 0) return addresses;
    const isUnknown = answers.every(
      (answer) => answer.status === 'fulfilled' || NO_SUCH_NAME.has(errorCode(answer.reason)),
    );
    // The codes that `dns.lookup` uses for these two cases, because people know them.
    const code = isUnknown ? 'ENOTFOUND' : 'EAI_AGAIN';
    throw Object.assign(new Error(`${host} has no address: ${code}`), { code });
  };
}

/** Wraps the lookup of one endpoint's name: after too many addresses it refuses for a while without a lookup. */
export function sparingLookup(lookup: NameLookup, clock: Clock): NameLookup {
  let refusal: TooManyAddresses | null = null;
  let untilMs = 0;
  return async (host) => {
    if (refusal !== null && clock.nowMs() < untilMs) throw refusal;
    refusal = null;
    try {
      return await lookup(host);
    } catch (error) {
      if (error instanceof TooManyAddresses) {
        refusal = error;
        untilMs = clock.nowMs() + ADDRESSES_PAUSE_MS;
      }
      throw error;
    }
  };
}
