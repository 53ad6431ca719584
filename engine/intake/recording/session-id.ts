// The form of a session id: a slug such as `2018-azerbaijan-race`. Ids name files, so no other text may pass.

import { SESSION_ID_CHARS_MAX } from '#engine/base/limits.ts';

declare const parsed: unique symbol;
export type SessionId = string & { readonly [parsed]: true };

const SLUG = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** The text as a session id, or null when it is none. */
export function parseSessionId(text: string): SessionId | null {
  return text.length <= SESSION_ID_CHARS_MAX && SLUG.test(text) ? (text as SessionId) : null;
}
