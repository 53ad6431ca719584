// An email address as people write it into forms and commands. It ends up in the head of a mail, so nothing that could
// begin another line, or another recipient, comes through.

import { EMAIL_CHARS_MAX } from '#engine/base/limits.ts';

declare const parsed: unique symbol;
export type EmailAddress = string & { readonly [parsed]: true };

// Only what every address has; whether mail arrives is another question.
const EMAIL = /^[^\s\p{C}@"<>()[\],;:\\]+@[^\s\p{C}@"<>()[\],;:\\]+\.[^\s\p{C}@"<>()[\],;:\\]+$/u;

/** The text without the blanks around it as an address, or null when it is not one. */
export function parseEmail(text: string): EmailAddress | null {
  const address = text.trim();
  return address.length <= EMAIL_CHARS_MAX && EMAIL.test(address) ? (address as EmailAddress) : null;
}
