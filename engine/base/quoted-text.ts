// Somebody else's text inside a message of ours: shortened and escaped, so that it can neither flood nor forge it.

import { QUOTED_CHARS_MAX } from './limits.ts';

export function quoted(text: string): string {
  return JSON.stringify(text.length > QUOTED_CHARS_MAX ? `${text.slice(0, QUOTED_CHARS_MAX)}…` : text);
}
