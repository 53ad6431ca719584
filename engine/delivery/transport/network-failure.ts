// Turns a network error into the failure of an attempt, in the words of the delivery log. It knows nothing of our transport:
// `listen`, which customers run, uses it too.

import { type AttemptFailure, type FailureCode, failed } from '#engine/delivery/attempt-result.ts';

/** By the error codes of Node and the system. */
const BY_CODE: Readonly<Record<string, FailureCode>> = {
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  EPIPE: 'connection_reset',
  ECONNABORTED: 'connection_reset',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EHOSTDOWN: 'unreachable',
  ENETDOWN: 'unreachable',
  ETIMEDOUT: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  ENOTFOUND: 'name_not_resolved',
  EAI_AGAIN: 'name_not_resolved',
  EPROTO: 'tls',
};
/** OpenSSL has some fifty codes for certificates and handshakes, and each version adds more. */
const TLS_CODE = /CERT|TLS|SSL|SIGNATURE|ISSUER|CHAIN|CRL/;

/** The detail is the error's code, or its message if it has none. */
export function networkFailureOf(error: Error): AttemptFailure {
  const { code } = error as Error & { readonly code?: unknown };
  if (typeof code !== 'string') return failed('other', error.message);
  return failed(BY_CODE[code] ?? (TLS_CODE.test(code) ? 'tls' : 'other'), code);
}
