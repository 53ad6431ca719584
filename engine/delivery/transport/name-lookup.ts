// The addresses of a host name, asked of the machine's name servers directly. The system's own function keeps a thread for as long
// as a name server says nothing, of the four that the whole process has, and lets only two of them wait for names: two names that
// hang would hold back the connections of every endpoint. What it knows beside the name servers (/etc/hosts, search domains) is of
// the service's own network, where no delivery may go.

import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { Clock } from '#engine/base/clock.ts';
import { ADDRESSES_MAX, ADDRESSES_PAUSE_MS, RESOLVE_TRIES_MAX, RESOLVE_TRY_MS } from '#engine/base/limits.ts';
import { errorCode } from '#engine/storage/storage-error.ts';

/** All addresses of a host name; rejects when it has none, or when that cannot be found out in time. */
export type NameLookup = (host: string) => Promise<readonly LookupAddress[]>;

export class TooManyAddresses extends Error {
  override readonly name = 'TooManyAddresses';

  constructor(host: string) {
    super(`${host} has too many addresses`);
  }
}

/** No name server is asked for it, so none can say that it is elsewhere. */
const LOCALHOST: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];
const NO_SUCH_NAME: ReadonlySet<string | undefined> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

/** `servers`: addresses with ports; those of the machine unless given. `tryMs`: how long one of them may take at first. */
export function createNameLookup(servers: readonly string[] | null = null, tryMs = RESOLVE_TRY_MS): NameLookup {
  return async (host) => {
    if (host === 'localhost') return LOCALHOST;
    // One for each question: what a name server says of one name, or does not say, must not end questions for others.
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
    // The names that the system's own function has for these two cases, which people know.
    const code = isUnknown ? 'ENOTFOUND' : 'EAI_AGAIN';
    throw Object.assign(new Error(`${host} has no address: ${code}`), { code });
  };
}

/** For the one name of an endpoint: lets it alone for a while when it had too many addresses. */
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
