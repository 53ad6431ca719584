// Which URLs and addresses the service may send to. Customers choose the URL, so without this they could make the
// service reach into its own network. A URL is parsed here when it is created or updated. The addresses that its name
// resolves to are checked then, and again at every connect, because names change.

import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { ADDRESS_VERDICTS_MAX, WEBHOOK_URL_CHARS_MAX } from '#engine/base/limits.ts';

declare const checked: unique symbol;

/** A URL that passed `parseEndpointUrl`. */
export interface EndpointUrl {
  readonly [checked]: true;
  /** As the customer wrote it. */
  readonly text: string;
  readonly url: URL;
  /** The host name or address, without the brackets of IPv6. */
  readonly host: string;
  /** localhost, 127.0.0.1 or [::1]: served in replays and tests only, if at all, and only over the loopback interface. */
  readonly replayOnly: boolean;
  /** Whether the host is a name. Its addresses must then be looked up and checked. */
  readonly named: boolean;
}

export type ParsedEndpointUrl = { readonly ok: EndpointUrl } | { readonly violation: string };

/** A public address, a loopback address of this machine, or why it is neither. */
export type AddressVerdict = 'public' | 'loopback' | { readonly refused: string };

// Exactly these two: local services often listen on other addresses of 127.0.0.0/8.
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '::1']);
const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** A verdict takes 10 to 30 us, more on a new thread, and every new connection asks for one of each address. */
const verdicts = new LRUCache<string, AddressVerdict>({ max: ADDRESS_VERDICTS_MAX });

/** Judges an IP address as text, IPv4 or IPv6. */
export function checkAddress(address: string): AddressVerdict {
  let verdict = verdicts.get(address);
  if (verdict === undefined) {
    verdict = judge(address);
    verdicts.set(address, verdict);
  }
  return verdict;
}

function judge(address: string): AddressVerdict {
  // IPv4 as four plain numbers only: parsers disagree about other spellings. No IPv6 zone: only addresses of the local
  // network have one.
  if (!ipaddr.IPv4.isValidFourPartDecimal(address) && (!ipaddr.IPv6.isValid(address) || address.includes('%'))) {
    return { refused: 'not an IP address' };
  }
  const parsed = ipaddr.parse(address);
  if (LOOPBACK.has(parsed.toString())) return 'loopback';
  const range = parsed.range();
  if (range !== 'unicast') return { refused: `a special address (${range})` };
  if (parsed.kind() === 'ipv6') {
    const v6 = parsed as ipaddr.IPv6;
    if (!v6.match(GLOBAL_UNICAST_V6)) return { refused: 'a special address (not global unicast)' };
    if (isIsatap(v6)) return { refused: 'a special address (isatap)' };
  }
  return 'public';
}

/** RFC 5214: in any network, the second half of an ISATAP address leads to an IPv4 address. */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return (parts[4] === 0 || parts[4] === 0x0200) && parts[5] === 0x5efe;
}

/** Parses a customer's webhook URL. A violation says what to change. */
export function parseEndpointUrl(text: string): ParsedEndpointUrl {
  if (text.length > WEBHOOK_URL_CHARS_MAX) return refuse(`must have at most ${WEBHOOK_URL_CHARS_MAX} characters`);
  // The URL parser silently drops tabs and line breaks and turns backslashes into slashes. But the URL that we store
  // must be the one that we call.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\u0000-\u0020\u007f-\u009f\\]/.test(text) || !text.isWellFormed()) {
    return refuse('must not contain spaces, control characters or backslashes');
  }
  if (!/^https?:\/\/[^/]/i.test(text)) return refuse('must be an absolute https:// URL');
  const url = URL.parse(text);
  if (url === null) return refuse('is not a valid URL');
  if (url.href.length > WEBHOOK_URL_CHARS_MAX) return refuse(`must have at most ${WEBHOOK_URL_CHARS_MAX} characters`);
  if (url.username !== '' || url.password !== '' || /^https?:\/\/[^/?#]*@/i.test(text)) {
    return refuse('must not contain a user name or a password');
  }
  if (text.includes('#')) return refuse('must not contain a fragment');
  if (url.port === '0') return refuse('must not use port 0');
  const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
  const named = !url.hostname.startsWith('[') && !isIpv4(host);
  // A name with an empty label cannot exist.
  if (named && /^\.|\.\./.test(host)) return refuse('is not a valid URL');
  const replayOnly = named ? host === 'localhost' : checkAddress(host) === 'loopback';
  if (!named && !replayOnly) {
    const verdict = checkAddress(host);
    if (verdict !== 'public' && verdict !== 'loopback') return refuse(`must not point to ${host}: ${verdict.refused}`);
  }
  if (named && !replayOnly && /(^|\.)localhost\.?$/.test(host)) {
    return refuse('must not point to a name under localhost');
  }
  if (url.protocol !== 'https:' && !replayOnly) {
    return refuse('must use https (http is for localhost, 127.0.0.1 and [::1] only)');
  }
  return { ok: { text, url, host, replayOnly, named } as EndpointUrl };
}

/** `isValid` alone tells a name by an exception, whose stack takes 0.1 ms to collect. */
function isIpv4(host: string): boolean {
  return ipaddr.IPv4.isIPv4(host) && ipaddr.IPv4.isValid(host);
}

function refuse(violation: string): ParsedEndpointUrl {
  return { violation };
}
