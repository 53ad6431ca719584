// The sessions that can be replayed.

import type { Session } from '#api/client/calls.ts';
import { service } from '../../data/service.ts';

const PAGE = 100;
/** Beyond this many, links to replays are missing. */
const SESSIONS_MAX = 500;

export async function recordedSessions(signal: AbortSignal): Promise<readonly Session[]> {
  const found: Session[] = [];
  for (let total = 1; found.length < total && found.length < SESSIONS_MAX; ) {
    const page = await service.listSessions({ limit: PAGE, offset: found.length }, { signal });
    if (page.sessions.length === 0) break;
    found.push(...page.sessions);
    total = page.total;
  }
  return found;
}
