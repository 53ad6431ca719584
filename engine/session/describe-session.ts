// Which session a recording holds, from its SessionInfo: the name by which customers ask for it, and what lists show.

import type { Frame } from '#engine/source/frame.ts';
import { SourceError } from '#engine/source/source-error.ts';
import { localUtcMs } from '#engine/source/upstream-time.ts';
import { type JsonObject, objectOf, textOf } from './json-value.ts';
import { eventIdOf, SERIES_ID, type SessionType, sessionIdOf, sessionTypeOf } from './session-slug.ts';

export interface SessionDescription {
  /** `2018-azerbaijan-race`, `2025-miami-sprint`, `2024-britain-practice-1`. */
  readonly sessionId: string;
  readonly seriesId: string;
  readonly name: string;
  readonly type: SessionType;
  readonly circuitName: string;
  readonly season: number;
  readonly startUtcMs: number;
}

/** Describes the session. Reads no further than it must; throws a SourceError when nothing tells. */
export function describeSession(frames: Iterable<Frame>): SessionDescription {
  for (const frame of frames) {
    if (frame.topic !== 'SessionInfo') continue;
    const description = descriptionOf(objectOf(JSON.parse(frame.json)));
    if (description !== null) return description;
  }
  throw new SourceError(
    'SessionInfo',
    'nothing says which session this is',
    'Add SessionInfo.jsonStream of the same session: it must have Meeting.Name, Type, Name, StartDate and GmtOffset',
  );
}

function descriptionOf(info: JsonObject): SessionDescription | null {
  const meeting = objectOf(info.Meeting);
  const meetingName = textOf(meeting.Name);
  const sessionName = textOf(info.Name);
  const startUtcMs = localUtcMs(info.StartDate, info.GmtOffset);
  const season = Number(textOf(info.StartDate)?.slice(0, 4));
  const type = sessionTypeOf(textOf(info.Type), sessionName);
  if (meetingName === null || sessionName === null || startUtcMs === null || type === null) return null;
  return {
    sessionId: sessionIdOf(eventIdOf(season, meetingName), type, sessionName),
    seriesId: SERIES_ID,
    name: `${meetingName}, ${sessionName}`,
    type,
    circuitName: textOf(objectOf(meeting.Circuit).ShortName) ?? textOf(meeting.Location) ?? meetingName,
    season,
    startUtcMs,
  };
}
