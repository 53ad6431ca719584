// What a customer notes about an endpoint, to tell it from others.

import { refuseViolations } from '#api/http/violations.ts';
import { DESCRIPTION_CHARS_MAX } from '#engine/base/limits.ts';

/** Returns the text as it is to be kept. Throws an ApiError if it is too long or would break a line of a list. */
export function admitDescription(text: string): string {
  const violations: string[] = [];
  if (text.length > DESCRIPTION_CHARS_MAX) {
    violations.push(`description must have at most ${DESCRIPTION_CHARS_MAX} characters`);
  }
  if (/\p{Cc}/u.test(text)) violations.push('description must not contain control characters');
  refuseViolations('invalid_body', violations);
  return text;
}
