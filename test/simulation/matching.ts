// A second, simple implementation of the filter rules, against which the engine's compiled filters are checked.

import type { EndpointSettings } from '#engine/delivery/endpoint-settings.ts';
import type { RosterDriver } from '#engine/timeline/roster.ts';
import { placeOf, snapshotFeed } from '#engine/timeline/snapshot-number.ts';
import type { FilterSpec } from '#schemas/http/filter-spec.ts';
import { FEEDS } from '#schemas/webhook/feeds.ts';
import type { PlannedTimeline, PlannedUpdate } from './planned-timeline.ts';

const WITHOUT_DRIVERS: ReadonlySet<string> = new Set(['lap.count', 'track.status']);

export function isFor(
  settings: EndpointSettings,
  allFeeds: boolean,
  { updates, rosters }: PlannedTimeline,
  position: number,
): boolean {
  const update = updates[position];
  // A broken timeline may have more updates than were planned.
  if (update === undefined) return false;
  if (allFeeds) return true;
  const subscription = settings.subscriptions.find(({ feedId }) => feedId === update.feed);
  if (subscription === undefined || !subscription.active) return false;
  const specs = [settings.filters, subscription.filters];
  if (update.feed === 'events.race') {
    const { eventType = '' } = update;
    if (specs.some(({ eventTypes }) => eventTypes !== undefined && !eventTypes.includes(eventType))) return false;
  }
  if (WITHOUT_DRIVERS.has(update.feed) || !specs.some(speaksOfDrivers)) return true;
  return update.touched.some(({ number, position: place }) => {
    const driver = rosters[position]!.find((known) => known.number === number) ?? null;
    return specs.every((spec) => suits(spec, driver, place));
  });
}

/** The last update in a snapshot. */
export function lastBefore({ updates }: PlannedTimeline, number: number): PlannedUpdate | undefined {
  const feedId = FEEDS[snapshotFeed(number)]!.feedId;
  return updates.slice(0, placeOf(number)).findLast(({ feed }) => feed === feedId);
}

/** A snapshot passes if one driver does whom an update of the feed was about, where that driver was seen last. */
export function isSnapshotFor(
  settings: EndpointSettings,
  allFeeds: boolean,
  planned: PlannedTimeline,
  number: number,
): boolean {
  const last = lastBefore(planned, number);
  if (last === undefined || last.feed === 'events.race') return false;
  if (allFeeds) return true;
  const subscription = settings.subscriptions.find(({ feedId }) => feedId === last.feed);
  if (subscription === undefined || !subscription.active) return false;
  const specs = [settings.filters, subscription.filters];
  if (WITHOUT_DRIVERS.has(last.feed) || !specs.some(speaksOfDrivers)) return true;
  const before = planned.updates.slice(0, placeOf(number));
  const places = new Map<string, number>();
  for (const { touched } of before)
    for (const { number: driver, position } of touched) if (position !== 0) places.set(driver, position);
  const inFeed = new Set(
    before.filter(({ feed }) => feed === last.feed).flatMap(({ touched }) => touched.map((driver) => driver.number)),
  );
  return [...inFeed].some((number_) => {
    const driver = planned.rosters[placeOf(number)]!.find((known) => known.number === number_) ?? null;
    return specs.every((spec) => suits(spec, driver, places.get(number_) ?? 0));
  });
}

function speaksOfDrivers({ drivers, driverNumbers, constructors, positions }: FilterSpec): boolean {
  return [drivers, driverNumbers, constructors, positions].some((key) => key !== undefined);
}

function suits(spec: FilterSpec, driver: RosterDriver | null, place: number): boolean {
  const { drivers, driverNumbers, constructors, positions } = spec;
  if (drivers !== undefined && !(driver !== null && drivers.includes(driver.tla))) return false;
  if (driverNumbers !== undefined && !(driver !== null && driverNumbers.includes(driver.number))) return false;
  if (constructors !== undefined && !(driver !== null && constructors.some((team) => isTeam(driver.team, team))))
    return false;
  if (positions === undefined) return true;
  return place !== 0 && place >= (positions.min ?? 1) && place <= (positions.max ?? 99);
}

function isTeam(team: string, keyword: string): boolean {
  const letters = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return letters(team).includes(letters(keyword));
}
