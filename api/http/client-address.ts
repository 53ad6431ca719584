// The client's address: the peer of the connection or, behind trusted proxies, the address that they report.

import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { FORWARDED_HOPS_MAX } from '#engine/base/limits.ts';

/** Which peers may set `X-Forwarded-For`: none, all, or those in these addresses and ranges (CIDR). */
export type TrustProxy =
  | { readonly kind: 'none' }
  | { readonly kind: 'all' }
  | { readonly kind: 'ranges'; readonly ranges: readonly string[] };

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

/** Finds the client's address from the peer's address and the `X-Forwarded-For` header. */
export class ClientAddress {
  readonly #trusts: (address: Address) => boolean;
  readonly #trustsSome: boolean;

  constructor(trust: TrustProxy) {
    this.#trustsSome = trust.kind !== 'none';
    const ranges = trust.kind === 'ranges' ? trust.ranges.map(rangeOf) : [];
    this.#trusts =
      trust.kind === 'ranges'
        ? (address) => ranges.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits))
        : () => trust.kind === 'all';
  }

  /** Whether the peer with this address is a proxy that is trusted. */
  trusts(remote: string): boolean {
    // Most services and, without parsing, most requests.
    const address = this.#trustsSome ? addressOf(remote) : null;
    return address !== null && this.#trusts(address);
  }

  /**
   * Each proxy appends the address of its own peer, so this reads the header from the end and stops at the first
   * untrusted one.
   */
  of(remote: string, forwardedFor: string): string {
    // Most requests, so without parsing.
    if (forwardedFor === '' && isIPv4(remote)) return remote;
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
 * The addresses that share a limit: one IPv4 address, or an IPv6 /64, since providers give each customer a whole /64.
 */
export function limitGroup(clientIp: string): string {
  const address = isIPv4(clientIp) ? null : addressOf(clientIp);
  if (address === null || address.kind() === 'ipv4') return clientIp;
  return (address as ipaddr.IPv6).toByteArray().slice(0, 8).join('.');
}

/** The network of an address: the IPv4 /24 or IPv6 /48, since a user's address changes, and a customer can get a /48. */
export function networkOf(clientIp: string): string {
  const address = addressOf(clientIp);
  if (address === null) return clientIp;
  const bytes = address.toByteArray();
  return bytes.slice(0, bytes.length === 4 ? 3 : 6).join('.');
}

/** Maps IPv4-mapped IPv6 to IPv4, and drops the port that some proxies add. Null for other texts. */
function addressOf(text: string): Address | null {
  const bare = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  return ipaddr.isValid(bare) ? ipaddr.process(bare) : null;
}

function rangeOf(text: string): Range {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}
