// Headers that a customer wants on all deliveries to an endpoint, such as a gateway's key. Values are secrets: they are
// sealed at rest, and answers show only that there is one.
//
// A name must not be one that the service sends, or that says where a message goes or ends: with those, a customer could
// make a receiver see another message than the one that was signed.

import { HEADER_NAME_CHARS_MAX, HEADER_VALUE_CHARS_MAX, HEADERS_CHARS_MAX, HEADERS_MAX } from '#engine/base/limits.ts';
import { quoted } from '#engine/base/quoted-text.ts';
import type { SecretBox } from '#engine/storage/secrets/secret-box.ts';

export type CustomHeader = readonly [name: string, value: string];

export type ParsedHeaders = { readonly ok: readonly CustomHeader[] } | { readonly violations: readonly string[] };

/** What answers show in place of a value. */
export const MASK = '********';

/** RFC 9110: a token. */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Printable ASCII, without a space at either end. */
const VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
const RESERVED: ReadonlySet<string> = new Set([
  ...['host', 'user-agent', 'expect'],
  ...['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'http2-settings'],
]);
const RESERVED_GROUPS = ['content-', 'proxy-', 'webhook-'];

/** `headerPrefix` is that of the service's own headers. */
export function parseHeaders(given: Readonly<Record<string, unknown>>, headerPrefix: string): ParsedHeaders {
  const headers = Object.entries(given);
  const violations: string[] = [];
  if (headers.length > HEADERS_MAX) {
    return { violations: [`headers has ${headers.length} headers, at most ${HEADERS_MAX} are allowed`] };
  }
  const names = new Set<string>();
  for (const [name, value] of headers) {
    const place = `headers.${quoted(name)}`;
    const fault = names.has(name.toLowerCase())
      ? 'is given twice: case does not matter'
      : nameFault(name, headerPrefix);
    if (fault !== null) violations.push(`${place} ${fault}`);
    names.add(name.toLowerCase());
    const wrong = valueFault(value);
    if (wrong !== null) violations.push(`${place} ${wrong}`);
  }
  if (violations.length > 0) return { violations };
  const chars = headers.reduce((sum, [name, value]) => sum + name.length + String(value).length, 0);
  if (chars > HEADERS_CHARS_MAX) {
    return { violations: [`headers has ${chars} characters in all, at most ${HEADERS_CHARS_MAX} are allowed`] };
  }
  return { ok: headers as CustomHeader[] };
}

function nameFault(name: string, headerPrefix: string): string | null {
  if (name.length > HEADER_NAME_CHARS_MAX) return `has more than ${HEADER_NAME_CHARS_MAX} characters`;
  if (!NAME.test(name)) return 'is not a header name: letters, digits and hyphens';
  return isReserved(name, headerPrefix) ? 'belongs to the service or to the connection: choose another name' : null;
}

function isReserved(name: string, headerPrefix: string): boolean {
  const lower = name.toLowerCase();
  if (RESERVED.has(lower)) return true;
  return [...RESERVED_GROUPS, `${headerPrefix.toLowerCase()}-`].some((group) => lower.startsWith(group));
}

/** Never quotes the value: it may be a secret. */
function valueFault(value: unknown): string | null {
  if (typeof value !== 'string') return 'must be a text';
  if (value.length > HEADER_VALUE_CHARS_MAX) return `has a value of more than ${HEADER_VALUE_CHARS_MAX} characters`;
  if (value === MASK) return `has the value that answers show in place of the real one: send the real one`;
  return VALUE.test(value) ? null : 'must have a value of printable ASCII characters, without spaces at its ends';
}

/** Null for no headers. */
export function sealHeaders(headers: readonly CustomHeader[], box: SecretBox): Buffer | null {
  return headers.length === 0 ? null : box.seal(JSON.stringify(headers));
}

export function openHeaders(sealed: Buffer | null, box: SecretBox): readonly CustomHeader[] {
  return sealed === null ? [] : (JSON.parse(box.open(sealed)) as CustomHeader[]);
}

/** As answers show them: every name, and no value. */
export function maskedHeaders(headers: readonly CustomHeader[]): Record<string, string> {
  return Object.fromEntries(headers.map(([name]) => [name, MASK]));
}

/** As requests carry them. */
export function headerLines(headers: readonly CustomHeader[]): string {
  return headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
}
