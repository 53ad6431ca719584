// How often each feed was sent in the demo race, and how large its updates were. test/api/feed-figures.test.ts measures
// them with the deriver, and fails when they are no longer true.

import { readFileSync } from 'node:fs';

export interface FeedFigures {
  readonly feedId: string;
  readonly updates: number;
  /** Between an update and the next one, in seconds; null with fewer than two updates. */
  readonly medianPauseS: number | null;
  readonly medianBytes: number;
  readonly largestBytes: number;
}

export interface RaceFigures {
  /** From the first frame to the last one. */
  readonly minutes: number;
  readonly updates: number;
  /** Only the feeds that the race has. */
  readonly feeds: readonly FeedFigures[];
}

export function raceFigures(): RaceFigures {
  return JSON.parse(readFileSync(new URL('feed-figures.json', import.meta.url), 'utf8')) as RaceFigures;
}
