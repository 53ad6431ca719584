// Where a stream stands, as text: the id of its last event, with which a client continues exactly there.
//
// `monza-race:4711~4` is the update 4711 of that session, of version 4 of the deriver: another version may number the
// updates of a recorded session in another way. A stream that follows several live sessions names each, joined by
// commas. `none` stands for a stream that waits for its first live session: whatever begins later is new to it.

import { ApiError } from '#api/http/api-error.ts';
import { STREAM_PLACE_CHARS_MAX, STREAM_SESSIONS_MAX } from '#engine/base/limits.ts';
import type { SessionPlace } from '#engine/delivery/stream/update-stream.ts';
import { DERIVER_VERSION } from '#engine/racing/derive/deriver-version.ts';

export const NO_SESSION = 'none';
/** The place of a stream that is complete. A client that sends it has seen everything. */
export const END_OF_STREAM = 'end';

const PLACE = /^([a-z0-9][a-z0-9-]{0,99}):(\d{1,9})~(\d{1,6})$/;

export interface GivenPlace extends SessionPlace {
  readonly deriverVersion: number;
}

/** A place that a client has given keeps its version. */
export function formatPlace({
  sessionId,
  sequence,
  deriverVersion = DERIVER_VERSION,
}: SessionPlace & Partial<GivenPlace>): string {
  return `${sessionId}:${sequence}~${deriverVersion}`;
}

export function formatPlaces(places: readonly SessionPlace[]): string {
  return places.length === 0 ? NO_SESSION : places.map(formatPlace).join(',');
}

/**
 * Returns the places that a text names: none for `none`, `end` after the end, null for an empty text. Throws an ApiError
 * for a text that is none of ours; `name` says where it came from, and `source` what it should be.
 */
export function parsePlaces(
  text: string,
  name: string,
  source: string,
): readonly GivenPlace[] | typeof END_OF_STREAM | null {
  if (text === '') return null;
  if (text === END_OF_STREAM) return END_OF_STREAM;
  if (text === NO_SESSION) return [];
  const parts = text.length <= STREAM_PLACE_CHARS_MAX ? text.split(',') : [];
  const places = parts.flatMap((part): GivenPlace[] => {
    const [, sessionId, sequence, version] = PLACE.exec(part) ?? [];
    if (sessionId === undefined) return [];
    return [{ sessionId, sequence: Number(sequence), deriverVersion: Number(version) }];
  });
  const sessions = new Set(places.map(({ sessionId }) => sessionId)).size;
  if (parts.length === 0 || parts.length > STREAM_SESSIONS_MAX || sessions < parts.length)
    throw new ApiError('invalid_query', `${name} must be ${source} of a stream: leave it out to begin anew.`);
  return places;
}
