// A series that a table defines, for timing with small messages and plain fields, such as an organiser's own.

import { textOf } from '#engine/base/json-value.ts';
import { slugOf } from '#engine/racing/slug.ts';
import { isoUtcMs } from '#engine/racing/upstream-time.ts';
import type { Series, SessionNaming } from './series.ts';
import { type SimpleFeed, simpleFeedRow } from './simple-feed.ts';
import { titled } from './titled.ts';

export interface SimpleSeries extends Pick<Series, 'seriesId' | 'name' | 'messages' | 'facts'> {
  /** The topic that names the session, and its fields. `start` is ISO 8601 with `Z` or an offset. */
  readonly meeting: {
    readonly topic: string;
    readonly name: string;
    readonly venue: string;
    readonly start: string;
  };
  readonly feeds: readonly SimpleFeed[];
}

export function simpleSeries({ meeting, feeds, ...series }: SimpleSeries): Series {
  return {
    ...series,
    naming: namingBy(series.seriesId, meeting),
    feedRows: () => feeds.map((feed) => simpleFeedRow(feed, series.facts)),
    raceEventRules: () => [],
    analytics: () => null,
    outcome: () => null,
  };
}

const TYPE = 'Race';
const ID = /^(\d{4})-(.+)$/;

/** The id is the year and the name: `2026-club-race`. */
function namingBy(seriesId: string, { topic, name, venue, start }: SimpleSeries['meeting']): SessionNaming {
  return {
    topic,
    describe(message) {
      const called = textOf(message[name]);
      const startText = textOf(message[start]);
      const startUtcMs = startText === null ? null : isoUtcMs(startText);
      if (called === null || startText === null || startUtcMs === null) return null;
      const season = Number(startText.slice(0, 4));
      const sessionId = `${season}-${slugOf(called)}`;
      const circuitName = textOf(message[venue]) ?? called;
      return { sessionId, seriesId, name: called, type: TYPE, circuitName, season, startUtcMs };
    },
    describeById(sessionId, firstUtcMs) {
      const match = ID.exec(sessionId);
      if (match === null) return null;
      const called = titled(match[2]!);
      const season = Number(match[1]);
      return { sessionId, seriesId, name: called, type: TYPE, circuitName: called, season, startUtcMs: firstUtcMs };
    },
    advice:
      `Add a message of ${topic} with ${name} and ${start}, such as "2026-05-03T14:00:00Z", ` +
      `or give the session's id, such as 2026-club-race, with --session`,
    idGives: 'the year and name of the session',
    idAdvice: 'Give an id that starts with the year, such as 2026-club-race',
  };
}
