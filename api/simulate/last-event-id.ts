// The `Last-Event-ID` with which a client continues an event stream that ended: browsers send it by themselves.

import { ApiError } from '#api/http/api-error.ts';

/** The id at the end of a run. After it nothing more comes: a client that sends it gets 204. */
export const END_OF_STREAM = 'end';

const SEQUENCE = /^\d{1,9}$/;

/**
 * Returns the sequence of the last update that the client has seen, 0 before the first; `end` if it has seen the end of
 * its run; null for a client that opens a stream for the first time. Throws an ApiError for an id that is not ours.
 */
export function parseLastEventId(text: string): number | typeof END_OF_STREAM | null {
  if (text === '') return null;
  if (text === END_OF_STREAM) return END_OF_STREAM;
  if (SEQUENCE.test(text)) return Number(text);
  throw new ApiError(
    'invalid_query',
    'Last-Event-ID must be the id of an event of this stream: leave it out to begin a new replay.',
  );
}
