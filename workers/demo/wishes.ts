// The subscriptions of the demo's receivers, and which updates match them. Decided from the payloads alone by the
// documented rules (docs/api.md), in code that shares nothing with the service's own matching, which it checks.

import type { ReceivedPayload } from './receiver.ts';

export interface WishFilters {
  readonly drivers?: readonly string[];
  readonly constructors?: readonly string[];
  readonly positions?: { readonly min?: number; readonly max?: number };
  readonly eventTypes?: readonly string[];
}

/** One receiver's subscriptions. */
export interface Wish {
  /** For the summary. */
  readonly label: string;
  readonly method: 'post' | 'put';
  /** `*` alone: every feed. */
  readonly feedIds: readonly string[];
  readonly filters: WishFilters;
}

/** The first one subscribes to everything: the others are compared with it. */
const WISHES: readonly Wish[] = [
  { label: 'every feed', method: 'post', feedIds: ['*'], filters: {} },
  { label: 'race events', method: 'post', feedIds: ['events.race'], filters: {} },
  {
    label: 'timing of three drivers',
    method: 'put',
    feedIds: ['timing.data'],
    filters: { drivers: ['BRK', 'VSK', 'TAK', 'VER', 'HAM', 'LEC'] },
  },
  {
    label: 'two teams: timing, tires',
    method: 'post',
    feedIds: ['timing.data', 'tire.stints', 'timing.driver-info'],
    filters: { constructors: ['cobalt works', 'halcyon', 'ferrari', 'red bull'] },
  },
  { label: 'every feed (goes down)', method: 'post', feedIds: ['*'], filters: {} },
  {
    label: 'session feeds',
    method: 'post',
    feedIds: ['session.info', 'session.status', 'track.status', 'race-control.messages', 'lap.count', 'weather.data'],
    filters: {},
  },
  {
    label: 'the first three: timing',
    method: 'post',
    feedIds: ['timing.data'],
    filters: { positions: { max: 3 } },
  },
  {
    label: 'overtakes, pit stops',
    method: 'put',
    feedIds: ['events.race'],
    filters: { eventTypes: ['overtake', 'lead_change', 'pit_entry', 'pit_exit'] },
  },
];

/** The index of the receiver that goes down. */
const GOES_DOWN = 4;

/** Returns wishes for this many receivers. With two or more, the last one goes down. */
export function wishesFor(endpoints: number): Wish[] {
  const staying = WISHES.filter((_, index) => index !== GOES_DOWN);
  const wishes = Array.from({ length: endpoints }, (_, index) => staying[index % staying.length]!);
  if (endpoints > 1) wishes[endpoints - 1] = WISHES[GOES_DOWN]!;
  return wishes;
}

/** Whether an update with this payload matches the wish. */
export function wants(wish: Wish, payload: ReceivedPayload): boolean {
  if (!wish.feedIds.includes('*') && !wish.feedIds.includes(payload.feed)) return false;
  const { drivers, constructors, positions, eventTypes } = wish.filters;
  if (eventTypes !== undefined && payload.event !== undefined && !eventTypes.includes(payload.event)) return false;
  if (drivers === undefined && constructors === undefined && positions === undefined) return true;
  if (payload.drivers === undefined) return payload.feed !== 'events.race';
  return payload.drivers.some(({ tla, team, position }) => {
    if (drivers !== undefined && (tla === null || !drivers.includes(tla))) return false;
    if (constructors !== undefined && !constructors.some((keyword) => plain(team).includes(plain(keyword))))
      return false;
    if (positions === undefined) return true;
    return position !== null && position >= (positions.min ?? 1) && position <= (positions.max ?? position);
  });
}

function plain(text: string | null): string {
  return (text ?? '').toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}
