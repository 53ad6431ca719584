// Which topic feeds which feed, and how. A frame's updates come in the order of these rows, race events after them.
// A further feed is a further row and the file with its normaliser.

import type { FeedId } from '#schemas/webhook/feeds.ts';
import { driverInfo } from './normalise/driver-info.ts';
import type { Normalise } from './normalise/normaliser.ts';
import { raceControlMessages } from './normalise/race-control.ts';
import { lapCount, sessionInfo, sessionStatus, trackStatus, weatherData } from './normalise/session-feeds.ts';
import { timingAppData, tireStints } from './normalise/stints.ts';
import { timingData } from './normalise/timing-data.ts';

export interface FeedRow {
  readonly topic: string;
  readonly feed: Exclude<FeedId, 'events.race'>;
  readonly normalise: Normalise;
}

export const FEED_ROWS: readonly FeedRow[] = [
  { topic: 'SessionInfo', feed: 'session.info', normalise: sessionInfo },
  { topic: 'SessionStatus', feed: 'session.status', normalise: sessionStatus },
  { topic: 'TrackStatus', feed: 'track.status', normalise: trackStatus },
  { topic: 'RaceControlMessages', feed: 'race-control.messages', normalise: raceControlMessages },
  { topic: 'LapCount', feed: 'lap.count', normalise: lapCount },
  { topic: 'WeatherData', feed: 'weather.data', normalise: weatherData },
  { topic: 'DriverList', feed: 'timing.driver-info', normalise: driverInfo },
  { topic: 'TimingData', feed: 'timing.data', normalise: timingData },
  { topic: 'TimingAppData', feed: 'timing.app-data', normalise: timingAppData },
  { topic: 'TimingAppData', feed: 'tire.stints', normalise: tireStints },
];

const ROWS_BY_TOPIC: ReadonlyMap<string, readonly FeedRow[]> = Map.groupBy(FEED_ROWS, (row) => row.topic);

/** The rows that a topic feeds, in order; none for a topic that nothing reads. */
export function rowsOf(topic: string): readonly FeedRow[] {
  return ROWS_BY_TOPIC.get(topic) ?? [];
}
