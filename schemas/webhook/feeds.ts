// The feed catalogue: every feed that the service can deliver. To add a feed, add a row here, a schema file and a row
// of feed-states.ts beside this one, and a row in the table of its series (engine/racing/series). A row's index is the
// feed's number in timelines: append only, never reorder.

/** `free` is open to every plan, `live` needs Developer, `analytics` needs Custom. */
export type Availability = 'free' | 'live' | 'analytics';

export interface Feed {
  readonly feedId: string;
  readonly seriesId: string;
  readonly name: string;
  readonly availability: Availability;
  /** Whether its updates concern drivers. If not, driver filters do not apply. */
  readonly perDriver: boolean;
}

export const FEEDS = [
  { feedId: 'session.info', seriesId: 'f1', name: 'Session information', availability: 'free', perDriver: false },
  { feedId: 'session.status', seriesId: 'f1', name: 'Session status', availability: 'free', perDriver: false },
  { feedId: 'track.status', seriesId: 'f1', name: 'Track status', availability: 'free', perDriver: false },
  {
    feedId: 'race-control.messages',
    seriesId: 'f1',
    name: 'Race control messages',
    availability: 'free',
    perDriver: false,
  },
  { feedId: 'lap.count', seriesId: 'f1', name: 'Lap count', availability: 'free', perDriver: false },
  { feedId: 'weather.data', seriesId: 'f1', name: 'Weather', availability: 'free', perDriver: false },
  { feedId: 'timing.data', seriesId: 'f1', name: 'Timing', availability: 'live', perDriver: true },
  {
    feedId: 'timing.app-data',
    seriesId: 'f1',
    name: 'Timing: grid and stint laps',
    availability: 'live',
    perDriver: true,
  },
  { feedId: 'timing.driver-info', seriesId: 'f1', name: 'Driver information', availability: 'live', perDriver: true },
  { feedId: 'tire.stints', seriesId: 'f1', name: 'Tire stints', availability: 'live', perDriver: true },
  { feedId: 'events.race', seriesId: 'f1', name: 'Race events', availability: 'live', perDriver: true },
  {
    feedId: 'timing.stats',
    seriesId: 'f1',
    name: 'Timing: best laps, sectors and speeds',
    availability: 'live',
    perDriver: true,
  },
  { feedId: 'timing.top-three', seriesId: 'f1', name: 'Timing: first three', availability: 'live', perDriver: true },
  {
    feedId: 'timing.lap-series',
    seriesId: 'f1',
    name: 'Timing: positions by lap',
    availability: 'live',
    perDriver: true,
  },
  { feedId: 'timing.race-info', seriesId: 'f1', name: 'Timing: race overview', availability: 'live', perDriver: true },
  { feedId: 'tire.current', seriesId: 'f1', name: 'Current tires', availability: 'live', perDriver: true },
  { feedId: 'pit-lane.times', seriesId: 'f1', name: 'Pit lane times', availability: 'live', perDriver: true },
  { feedId: 'pit-lane.stops', seriesId: 'f1', name: 'Pit stops', availability: 'live', perDriver: true },
  { feedId: 'session.clock', seriesId: 'f1', name: 'Session clock', availability: 'live', perDriver: false },
  { feedId: 'session.data', seriesId: 'f1', name: 'Session log', availability: 'live', perDriver: false },
  { feedId: 'heartbeat', seriesId: 'f1', name: 'Heartbeat', availability: 'live', perDriver: false },
  { feedId: 'team.radio', seriesId: 'f1', name: 'Team radio', availability: 'live', perDriver: true },
  { feedId: 'car.telemetry', seriesId: 'f1', name: 'Car telemetry', availability: 'live', perDriver: true },
  { feedId: 'car.position', seriesId: 'f1', name: 'Car positions', availability: 'live', perDriver: true },
  {
    feedId: 'championship.prediction',
    seriesId: 'f1',
    name: 'Championship prediction',
    availability: 'live',
    perDriver: true,
  },
  { feedId: 'karting.heat', seriesId: 'karting', name: 'Heat', availability: 'free', perDriver: false },
  { feedId: 'karting.entries', seriesId: 'karting', name: 'Entry list', availability: 'live', perDriver: true },
  { feedId: 'karting.laps', seriesId: 'karting', name: 'Laps and gaps', availability: 'live', perDriver: true },
  {
    feedId: 'analytics.race-odds',
    seriesId: 'f1',
    name: 'Analytics: race odds',
    availability: 'analytics',
    perDriver: true,
  },
  {
    feedId: 'analytics.strategy',
    seriesId: 'f1',
    name: 'Analytics: strategy',
    availability: 'analytics',
    perDriver: true,
  },
  {
    feedId: 'analytics.pit-window',
    seriesId: 'f1',
    name: 'Analytics: pit window',
    availability: 'analytics',
    perDriver: true,
  },
  {
    feedId: 'analytics.true-pace',
    seriesId: 'f1',
    name: 'Analytics: true pace',
    availability: 'analytics',
    perDriver: true,
  },
  {
    feedId: 'analytics.tire-health',
    seriesId: 'f1',
    name: 'Analytics: tire health',
    availability: 'analytics',
    perDriver: true,
  },
  {
    feedId: 'analytics.battle',
    seriesId: 'f1',
    name: 'Analytics: battles',
    availability: 'analytics',
    perDriver: true,
  },
  {
    feedId: 'analytics.gap-projection',
    seriesId: 'f1',
    name: 'Analytics: gap projection',
    availability: 'analytics',
    perDriver: true,
  },
  {
    feedId: 'analytics.safety-car',
    seriesId: 'f1',
    name: 'Analytics: safety car risk',
    availability: 'analytics',
    perDriver: false,
  },
  {
    feedId: 'analytics.qualifying',
    seriesId: 'f1',
    name: 'Analytics: qualifying',
    availability: 'analytics',
    perDriver: true,
  },
  {
    feedId: 'analytics.championship',
    seriesId: 'f1',
    name: 'Analytics: championship',
    availability: 'analytics',
    perDriver: true,
  },
  {
    feedId: 'analytics.winning-margin',
    seriesId: 'f1',
    name: 'Analytics: winning margin',
    availability: 'analytics',
    perDriver: true,
  },
  {
    feedId: 'analytics.team-points',
    seriesId: 'f1',
    name: 'Analytics: team points',
    availability: 'analytics',
    perDriver: true,
  },
  {
    feedId: 'analytics.tire-strategy',
    seriesId: 'f1',
    name: 'Analytics: tire strategy',
    availability: 'analytics',
    perDriver: true,
  },
  {
    feedId: 'analytics.sector-pace',
    seriesId: 'f1',
    name: 'Analytics: sector pace',
    availability: 'analytics',
    perDriver: true,
  },
] as const satisfies readonly Feed[];

export type FeedId = (typeof FEEDS)[number]['feedId'];

const NUMBERS: ReadonlyMap<string, number> = new Map(FEEDS.map((feed, index) => [feed.feedId, index]));

/** The feed's number, or undefined if there is no such feed. */
export function feedNumber(feedId: string): number | undefined {
  return NUMBERS.get(feedId);
}

/** The feeds of these series, in the order given. */
export function feedsOf(seriesIds: readonly string[]): readonly Feed[] {
  return seriesIds.flatMap((seriesId) => FEEDS.filter((feed) => feed.seriesId === seriesId));
}
