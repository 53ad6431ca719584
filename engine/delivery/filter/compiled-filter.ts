// Filters compiled to bit masks and windows, so that matching an update allocates nothing and looks nothing up.
//
// Keys combine with AND: one and the same driver must satisfy all driver keys and be inside the position window. The
// filters of the endpoint and those of the subscription both apply. Driver keys do not apply to feeds that are not
// about drivers, so those are delivered. A race event that touches no driver, such as a safety car, does not satisfy a
// driver key. `eventTypes` applies to `events.race` only.

import type { EndpointSettings } from '#engine/delivery/endpoint-settings.ts';
import type { Roster, RosterDriver } from '#engine/timeline/roster.ts';
import { placeOf, SNAPSHOTS_FROM, snapshotFeed } from '#engine/timeline/snapshot-number.ts';
import { hasState, type SnapshotPart, type Snapshots } from '#engine/timeline/snapshots.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import type { FilterSpec } from '#schemas/http/filter-spec.ts';
import { FEEDS } from '#schemas/webhook/feeds.ts';
import { raceEventTypeNumber } from '#schemas/webhook/race-event-types.ts';

interface FeedMatcher {
  /** Whether the update must touch a driver that passes. */
  readonly byDriver: boolean;
  /** The drivers that satisfy every driver key, as roster bits. */
  readonly low: number;
  readonly high: number;
  /** Whether that driver's race position must be from `min` to `max`. */
  readonly byPosition: boolean;
  readonly min: number;
  readonly max: number;
  /** Race event types that pass, by number; null for all. */
  readonly eventTypes: Uint8Array | null;
}

const ALL = 0xffffffff;
const ANYTHING: FeedMatcher = {
  byDriver: false,
  low: ALL,
  high: ALL,
  byPosition: false,
  min: 0,
  max: 0,
  eventTypes: null,
};
const RACE_EVENTS = 'events.race';
/** By number. */
const WITH_STATE = FEEDS.flatMap(({ feedId }, feed) => (hasState(feedId) ? [feed] : []));

/** What a filter is compiled from: of an endpoint, or of a stream. */
export type FilteredFeeds = Pick<EndpointSettings, 'filters' | 'subscriptions'>;

/** What decides about an endpoint's feeds apart from its own settings. */
export interface FeedScope {
  /** True for the demo session: every endpoint gets every feed. */
  readonly allFeeds: boolean;
}

/** One endpoint's subscriptions and filters, compiled against the roster in force. */
export class CompiledFilter {
  readonly #timeline: Timeline;
  readonly #settings: FilteredFeeds;
  readonly #scope: FeedScope;
  #matchers: readonly (FeedMatcher | null)[] = [];
  /** The roster for which the matchers were compiled. */
  #rosterIndex = -1;
  #validFrom = 0;
  #validUntil = 0;

  constructor(settings: FilteredFeeds, scope: FeedScope, timeline: Timeline) {
    this.#settings = settings;
    this.#scope = scope;
    this.#timeline = timeline;
  }

