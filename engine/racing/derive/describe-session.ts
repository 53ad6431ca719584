// Finds out which session a recording holds: its id, and the description that lists show. The series knows which topic
// says so. A recording without that topic, such as a dump that started after its message, needs an id from the
// operator.

import { type JsonObject, objectOf } from '#engine/base/json-value.ts';
import { SourceError } from '#engine/base/source-error.ts';
import type { Frame } from '#engine/racing/frame.ts';
import type { Series, SessionDescription } from '#engine/racing/series/series.ts';

/**
 * Describes the session, and stops reading as soon as it can. `sessionId` serves if the description is missing or
 * incomplete. Throws a SourceError if neither says which session it is.
 */
export function describeSession({ naming }: Series, frames: Iterable<Frame>, sessionId?: string): SessionDescription {
  let firstUtcMs: number | null = null;
  for (const frame of frames) {
    firstUtcMs ??= frame.utcMs;
    if (frame.topic !== naming.topic) continue;
    const description = naming.describe(messageOf(frame));
    if (description !== null) return description;
  }
  if (sessionId === undefined || firstUtcMs === null) {
    throw new SourceError(naming.topic, 'nothing says which session this is', naming.advice);
  }
  const described = naming.describeById(sessionId, firstUtcMs);
  if (described !== null) return described;
  const problem = `it is missing, and the id ${sessionId} does not give ${naming.idGives}`;
  throw new SourceError(naming.topic, problem, naming.idAdvice);
}

/** Returns an empty object if the message is not valid JSON. */
function messageOf({ json }: Frame): JsonObject {
  try {
    return objectOf(JSON.parse(json));
  } catch {
    return objectOf(null);
  }
}
