// Where deliveries may go, checked at the last moment: when a connection is made, for every address that the name resolves
// to, so that a name which changes its mind between check and use (DNS rebinding) gains nothing.

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

export interface EgressPolicy {
  /** Replays may go to localhost, named as such. */
  readonly allowLoopback: boolean;
  /** Whether this service itself listens on a port of this machine. */
  readonly isOwnPort: (port: number) => boolean;
}

/** Throws EgressRefused when this host and port must not be called; names are checked again when they are resolved. */
export function checkHost(host: string, port: number, policy: EgressPolicy): void {
  const bare = host.replace(/^\[|\]$/g, '');
  if (LOOPBACK_HOSTS.has(host)) {
    if (!policy.allowLoopback) throw new EgressRefused(`${host} is served in replays only`);
    if (policy.isOwnPort(port)) throw new EgressRefused(`port ${port} of this machine belongs to the service`);
  } else if (isIP(bare) !== 0 && checkAddress(bare) !== 'public') {
    throw new EgressRefused(`${host} is not a public address`);
  }
}

/**
 * A resolver for `net.connect` that refuses a name as soon as one of its addresses is not allowed. What it hands over are the
 * addresses that it has checked, so nothing is looked up again between check and use.
 */
export function guardedLookup(policy: EgressPolicy, lookup: NameLookup) {
  return (host: string, options: LookupOptions, callback: LookupCallback): void => {
    lookup(host).then(
      (addresses) => {
        const allowed = LOOPBACK_HOSTS.has(host) && policy.allowLoopback ? 'loopback' : 'public';
        const refused = addresses.find(({ address }) => checkAddress(address) !== allowed);
        if (refused !== undefined) {
          // Which one it was would tell a stranger about the network that the service is in.
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

/** A name with thousands of addresses must not make the service knock at thousands of doors. */
function tried(addresses: readonly LookupAddress[]): LookupAddress[] {
  const taken = new Map<number, number>();
  return addresses.filter(({ family }) => {
    const before = taken.get(family) ?? 0;
    taken.set(family, before + 1);
    return before < ADDRESSES_TRIED_MAX;
  });
}
