// Parses the id of a previewed session into its event and session type.

import type { RaceKind } from '#engine/racing/race-kind.ts';
import type { SessionType } from '#engine/racing/session-slug.ts';

export type PreviewedType = Exclude<SessionType, 'Practice'>;

export interface PreviewedSession {
  readonly eventId: string;
  /** A year. */
  readonly season: number;
  readonly type: PreviewedType;
}

/** `sprint-qualifying` comes before `qualifying`, since it ends with that. */
const SESSION_ID = /^((\d{4})-.+?)-(sprint-qualifying|qualifying|sprint|race)$/;

const TYPES: Readonly<Record<string, PreviewedType>> = {
  'sprint-qualifying': 'Sprint Qualifying',
  qualifying: 'Qualifying',
  sprint: 'Sprint',
  race: 'Race',
};

/** Null if it is not the id of a race, a sprint or one of their qualifying sessions. */
export function previewedSession(sessionId: string): PreviewedSession | null {
  const [, eventId, year, ending] = SESSION_ID.exec(sessionId) ?? [];
  const type = TYPES[ending ?? ''];
  return type === undefined ? null : { eventId: eventId!, season: Number(year), type };
}

/** The race itself, or the one whose grid a qualifying session sets. */
export function raceOf(type: PreviewedType): RaceKind {
  return type === 'Sprint' || type === 'Sprint Qualifying' ? 'sprint' : 'grand_prix';
}

/** Whether the session's result is the grid of a race. */
export function setsGrid(type: PreviewedType): boolean {
  return type === 'Qualifying' || type === 'Sprint Qualifying';
}

/** The event of a race or a sprint. Null for the id of any other session. */
export function racedEvent(sessionId: string): string | null {
  const session = previewedSession(sessionId);
  return session === null || setsGrid(session.type) ? null : session.eventId;
}
