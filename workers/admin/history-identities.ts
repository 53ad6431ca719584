// The drivers of a session by number, for a recording that does not list them: those who took part in the weekend, as the
// imported history has them. They become the first message of the recording, so that it stays the source of truth.

import { driverSlug } from '#engine/racing/driver-slug.ts';
import type { Frame } from '#engine/racing/frame.ts';
import { F1 } from '#engine/racing/series/f1.ts';
import { titled } from '#engine/racing/series/titled.ts';
import { eventIdOfSession } from '#engine/racing/session-slug.ts';
import type { HistoryDriver, Participant, RaceWeekend } from '#engine/seasons/history/history.ts';
import type { HistoryStore } from '#engine/seasons/history/history-store.ts';
import { teamName } from '#engine/seasons/history/team-name.ts';

/** Null if the history does not have the weekend, or nobody has taken part in it yet. */
export async function identitiesFromHistory(
  store: Pick<HistoryStore, 'weekend'>,
  sessionId: string,
  utcMs: number,
): Promise<Frame | null> {
  const eventId = eventIdOfSession(sessionId);
  const named = eventId === null ? null : await store.weekend(eventId);
  if (named === null) return null;
  const { weekend, drivers, constructors } = named;
  const listed: Record<string, object> = {};
  for (const { number, driverId, constructorId } of participants(weekend)) {
    const driver = drivers.get(driverId)!;
    listed[number] = {
      RacingNumber: number,
      Tla: driver.tla,
      FullName: nameOf(driver),
      TeamName: teamName(constructors, constructorId, weekend.season).team,
    };
  }
  if (Object.keys(listed).length === 0) return null;
  return { utcMs, topic: F1.facts.drivers.topic, json: JSON.stringify(listed) };
}

/** Of the sessions of the weekend, the later ones last: they decide who drove a number. */
function participants(weekend: RaceWeekend): readonly Participant[] {
  const { sprintQualifying, sprintGrid, sprintResults, qualifying, grid, results } = weekend;
  return [sprintQualifying, sprintGrid, sprintResults, qualifying, grid, results].flat();
}

/** The name of which live timing makes the id that customers know. */
function nameOf({ driverId, name }: HistoryDriver): string {
  const slug = driverSlug(driverId);
  return slug === driverId ? name : titled(slug);
}
