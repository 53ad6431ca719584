// Parses email addresses from forms and commands. An address ends up in a mail header, so characters that could start
// another line or another recipient are refused.

import { EMAIL_CHARS_MAX } from '#engine/base/limits.ts';

declare const parsed: unique symbol;
export type EmailAddress = string & { readonly [parsed]: true };

// Checks only what every address has in common. Whether it receives mail shows later.
const EMAIL = /^[^\s\p{C}@"<>()[\],;:\\]+@[^\s\p{C}@"<>()[\],;:\\]+\.[^\s\p{C}@"<>()[\],;:\\]+$/u;

/** Returns the trimmed text as an address, or null if it is not one. */
export function parseEmail(text: string): EmailAddress | null {
  const address = text.trim();
  return address.length <= EMAIL_CHARS_MAX && EMAIL.test(address) ? (address as EmailAddress) : null;
}
