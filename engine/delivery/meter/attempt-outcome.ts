// What came of an attempt, as one of a few words: the delivery log has the exact status and error.

export const ATTEMPT_OUTCOMES = [
  'delivered',
  'status_3xx',
  'status_410',
  'status_429',
  'status_4xx',
  'status_5xx',
  'timeout',
  'refused',
  'reset',
  'unreachable',
  'unresolved',
  'tls',
  'not_allowed',
  'bad_answer',
  'other',
] as const;

export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** By the delivery log's word for what went wrong (engine/delivery/transport/failure-name.ts); the first that fits. */
const ERRORS: readonly (readonly [AttemptOutcome, RegExp])[] = [
  ['timeout', /^timeout$/],
  ['refused', /^ECONNREFUSED$/],
  ['reset', /^(ECONNRESET|EPIPE|ECONNABORTED)$|^the connection was closed/],
  ['unreachable', /^(EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|ETIMEDOUT|EADDRNOTAVAIL)$/],
  ['unresolved', /^(ENOTFOUND|EAI_\w+)$/],
  ['not_allowed', /(served in replays only|to the service|not a public address|not allowed|too many addresses)$/],
  ['bad_answer', /\b(answer|chunk)\b/],
  ['tls', /CERT|TLS|SSL|SIGNATURE|ISSUER|CHAIN|CRL|^EPROTO$/],
];

/** `statusCode` is null when no whole answer came; then `error` says why. */
export function attemptOutcome(statusCode: number | null, error: string | null): AttemptOutcome {
  if (statusCode === null) return ERRORS.find(([, form]) => form.test(error ?? ''))?.[0] ?? 'other';
  if (statusCode === 410) return 'status_410';
  if (statusCode === 429) return 'status_429';
  switch (Math.floor(statusCode / 100)) {
    case 2:
      return 'delivered';
    case 3:
      return 'status_3xx';
    case 4:
      return 'status_4xx';
    case 5:
      return 'status_5xx';
    default:
      return 'other';
  }
}
