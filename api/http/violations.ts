// Reports all violations of a request in one sentence, so a caller need not find mistakes one by one.

import { VIOLATIONS_NAMED_MAX } from '#engine/base/limits.ts';
import { ApiError, type RefusalCode } from './api-error.ts';

export function refuseViolations(code: RefusalCode, violations: readonly string[]): void {
  if (violations.length > 0) throw new ApiError(code, violationText(violations));
}

export function violationText(violations: readonly string[]): string {
  const named = violations.slice(0, VIOLATIONS_NAMED_MAX).join('; ');
  const rest = violations.length - VIOLATIONS_NAMED_MAX;
  return rest > 0 ? `${named}; and ${rest} more` : named;
}
