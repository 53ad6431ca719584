// Looks up the addresses of a host name directly at the machine's name servers. `dns.lookup` would hold one of the
// process's four pool threads while a name server is silent, and lets only two of them wait for names: two hanging
// names would hold back the connections of every endpoint. Its other sources (/etc/hosts, search domains) describe the
// service's own network, where no delivery may go.
//
// Addresses are kept as long as the name server says, NAME_KEPT_MS_MAX at most. Each new connection checks them again.
// Those of one family alone are kept for NAME_HALF_KEPT_MS if the answer for the other is not known: this machine may reach
// only addresses of the other, and every attempt of an update would fail before they are asked for again.

import type { LookupAddress, RecordWithTtl } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { LRUCache } from 'lru-cache';
import type { Clock, TimerClock } from '#engine/base/clock.ts';
import {
  ADDRESSES_MAX,
  ADDRESSES_PAUSE_MS,
  NAME_HALF_KEPT_MS,
  NAME_KEPT_MS_MAX,
  NAMES_KEPT_MAX,
  OTHER_FAMILY_MS,
  RESOLVE_TRIES_MAX,
  RESOLVE_TRY_MS,
} from '#engine/base/limits.ts';
import { errorCode } from '#engine/storage/storage-error.ts';

/** Resolves to all addresses of a host name. Rejects if it has none, or if no name server responds in time. */
export type NameLookup = (host: string) => Promise<readonly LookupAddress[]>;

export class TooManyAddresses extends Error {
  override readonly name = 'TooManyAddresses';

  constructor(host: string) {
    super(`${host} has too many addresses`);
  }
}

/** What the name servers said of a name. */
interface Found {
  readonly addresses: readonly LookupAddress[];
  readonly keptMs: number;
}

type Settled = PromiseSettledResult<readonly RecordWithTtl[]>;

/** localhost is never looked up, so no name server can redirect it. */
const LOCALHOST: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];
const NO_SUCH_NAME: ReadonlySet<string | undefined> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

/** `servers`: addresses with ports, the machine's own by default. `tryMs`: the time limit of the first try. */
export function createNameLookup(
  clock: Clock & Pick<TimerClock, 'schedule'>,
  servers: readonly string[] | null = null,
  tryMs = RESOLVE_TRY_MS,
): NameLookup {
  const kept = new LRUCache<string, { readonly addresses: readonly LookupAddress[]; readonly untilMs: number }>({
    max: NAMES_KEPT_MAX,
  });
  /** Lookups under way. Many connections to one endpoint share one. */
  const asking = new Map<string, Promise<readonly LookupAddress[]>>();
  return async (host) => {
    if (host === 'localhost') return LOCALHOST;
    const known = kept.get(host);
    if (known !== undefined && clock.nowMs() < known.untilMs) return known.addresses;
    let asked = asking.get(host);
    if (asked === undefined) {
      asked = find(host, clock, servers, tryMs)
        .then(({ addresses, keptMs }) => {
          if (keptMs > 0) kept.set(host, { addresses, untilMs: clock.nowMs() + keptMs });
          return addresses;
        })
        .finally(() => asking.delete(host));
      asking.set(host, asked);
    }
    return asked;
  };
}

async function find(
  host: string,
  clock: Pick<TimerClock, 'schedule'>,
  servers: readonly string[] | null,
  tryMs: number,
): Promise<Found> {
  // One resolver for each lookup: a name server that is silent on one name must not end lookups of others.
  const resolver = new Resolver({ timeout: tryMs, tries: RESOLVE_TRIES_MAX });
  if (servers !== null) resolver.setServers(servers);
  const queries = [resolver.resolve4(host, { ttl: true }), resolver.resolve6(host, { ttl: true })] as const;
  const answers = await answersInTime(queries, clock);
  resolver.cancel();
  const records = answers.flatMap((answer) => (answer?.status === 'fulfilled' ? answer.value : []));
  if (records.length > ADDRESSES_MAX) throw new TooManyAddresses(host);
  const isWhole = answers.every(
    (answer) => answer?.status === 'fulfilled' || NO_SUCH_NAME.has(errorCode(answer?.reason)),
  );
  if (records.length > 0) {
    return {
      addresses: records.map(({ address }) => ({ address, family: address.includes(':') ? 6 : 4 })),
      keptMs: Math.min(isWhole ? NAME_KEPT_MS_MAX : NAME_HALF_KEPT_MS, ...records.map(({ ttl }) => ttl * 1_000)),
    };
  }
  // The codes that `dns.lookup` uses for these two cases, because people know them.
  const code = isWhole ? 'ENOTFOUND' : 'EAI_AGAIN';
  throw Object.assign(new Error(`${host} has no address: ${code}`), { code });
}

/**
 * The answers for both families, in their order. Once one has addresses, the other gets OTHER_FAMILY_MS (RFC 8305): a
 * name server that is silent on IPv6 would delay every connection by seconds. Null for an answer that did not come.
 */
function answersInTime(
  queries: readonly Promise<readonly RecordWithTtl[]>[],
  clock: Pick<TimerClock, 'schedule'>,
): Promise<readonly (Settled | null)[]> {
  return new Promise((resolve) => {
    const answers: (Settled | null)[] = queries.map(() => null);
    let stopWaiting = (): void => {};
    for (const [index, query] of queries.entries()) {
      Promise.allSettled([query]).then(([answer]) => {
        answers[index] = answer;
        stopWaiting();
        if (answers.every((one) => one !== null)) resolve(answers);
        else if (answer.status === 'fulfilled' && answer.value.length > 0)
          stopWaiting = clock.schedule(OTHER_FAMILY_MS, () => resolve([...answers]));
      });
    }
  });
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
