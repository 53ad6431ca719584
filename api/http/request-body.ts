// Parses request bodies.

import { ApiError } from './api-error.ts';

const OPENING_BRACE = 0x7b;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Parses a body as JSON, or also as a form if `form` is true. Throws `invalid_json` or `invalid_body`. */
export function parseBody(bytes: Uint8Array, contentType: string, form: boolean): unknown {
  if (form && isForm(bytes, contentType)) return parseForm(bytes);
  if (bytes.length === 0) throw new ApiError('invalid_body', 'A JSON body is required.');
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch (error) {
    const place = /at position \d+/.exec((error as Error).message)?.[0];
    throw new ApiError('invalid_json', place === undefined ? undefined : `The body is not valid JSON ${place}.`);
  }
}

/**
 * Some clients, such as curl, label every body a form by default. A brace gives JSON away: no field name of ours begins
 * with one.
 */
function isForm(bytes: Uint8Array, contentType: string): boolean {
  return /^application\/x-www-form-urlencoded\b/i.test(contentType) && bytes[0] !== OPENING_BRACE;
}

function parseForm(bytes: Uint8Array): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(new TextDecoder().decode(bytes))) {
    if (Object.hasOwn(fields, name)) throw new ApiError('invalid_body', `${name} is given more than once`);
    Object.defineProperty(fields, name, { value, enumerable: true });
  }
  return fields;
}
