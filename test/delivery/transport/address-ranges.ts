// Which addresses are special, stated apart from the code under test: the registries of IANA for special purposes of
// IPv4 and IPv6 (as of 2026), and bit arithmetic of our own.

/** Not of the public internet, or of no use as a receiver. */
export const SPECIAL_V4 = [
  ['0.0.0.0/8', 'this network'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'shared by carriers'],
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'link-local, metadata services'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'protocol assignments'],
  ['192.0.2.0/24', 'documentation'],
  ['192.31.196.0/24', 'AS112'],
  ['192.52.193.0/24', 'AMT'],
  ['192.88.99.0/24', '6to4 relays'],
  ['192.168.0.0/16', 'private'],
  ['192.175.48.0/24', 'AS112'],
  ['198.18.0.0/15', 'benchmarks'],
  ['198.51.100.0/24', 'documentation'],
  ['203.0.113.0/24', 'documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved, broadcast'],
] as const;

/** Within and without 2000::/3, outside of which nothing is public. */
export const SPECIAL_V6 = [
  ['::/128', 'unspecified'],
  ['::1/128', 'loopback'],
  ['::/96', 'IPv4-compatible'],
  ['::ffff:0:0/96', 'IPv4-mapped'],
  ['::ffff:0:0:0/96', 'IPv4-translated'],
  ['64:ff9b::/96', 'NAT64'],
  ['64:ff9b:1::/48', 'local NAT64'],
  ['100::/64', 'discard'],
  ['100:0:0:1::/64', 'dummy'],
  ['2001::/32', 'Teredo'],
  ['2001::/23', 'protocol assignments'],
  ['2001:2::/48', 'benchmarks'],
  ['2001:3::/32', 'AMT'],
  ['2001:4:112::/48', 'AS112'],
  ['2001:10::/28', 'ORCHID'],
  ['2001:20::/28', 'ORCHIDv2'],
  ['2001:30::/28', 'drone ids'],
  ['2001:db8::/32', 'documentation'],
  ['2002::/16', '6to4'],
  ['2620:4f:8000::/48', 'AS112'],
  ['3fff::/20', 'documentation'],
  ['5f00::/16', 'segment routing'],
  ['fc00::/7', 'unique local'],
  ['fe80::/10', 'link-local'],
  ['fec0::/10', 'site-local'],
  ['ff00::/8', 'multicast'],
] as const;

export interface Range {
  readonly cidr: string;
  readonly what: string;
  readonly bits: 32 | 128;
  readonly first: bigint;
  readonly last: bigint;
}

/** Four numbers with points between them. */
function readV4(text: string): bigint {
  return text.split('.').reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

/** Groups in hexadecimal, with at most one `::`. */
function readV6(text: string): bigint {
  const [before, after] = text.split('::').map((half) => half.split(':').filter((group) => group !== ''));
  const missing = after === undefined ? 0 : 8 - before!.length - after.length;
  const groups = [...before!, ...Array<string>(missing).fill('0'), ...(after ?? [])];
  return groups.reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
}

function range([cidr, what]: readonly [string, string]): Range {
  const [address, length] = cidr.split('/') as [string, string];
  const bits = address.includes(':') ? 128 : 32;
  const first = bits === 32 ? readV4(address) : readV6(address);
  return { cidr, what, bits, first, last: first | ((1n << BigInt(bits - Number(length))) - 1n) };
}

export const RANGES_V4: readonly Range[] = SPECIAL_V4.map(range);
export const RANGES_V6: readonly Range[] = SPECIAL_V6.map(range);
const GLOBAL_UNICAST = range(['2000::/3', 'global unicast']);

const within = (value: bigint, { first, last }: Range): boolean => value >= first && value <= last;

/** 127.0.0.1 and ::1 apart, which are the only loopback addresses that replays may have. */
export function isPublic(value: bigint, bits: 32 | 128): boolean {
  if (bits === 32) return !RANGES_V4.some((special) => within(value, special));
  const isIsatap = ((value >> 32n) & 0xfdff_ffffn) === 0x5efen;
  return within(value, GLOBAL_UNICAST) && !isIsatap && !RANGES_V6.some((special) => within(value, special));
}

export const isLoopback = (value: bigint, bits: 32 | 128): boolean =>
  bits === 32 ? value === 0x7f00_0001n : value === 1n;

export function writeV4(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.');
}

export function groupsOf(value: bigint): string[] {
  return Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - 16 * index)) & 0xffffn).toString(16));
}

/** With every group. */
export const writeV6 = (value: bigint): string => groupsOf(value).join(':');

export interface Boundary {
  readonly value: bigint;
  readonly bits: 32 | 128;
  readonly text: string;
  readonly what: string;
}

/** The first and last addresses of each special range, one from its middle, and those just before and after it. */
export function boundaries(ranges: readonly Range[]): Boundary[] {
  return ranges.flatMap(({ cidr, what, bits, first, last }) => {
    const places: readonly (readonly [bigint, string])[] = [
      [first, 'first'],
      [(first + last) >> 1n, 'middle'],
      [last, 'last'],
      [first - 1n, 'before'],
      [last + 1n, 'after'],
    ];
    return places
      .filter(([value]) => value >= 0n && value < 1n << BigInt(bits))
      .map(([value, place]) => ({
        value,
        bits,
        text: bits === 32 ? writeV4(value) : writeV6(value),
        what: `${place} of ${cidr}, ${what}`,
      }));
  });
}
