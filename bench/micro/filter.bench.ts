// Whether an update matches an endpoint, with several filters over the same updates. It runs for every endpoint and
// every update, so it must allocate nothing.

import type { EndpointSubscription } from '#engine/delivery/endpoint-settings.ts';
import { CompiledFilter } from '#engine/delivery/filter/compiled-filter.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import type { FilterSpec } from '#schemas/http/filter-spec.ts';
import { demoRace } from './demo-race.ts';
import { endpoint } from './endpoint.ts';
import type { Operation } from './operation.ts';

/** The part of a payload that the filters below check. */
interface Filtered {
  readonly feed: string;
  readonly event?: string;
  readonly drivers?: readonly {
    readonly tla: string | null;
    readonly team: string | null;
    readonly position: number;
  }[];
}

type Matching = (payload: Filtered) => boolean;

export function prepare(): readonly Operation[] {
  const { timeline, payloads } = demoRace();
  const { tla, team } = timeline.info.rosters.at(-1)!.drivers[4]!;
  // Starts at the last roster: a filter is compiled once for each roster.
  const from = timeline.info.rosters.at(-1)!.fromPosition;
  const filtered = payloads.slice(from) as unknown as readonly Filtered[];
  // A bound that occurs in the data, so an off-by-one error would change the result.
  const max = filtered.findLast(({ drivers }) => drivers?.[0]?.team === team)!.drivers![0]!.position;
  const one = (what: string, feedId: string, filters: FilterSpec, matching: Matching): Operation => {
    const answer = filtered.filter((payload) => payload.feed === feedId && matching(payload)).length;
    return operation(`match, ${what}`, { feedId, filters, active: true }, timeline, from, answer);
  };
  return [
    one('another feed', 'weather.data', {}, () => true),
    one('no filter', 'timing.data', {}, () => true),
    one('one driver', 'timing.data', { drivers: [tla] }, ({ drivers }) =>
      drivers!.some((driver) => driver.tla === tla),
    ),
    one('a team down to some place', 'timing.data', { constructors: [team], positions: { max } }, ({ drivers }) =>
      drivers!.some((driver) => driver.team === team && driver.position <= max),
    ),
    one(
      'two race event types',
      'events.race',
      { eventTypes: ['overtake', 'pit_entry'] },
      ({ event }) => event === 'overtake' || event === 'pit_entry',
    ),
  ];
}

function operation(
  name: string,
  subscription: EndpointSubscription,
  timeline: Timeline,
  from: number,
  answer: number,
): Operation {
  const filter = new CompiledFilter(endpoint({ subscriptions: [subscription] }), { allFeeds: false }, timeline);
  const { length } = timeline;
  const lap = (): number => {
    let matches = 0;
    for (let position = from; position < length; position++) if (filter.matches(position)) matches++;
    return matches;
  };
  return { name, times: length - from, answer, bytes: 0, lap };
}
