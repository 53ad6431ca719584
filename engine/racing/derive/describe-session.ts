// Which session a recording holds: the name by which customers ask for it, and what lists show. Its series knows which topic
// says it. A recording without that, such as a dump that began after it was sent, is described by the id that somebody gives.

import { type JsonObject, objectOf } from '#engine/base/json-value.ts';
import { SourceError } from '#engine/base/source-error.ts';
import type { Frame } from '#engine/racing/frame.ts';
import type { Series, SessionDescription } from '#engine/racing/series/series.ts';

/**
 * Describes the session. Reads no further than it must. `sessionId` stands in for a description that is missing or not
 * whole. Throws a SourceError when nothing tells.
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
  const problem = `it is missing, and the id ${sessionId} does not tell ${naming.idTells}`;
  throw new SourceError(naming.topic, problem, naming.idAdvice);
}

/** Nothing at all when it is no JSON: then it describes nothing. */
function messageOf({ json }: Frame): JsonObject {
  try {
    return objectOf(JSON.parse(json));
  } catch {
    return objectOf(null);
  }
}
