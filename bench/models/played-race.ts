// A race from a table of laps, played: what the models know as the leader begins each lap.

import type { TableRace } from '#bench/laps/lap-tables.ts';
import type { Json } from '#engine/base/json-value.ts';
import { RacePicture } from '#engine/racing/analytics/race-picture.ts';
import { F1 } from '#engine/racing/series/f1.ts';
import { SessionState } from '#engine/racing/session/session-state.ts';
import { framesOfTable } from './lap-races.ts';

/** `onLap` runs with the number of the lap that begins, from 2. */
export function playRace(
  table: TableRace,
  onLap: (picture: RacePicture, state: SessionState, lap: number) => void,
): void {
  const state = new SessionState(F1.facts);
  const picture = new RacePicture();
  const topics = new Set([...RacePicture.topics, 'SessionInfo']);
  let latest = 1;
  for (const { topic, utcMs, json } of framesOfTable(table)) {
    if (!topics.has(topic)) continue;
    const changes = state.apply(topic, JSON.parse(json) as Json);
    if (changes === null) continue;
    picture.apply({ topic, utcMs, changes, state, isSnapshot: false });
    const { lap } = picture;
    if (topic !== 'LapCount' || lap === null || lap === latest) continue;
    latest = lap;
    onLap(picture, state, lap);
  }
}
