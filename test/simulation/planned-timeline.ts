// The updates of a simulated session: feeds with and without drivers, race events, drivers who become known late, and
// one who changes teams. A shorter plan is the beginning of a longer one, so a scenario can be cut short.

import type { RosterDriver } from '#engine/timeline/roster.ts';
import type { SharedArtifact } from '#engine/timeline/shared-timeline.ts';
import type { TouchedDriver } from '#engine/timeline/update.ts';
import type { FeedId } from '#schemas/webhook/feeds.ts';
import type { RaceEventType } from '#schemas/webhook/race-event-types.ts';
import { type SmallUpdate, sharedArtifact, smallTimeline } from '#test/support/timelines.ts';
import { Chance } from './chance.ts';
import type { TimelinePlan } from './scenario.ts';

export interface PlannedUpdate extends SmallUpdate {
  readonly feed: FeedId;
  readonly touched: readonly TouchedDriver[];
}

export interface PlannedTimeline {
  readonly updates: readonly PlannedUpdate[];
  /** The drivers known at each update. */
  readonly rosters: readonly (readonly RosterDriver[])[];
  /** What each version of the deriver makes of the session: the same updates with other bodies. */
  readonly artifacts: ReadonlyMap<number, SharedArtifact>;
}

export const DERIVER_VERSIONS = [1, 2] as const;

export const SESSION_ID = 'small-race';
export const SIMULATED_FEEDS = [
  'timing.data',
  'timing.driver-info',
  'tire.stints',
  'events.race',
  'lap.count',
  'track.status',
] as const satisfies readonly FeedId[];
export const GRID: readonly RosterDriver[] = [
  { number: '1', tla: 'VER', team: 'Red Bull Racing' },
  { number: '44', tla: 'HAM', team: 'Mercedes' },
  { number: '63', tla: 'RUS', team: 'Mercedes' },
  { number: '16', tla: 'LEC', team: 'Ferrari' },
  { number: '20', tla: 'MAG', team: 'Haas F1 Team' },
];
const RACE_EVENTS: readonly RaceEventType[] = ['overtake', 'pit_stop', 'safety_car_deployed', 'retirement'];

/** The update as this version of the deriver makes it. */
export function derivedBy(version: number, update: PlannedUpdate): PlannedUpdate {
  return { ...update, lap: version };
}

/** The timelines made so far: a few serve all seeds. */
const made = new Map<string, Promise<PlannedTimeline>>();

export function plannedTimeline(plan: TimelinePlan): Promise<PlannedTimeline> {
  const key = JSON.stringify(plan);
  let known = made.get(key);
  if (known === undefined) {
    if (made.size > 256) made.clear();
    known = make(plan);
    made.set(key, known);
  }
  return known;
}

async function make(plan: TimelinePlan): Promise<PlannedTimeline> {
  const chance = new Chance(plan.seed, 'timeline');
  const updates: PlannedUpdate[] = [];
  const rosters: (readonly RosterDriver[])[] = [];
  let dueMs = 0;
  let known: readonly RosterDriver[] = [];
  for (let position = 0; position < plan.updates; position++) {
    const atOnce = plan.bursts ? 0.9 : 0.3;
    if (!chance.happens(atOnce)) dueMs += chance.whole(1, Math.round((2 * plan.everyMs) / (1 - atOnce)));
    const roster = position === 0 ? GRID.slice(0, 3) : chance.happens(0.03) ? reshuffled(chance) : null;
    if (roster !== null) known = [...known.filter(({ number }) => !roster.some((d) => d.number === number)), ...roster];
    rosters.push(known);
    updates.push({ ...update(chance), dueMs, ...(roster === null ? {} : { roster }) });
  }
  const artifacts = new Map<number, SharedArtifact>();
  for (const version of DERIVER_VERSIONS)
    artifacts.set(version, await sharedArtifact(smallTimeline(updates.map((update) => derivedBy(version, update)))));
  return { updates, rosters, artifacts };
}

/** All drivers are known now, and one drives for another team. */
function reshuffled(chance: Chance): RosterDriver[] {
  const mover = chance.whole(0, GRID.length - 1);
  return GRID.map((driver, index) => (index === mover ? { ...driver, team: chance.pick(GRID).team } : driver));
}

function update(chance: Chance): Omit<PlannedUpdate, 'dueMs'> {
  const feed = chance.pick(SIMULATED_FEEDS);
  if (feed === 'lap.count' || feed === 'track.status') return { feed, touched: [] };
  const count = feed === 'events.race' ? chance.whole(0, 2) : chance.whole(1, 3);
  const first = chance.whole(0, GRID.length - 1);
  const touched = Array.from({ length: count }, (_, index) => ({
    number: GRID[(first + index) % GRID.length]!.number,
    position: chance.happens(0.1) ? 0 : chance.whole(1, 20),
  }));
  return feed === 'events.race' ? { feed, touched, eventType: chance.pick(RACE_EVENTS) } : { feed, touched };
}
