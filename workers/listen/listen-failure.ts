// Why `listen` could not go on, with what to do about it.

import { SlipstreamError } from '#api/client/slipstream-client.ts';

export class ListenFailed extends Error {
  override readonly name = 'ListenFailed';
}

/** Anything that is not the service's or the connection's failure is returned as it is. */
export function listenFailure(error: unknown, baseUrl: string): unknown {
  if (!(error instanceof SlipstreamError)) return error;
  const { code, message, requestId } = error;
  const request = requestId === null ? '' : `, request ${requestId}`;
  return new ListenFailed(
    `${message}${/[.!?]$/.test(message) ? '' : '.'}${stepOf(error, baseUrl)} (${code}${request})`,
  );
}

/** What the message of the service does not say. */
function stepOf({ code, retryAfterS }: SlipstreamError, baseUrl: string): string {
  switch (code) {
    case 'invalid_client':
      return ' Take SLIPSTREAM_CLIENT_ID and SLIPSTREAM_CLIENT_SECRET from the first page of the service.';
    case 'no_answer':
    case 'timeout':
    case 'invalid_answer':
      return ` Is ${baseUrl} the address of the API? SLIPSTREAM_URL or --url says it.`;
    case 'tier_required':
    case 'insufficient_tier':
      return ' Name others with --feeds, or take a higher plan.';
    default:
      return retryAfterS === null ? '' : ` Try again in ${retryAfterS} s.`;
  }
}
