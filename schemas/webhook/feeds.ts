// The feed catalogue: every feed that the service can deliver today. A new feed is a new row here, a schema file beside
// this one, and a mapping row in engine/session/feeds.ts; nothing else changes.
// A row's index is the feed's number in timelines: append only, never reorder.

/** `free` is open to every plan, `live` needs Developer, `analytics` needs Custom. */
export type Availability = 'free' | 'live' | 'analytics';

export interface Feed {
  readonly feedId: string;
  readonly name: string;
  readonly availability: Availability;
  /** Whether its updates touch drivers, so that driver filters apply. */
  readonly perDriver: boolean;
}

export const FEEDS = [
  { feedId: 'session.info', name: 'Session information', availability: 'free', perDriver: false },
  { feedId: 'session.status', name: 'Session status', availability: 'free', perDriver: false },
  { feedId: 'track.status', name: 'Track status', availability: 'free', perDriver: false },
  { feedId: 'race-control.messages', name: 'Race control messages', availability: 'free', perDriver: false },
  { feedId: 'lap.count', name: 'Lap count', availability: 'free', perDriver: false },
  { feedId: 'weather.data', name: 'Weather', availability: 'free', perDriver: false },
  { feedId: 'timing.data', name: 'Timing', availability: 'live', perDriver: true },
  { feedId: 'timing.app-data', name: 'Timing: grid and stint laps', availability: 'live', perDriver: true },
  { feedId: 'timing.driver-info', name: 'Driver information', availability: 'live', perDriver: true },
  { feedId: 'tire.stints', name: 'Tire stints', availability: 'live', perDriver: true },
  { feedId: 'events.race', name: 'Race events', availability: 'live', perDriver: true },
] as const satisfies readonly Feed[];

export type FeedId = (typeof FEEDS)[number]['feedId'];

const NUMBERS: ReadonlyMap<string, number> = new Map(FEEDS.map((feed, index) => [feed.feedId, index]));

/** The feed's number, or undefined when there is no such feed. */
export function feedNumber(feedId: string): number | undefined {
  return NUMBERS.get(feedId);
}