  /** Whether the endpoint gets the update at this position. */
  matches(position: number): boolean {
    if (position < this.#validFrom || position >= this.#validUntil) this.#compileFor(position);
    const columns = this.#timeline.columns;
    const matcher = this.#matchers[columns.feed[position]!];
    if (matcher === null || matcher === undefined) return false;
    if (matcher.eventTypes !== null && matcher.eventTypes[columns.eventType[position]!] === 0) return false;
    if (!matcher.byDriver) return true;
    if (((columns.driversLow[position]! & matcher.low) | (columns.driversHigh[position]! & matcher.high)) === 0) {
      return false;
    }
    if (!matcher.byPosition) return true;
    const end = columns.touchedStart[position + 1]!;
    for (let i = columns.touchedStart[position]!; i < end; i++) {
      const driver = columns.touchedDriver[i]!;
      const allowed = driver < 32 ? matcher.low & (1 << driver) : matcher.high & (1 << (driver - 32));
      if (allowed === 0) continue;
      const racePosition = columns.touchedPosition[i]!;
      if (racePosition !== 0 && racePosition >= matcher.min && racePosition <= matcher.max) return true;
    }
    return false;
  }

  /** Whether the endpoint gets this update; of the number of a snapshot: whether it gets any of the feed. */
  wants(position: number): boolean {
    if (position < SNAPSHOTS_FROM) return this.matches(position);
    return this.feedsWithState(placeOf(position)).includes(snapshotFeed(position));
  }

  /** The endpoint's feeds that have a state and an update before this position, by number, rising. */
  feedsWithState(position: number): number[] {
    this.#matcherAt(position, 0);
    const before = this.#timeline.columns.feed.subarray(0, position);
    return WITH_STATE.filter((feed) => this.#matchers[feed] !== null && before.includes(feed));
  }

  /** Whether the endpoint gets this snapshot at this position: of a feed about drivers, if it is about one that passes. */
  matchesSnapshot(position: number, { racePositions }: Snapshots, { feed, low, high }: SnapshotPart): boolean {
    const matcher = this.#matcherAt(position, feed);
    if (matcher === null) return false;
    if (!matcher.byDriver) return true;
    const lowPassing = low & matcher.low;
    const highPassing = high & matcher.high;
    if (!matcher.byPosition) return (lowPassing | highPassing) !== 0;
    return racePositions.some((racePosition, driver) => {
      const passes = driver < 32 ? lowPassing & (1 << driver) : highPassing & (1 << (driver - 32));
      return passes !== 0 && racePosition !== 0 && racePosition >= matcher.min && racePosition <= matcher.max;
    });
  }

  #matcherAt(position: number, feed: number): FeedMatcher | null {
    if (position < this.#validFrom || position >= this.#validUntil) this.#compileFor(position);
    return this.#matchers[feed] ?? null;
  }

  #compileFor(position: number): void {
    const { rosters } = this.#timeline.info;
    const index = this.#timeline.rosterIndexAt(position);
    const roster = rosters[index] ?? { fromPosition: 0, drivers: [] };
    // If this throws, it does so each time.
    if (index !== this.#rosterIndex) this.#matchers = compile(this.#settings, this.#scope, roster);
    this.#rosterIndex = index;
    this.#validFrom = index === 0 ? 0 : roster.fromPosition;
    // In a live timeline, later updates may come with a new roster.
    this.#validUntil = rosters[index + 1]?.fromPosition ?? this.#timeline.length;
  }
}

function compile(settings: FilteredFeeds, scope: FeedScope, roster: Roster): readonly (FeedMatcher | null)[] {
  if (scope.allFeeds) return FEEDS.map(() => ANYTHING);
  const subscriptions = new Map(settings.subscriptions.map((subscription) => [subscription.feedId, subscription]));
  return FEEDS.map(({ feedId, perDriver }) => {
    const subscription = subscriptions.get(feedId);
    if (subscription === undefined || !subscription.active) return null;
    return feedMatcher([settings.filters, subscription.filters], feedId, perDriver, roster);
  });
}

function feedMatcher(specs: readonly FilterSpec[], feedId: string, perDriver: boolean, roster: Roster): FeedMatcher {
  let low = ALL;
  let high = ALL;
  let byDriver = false;
  let byPosition = false;
  let min = 1;
  let max = Number.MAX_SAFE_INTEGER;
  let eventTypes: Uint8Array | null = null;
  for (const spec of specs) {
    if (spec.eventTypes !== undefined && feedId === RACE_EVENTS) {
      const passing = new Uint8Array(256);
      for (const type of spec.eventTypes) {
        const number = raceEventTypeNumber(type);
        if (number !== undefined && (eventTypes === null || eventTypes[number] === 1)) passing[number] = 1;
      }
      eventTypes = passing;
    }
    if (!perDriver) continue;
    for (const satisfies of driverKeys(spec)) {
      const mask = rosterMask(roster, satisfies);
      low &= mask.low;
      high &= mask.high;
      byDriver = true;
    }
    if (spec.positions !== undefined) {
      min = Math.max(min, spec.positions.min ?? min);
      max = Math.min(max, spec.positions.max ?? max);
      byDriver = true;
      byPosition = true;
    }
  }
  return { byDriver, low, high, byPosition, min, max, eventTypes };
}

/** Returns one predicate for each driver key of the spec. */
function driverKeys(spec: FilterSpec): ((driver: RosterDriver) => boolean)[] {
  const keys: ((driver: RosterDriver) => boolean)[] = [];
  if (spec.drivers !== undefined) {
    const codes = new Set(spec.drivers.map((code) => code.toUpperCase()));
    keys.push((driver) => codes.has(driver.tla));
  }
  if (spec.driverNumbers !== undefined) {
    const numbers = new Set(spec.driverNumbers);
    keys.push((driver) => numbers.has(driver.number));
  }
  if (spec.constructors !== undefined) {
    const keywords = spec.constructors.map(plain).filter((keyword) => keyword !== '');
    keys.push((driver) => keywords.some((keyword) => plain(driver.team).includes(keyword)));
  }
  return keys;
}

/** Reduces a text to lower-case letters and digits, so that `redbull` finds Red Bull Racing. */
function plain(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

function rosterMask(
  roster: Roster,
  satisfies: (driver: RosterDriver) => boolean,
): { readonly low: number; readonly high: number } {
  let low = 0;
  let high = 0;
  roster.drivers.forEach((driver, index) => {
    if (driver.number === '' || !satisfies(driver)) return;
    if (index < 32) low |= 1 << index;
    else high |= 1 << (index - 32);
  });
  return { low, high };
}
