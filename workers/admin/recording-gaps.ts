// What a recording lacks of what every payload needs, what that means for customers, and what helps.

import type { Frame } from '#engine/racing/frame.ts';
import type { Series } from '#engine/racing/series/series.ts';

/** A topic that never came. */
export interface Gap {
  readonly topic: string;
  readonly lacks: 'identities' | 'positions' | 'laps' | 'status' | 'kind';
}

const RACES = ['Race', 'Sprint'];

const CONSEQUENCES: Readonly<Record<Gap['lacks'], string>> = {
  identities:
    'drivers have numbers, but no names, codes and teams, and filters by driver code or team match none of them',
  positions: 'there are no positions, gaps and lap times, and no race events that follow from them',
  laps: 'lap is null in every payload',
  status: 'nothing says when the session started and ended; race events begin when the leader has finished a lap',
  kind: 'nothing names the session, so a sprint counts as a race, and there is no analytics.championship or analytics.team-points',
};

/** Reads until every topic with facts has come, or to the end. `type` is that of the session: only races count laps. */
export function gapsOf({ facts }: Series, type: string, frames: Iterable<Frame>): readonly Gap[] {
  const { drivers, timing, lap, status, kind } = facts;
  const missing = new Map<string, Gap['lacks']>([
    [drivers.topic, 'identities'],
    [timing.topic, 'positions'],
  ]);
  const isRace = kind === null || RACES.includes(type);
  if (isRace) missing.set(lap.topic, 'laps');
  missing.set(status.topic, 'status');
  if (isRace && kind !== null) missing.set(kind.topic, 'kind');
  for (const { topic } of frames) {
    if (topic === status.log?.topic) missing.delete(status.topic);
    if (missing.delete(topic) && missing.size === 0) break;
  }
  return [...missing].map(([topic, lacks]) => ({ topic, lacks }));
}

/** `knowsHistory`: whether a history is imported. */
export function gapText({ topic, lacks }: Gap, knowsHistory: boolean): string {
  const help = `Import a recording that has ${topic}`;
  const identities = knowsHistory
    ? `${help}; the imported history does not have the drivers of this weekend`
    : `${help}, or import a history first, which knows drivers by number: npm run admin -- import history --help`;
  return `topic ${topic} is missing: ${CONSEQUENCES[lacks]}. ${lacks === 'identities' ? identities : help}`;
}
