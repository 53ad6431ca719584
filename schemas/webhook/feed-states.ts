// What the updates of each feed leave behind: its state. To add a feed, add a row here.
//
// A state has the shape of a payload. Its envelope is that of the last update in it. What else an update changes is said
// here and nowhere else: the service makes the states that it sends from its published updates by these rules, and a
// receiver that follows them has the same ones.

import type { FeedId } from './feeds.ts';

/** How a field is kept. One that is not named is replaced by the update's. */
export type KeptField =
  /** An object. An update has those of its fields that changed. */
  | { readonly kind: 'object'; readonly fields: KeptFields }
  /**
   * A list. An update has those of its items that changed: the item with the same `key` changes, and a new one is added.
   * `fields`: how an item changes; null: it is replaced. If `owner` is a field of the items, an item whose `owner`
   * differs is replaced.
   */
  | {
      readonly kind: 'list';
      readonly key: string;
      readonly fields: KeptFields | null;
      readonly owner: string | null;
    }
  /** It belongs to its update and is not kept. */
  | { readonly kind: 'passing' };

export type KeptFields = Readonly<Record<string, KeptField>>;

export type FeedState =
  /** An update tells of an event. There is no state. */
  | { readonly kind: 'none' }
  /** An update has everything: the last one is the state. */
  | { readonly kind: 'latest' }
  /** An update has what changed. */
  | { readonly kind: 'changes'; readonly fields: KeptFields };

const NONE: FeedState = { kind: 'none' };
const LATEST: FeedState = { kind: 'latest' };
const PASSING: KeptField = { kind: 'passing' };

const changes = (fields: KeptFields): FeedState => ({ kind: 'changes', fields });
const object = (fields: KeptFields = {}): KeptField => ({ kind: 'object', fields });
const list = (key: string, fields: KeptFields = {}): KeptField => ({ kind: 'list', key, fields, owner: null });
/** A list of which an update has the changed items, each in full. */
const wholeItems = (key: string): KeptField => ({ kind: 'list', key, fields: null, owner: null });

const byDriver = (fields: KeptFields = {}): FeedState => changes({ drivers: list('number', fields) });

const SPEEDS = object({ intermediate1: object(), intermediate2: object(), finishLine: object(), speedTrap: object() });

export const FEED_STATES: Readonly<Record<FeedId, FeedState>> = {
  'session.info': LATEST,
  'session.status': LATEST,
  'track.status': LATEST,
  'race-control.messages': NONE,
  'lap.count': LATEST,
  'weather.data': LATEST,
  'timing.data': changes({
    session: object(),
    drivers: list('number', {
      previousPosition: PASSING,
      lastLap: object(),
      bestLap: object(),
      sectors: list('sector', { segments: list('segment') }),
      speeds: SPEEDS,
      qualifyingParts: list('part', { bestLap: object() }),
    }),
  }),
  'timing.app-data': byDriver({ stintLaps: list('stint') }),
  'timing.driver-info': byDriver(),
  'tire.stints': byDriver({ stints: list('stint') }),
  'events.race': NONE,
  'timing.stats': byDriver({ bestLap: object(), bestSectors: list('sector'), bestSpeeds: SPEEDS }),
  // By line: a driver who falls back leaves no entry behind.
  'timing.top-three': changes({
    session: object(),
    drivers: { kind: 'list', key: 'line', fields: {}, owner: 'number' },
  }),
  'timing.lap-series': byDriver({ lapPositions: list('lapsCompleted') }),
  'timing.race-info': byDriver(),
  'tire.current': byDriver(),
  'pit-lane.times': changes({ drivers: wholeItems('number') }),
  'pit-lane.stops': byDriver({ stops: wholeItems('stop') }),
  'session.clock': LATEST,
  'session.data': changes({ data: object({ series: wholeItems('index'), statusSeries: wholeItems('index') }) }),
  heartbeat: LATEST,
  'team.radio': byDriver({ captures: wholeItems('index') }),
  'car.telemetry': changes({ drivers: wholeItems('number') }),
  'car.position': changes({ drivers: wholeItems('number') }),
  'championship.prediction': changes({ drivers: list('number'), teams: list('entrant') }),
  'karting.heat': LATEST,
  'karting.entries': byDriver(),
  'karting.laps': byDriver(),
  'analytics.race-odds': LATEST,
  'analytics.strategy': LATEST,
  'analytics.pit-window': LATEST,
  'analytics.true-pace': LATEST,
  'analytics.tire-health': LATEST,
  'analytics.battle': LATEST,
  'analytics.gap-projection': LATEST,
  'analytics.safety-car': LATEST,
  'analytics.qualifying': LATEST,
  'analytics.championship': LATEST,
  'analytics.winning-margin': LATEST,
  'analytics.team-points': LATEST,
  'analytics.tire-strategy': LATEST,
  'analytics.sector-pace': LATEST,
};
