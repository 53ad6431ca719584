// Names the Formula One session of a recording, from its SessionInfo or from an id such as
// `2025-azerbaijan-qualifying`.

import { type JsonObject, objectOf, textOf } from '#engine/base/json-value.ts';
import { eventIdOf, SERIES_ID, type SessionType, sessionIdOf, sessionTypeOf } from '#engine/racing/session-slug.ts';
import { localUtcMs } from '#engine/racing/upstream-time.ts';
import type { SessionDescription, SessionNaming } from './series.ts';
import { titled } from './titled.ts';

const ID_EXAMPLE = '2025-azerbaijan-qualifying';
const ID = /^(\d{4})-([a-z0-9-]+?)-(race|sprint|qualifying|sprint-qualifying|practice-\d)$/;
const TYPES: Readonly<Record<string, SessionType>> = {
  race: 'Race',
  sprint: 'Sprint',
  qualifying: 'Qualifying',
  'sprint-qualifying': 'Sprint Qualifying',
};

export const F1_NAMING: SessionNaming = {
  topic: 'SessionInfo',
  describe: descriptionOf,
  describeById: describedById,
  advice:
    'Add SessionInfo.jsonStream of the same session: it must have Meeting.Name, Type, Name, StartDate and GmtOffset. ' +
    `For other kinds of recordings, give the session's id, such as ${ID_EXAMPLE}, with --session`,
  idGives: 'the year, place and kind of the session',
  idAdvice: `Give an id such as ${ID_EXAMPLE}; it ends with race, sprint, qualifying, sprint-qualifying or practice-1`,
};

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

/** Reads an id of the usual form. It has no circuit and no start: the place and the first message stand in for them. */
function describedById(sessionId: string, firstUtcMs: number): SessionDescription | null {
  const match = ID.exec(sessionId);
  if (match === null) return null;
  const [, season, place, kind] = match as unknown as [string, string, string, string];
  const type = TYPES[kind] ?? 'Practice';
  const circuitName = titled(place);
  const name = `${circuitName}, ${titled(kind)}`;
  return { sessionId, seriesId: SERIES_ID, name, type, circuitName, season: Number(season), startUtcMs: firstUtcMs };
}
