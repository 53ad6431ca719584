// Checks where a delivery may go at the last moment: when a connection is opened, for every address that the name
// resolves to. So a name that changes its addresses between check and use (DNS rebinding) gains nothing.

import type { LookupAddress, LookupOptions } from 'node:dns';
import { isIP } from 'node:net';
import { ADDRESSES_TRIED_MAX } from '#engine/base/limits.ts';
import type { NameLookup } from './name-lookup.ts';
import { checkAddress } from './url-policy.ts';

export class EgressRefused extends Error {
  override readonly name = 'EgressRefused';
  readonly code = 'ADDRESS_REFUSED';
}

type LookupCallback = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '::1', '[::1]']);

/** What deliveries may reach on the machine that they are sent from. */
export interface OwnMachine {
  /** Whether any delivery may go to localhost (`REPLAY_TO_LOCALHOST`). Otherwise customers could reach its services. */
  readonly isServed: boolean;
  /** Whether this service listens on that port. */
  readonly isOwnPort: (port: number) => boolean;
}

export interface EgressPolicy extends OwnMachine {
  /** Whether these deliveries may go to localhost, if the URL names it: those of replays and tests may. */
  readonly allowLoopback: boolean;
}

/** Throws EgressRefused if this host and port must not be called. Names are checked again when they are resolved. */
export function checkHost(host: string, port: number, policy: EgressPolicy): void {
  const bare = host.replace(/^\[|\]$/g, '');
  if (LOOPBACK_HOSTS.has(host)) {
    if (!policy.isServed) throw new EgressRefused(`${host} is not served`);
    if (!policy.allowLoopback) throw new EgressRefused(`${host} is not served in live sessions`);
    if (policy.isOwnPort(port)) throw new EgressRefused(`port ${port} of this machine belongs to the service`);
  } else if (isIP(bare) !== 0 && checkAddress(bare) !== 'public') {
    throw new EgressRefused(`${host} is not a public address`);
  }
}

/**
 * A `lookup` for `net.connect` that refuses a name if any of its addresses is not allowed. It returns the very
 * addresses that it has checked, so nothing is looked up again between check and use.
 */
export function guardedLookup(policy: EgressPolicy, lookup: NameLookup) {
  return (host: string, options: LookupOptions, callback: LookupCallback): void => {
    lookup(host).then(
      (addresses) => {
        const allowed = LOOPBACK_HOSTS.has(host) && policy.isServed && policy.allowLoopback ? 'loopback' : 'public';
        const refused = addresses.find(({ address }) => checkAddress(address) !== allowed);
        if (refused !== undefined) {
          // Do not say which one: that would tell strangers about the service's own network.
          callback(new EgressRefused(`${host} has an address that is not allowed`), []);
        } else if (options.all === true) {
          callback(null, tried(addresses));
        } else {
          const first = addresses[0]!;
          callback(null, first.address, first.family);
        }
      },
      (error: Error) => callback(error, []),
    );
  };
}

/** Limits the addresses that are tried to ADDRESSES_TRIED_MAX of each family. */
function tried(addresses: readonly LookupAddress[]): LookupAddress[] {
  const taken = new Map<number, number>();
  return addresses.filter(({ family }) => {
    const before = taken.get(family) ?? 0;
    taken.set(family, before + 1);
    return before < ADDRESSES_TRIED_MAX;
  });
}
