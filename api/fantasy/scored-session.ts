// Ids of races and scored sessions: `2018-azerbaijan`, `2018-azerbaijan-race`, `2025-miami-sprint`.

import { RACE_ID_CHARS_MAX } from '#engine/base/limits.ts';
import type { FantasySessionType } from '#schemas/fantasy/fantasy-rules.ts';

export interface ScoredSession {
  readonly raceId: string;
  readonly sessionType: FantasySessionType;
}

const RACE_ID = /^\d{4}-[a-z0-9]+(?:-[a-z0-9]+)*$/;
const SESSION_ID = /^(.+)-(race|sprint)$/;

export function isRaceId(text: string): boolean {
  return text.length <= RACE_ID_CHARS_MAX && RACE_ID.test(text);
}

export function sessionIdOfScored({ raceId, sessionType }: ScoredSession): string {
  return `${raceId}-${sessionType === 'sprint' ? 'sprint' : 'race'}`;
}

/** Null if it is neither a race nor a sprint. */
export function scoredSession(sessionId: string): ScoredSession | null {
  const match = SESSION_ID.exec(sessionId);
  if (match === null || !isRaceId(match[1]!)) return null;
  return { raceId: match[1]!, sessionType: match[2] === 'sprint' ? 'sprint' : 'grand_prix' };
}
