// Quotes foreign text in one of our messages: shortened and escaped, so that the text can neither flood nor forge the
// message.

import { QUOTED_CHARS_MAX } from './limits.ts';

export function quoted(text: string): string {
  return JSON.stringify(text.length > QUOTED_CHARS_MAX ? `${text.slice(0, QUOTED_CHARS_MAX)}…` : text);
}
