// Whose request it is: the other side of the connection or, behind proxies that are trusted, whom they say it came from.

import ipaddr from 'ipaddr.js';
import { FORWARDED_HOPS_MAX } from '#engine/base/limits.ts';

/** Whose `X-Forwarded-For` is believed: nobody's, everybody's, or that of these addresses and ranges (CIDR). */
export type TrustProxy =
  | { readonly kind: 'none' }
  | { readonly kind: 'all' }
  | { readonly kind: 'ranges'; readonly ranges: readonly string[] };

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

/** Tells the client's address from that of the connection and the `X-Forwarded-For` header. */
export class ClientAddress {
  readonly #trusts: (address: Address) => boolean;

  constructor(trust: TrustProxy) {
    const ranges = trust.kind === 'ranges' ? trust.ranges.map(rangeOf) : [];
    this.#trusts =
      trust.kind === 'ranges'
        ? (address) => ranges.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits))
        : () => trust.kind === 'all';
  }

  /** Each proxy adds whom it heard it from, so the header is read from its end, as far as those who wrote are trusted. */
  of(remote: string, forwardedFor: string): string {
    let address = addressOf(remote);
    if (address === null) return remote;
    const hops = forwardedFor === '' ? [] : forwardedFor.split(',').slice(-FORWARDED_HOPS_MAX);
    while (hops.length > 0 && this.#trusts(address)) {
      const before = addressOf(hops.pop()!.trim());
      if (before === null) break;
      address = before;
    }
    return address.toString();
  }
}

/**
 * Who shares a limit: an IPv4 address, or the /64 that an IPv6 address is in, since a single customer of a provider has
 * all of that.
 */
export function limitGroup(clientIp: string): string {
  const address = addressOf(clientIp);
  if (address === null || address.kind() === 'ipv4') return clientIp;
  return (address as ipaddr.IPv6).toByteArray().slice(0, 8).join('.');
}

/** IPv4 in IPv6 clothing is IPv4; some proxies add a port. */
function addressOf(text: string): Address | null {
  const bare = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  return ipaddr.isValid(bare) ? ipaddr.process(bare) : null;
}

function rangeOf(text: string): Range {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}
