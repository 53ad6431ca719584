// Texts of an answer as an assistant may read them (MC2, MC3). Some were written by others: names in timing data, notes at
// endpoints, what receivers answer.

const COVER = '[not shown]';

/** Signing secrets, and signatures of both schemes: also cut off, and with slashes escaped. */
const SECRET = /whsec_[\w+/\\=-]+|sha256=[0-9a-f]{8,}|v1,[\w+/\\]{16,}={0,2}/g;

/** Headers that customers use for keys. An endpoint may have had one when the request was sent, and not today. */
const KEY_HEADERS = ['authorization', 'cookie', 'api-key'];

/** Format and control characters, but for tab and line ends, and those that are no characters. */
const UNSEEN = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Variation_Selector}]/gu;

/** Returns the value with all of its texts as they may be read. `own`: secrets of this program. */
export function shownTexts(value: unknown, own: readonly string[]): unknown {
  if (typeof value === 'string') return shownText(value, own);
  if (Array.isArray(value)) return value.map((item) => shownTexts(item, own));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [shownText(key, own), shownTexts(one, own)]));
}

/**
 * What a receiver has answered. It may repeat the headers that it got, in any form: `name: value`, `"name":["value"]`,
 * `HTTP_NAME=value`, `[name] => value`, `<td>name</td><td>value</td>`. From the value on, the line is covered. `own`: names of
 * the headers that the customer has set at the endpoint.
 */
export function receiverText(text: string, own: readonly string[]): string {
  const names = [...KEY_HEADERS, ...own].map((name) => name.replaceAll(/[^\w-]/g, '.').replaceAll(/[-_]/g, '[-_]'));
  const mark = String.raw`(?:[\\"'\s\])]*[:=,>]|[\\"'\s]*(?:<[^<>\r\n]*>\s*)+)[\\"'\s[(>]*`;
  const repeated = new RegExp(String.raw`((?:${names.join('|')})${mark})[^\r\n]+`, 'gi');
  return text.replaceAll(repeated, `$1${COVER}`);
}

function shownText(text: string, own: readonly string[]): string {
  const visible = text.replaceAll(UNSEEN, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
  const covered = visible.replaceAll(SECRET, COVER);
  return own.reduce((rest, secret) => rest.replaceAll(secret, COVER), covered);
}
