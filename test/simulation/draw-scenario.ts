// Draws a scenario from its seed. Each concern has a random stream of its own, so a change to one leaves the others as
// they were, for every seed.

import { RECORD_PART_ROWS_MIN, SHARD_IN_FLIGHT_MAX } from '#engine/base/limits.ts';
import type { FilterSpec } from '#schemas/http/filter-spec.ts';
import { Chance } from './chance.ts';
import { SIMULATED_FEEDS } from './planned-timeline.ts';
import type {
  AccountPlan,
  EndpointPlan,
  ReplayPlan,
  Scenario,
  ScenarioEvent,
  Temper,
  TimelinePlan,
  Weather,
} from './scenario.ts';

const FAULTS_END_MS = 60_000;
/** How many different timelines all seeds share. */
const TIMELINES = 24;
const ILL: readonly Temper[] = [
  'slow',
  'flapping',
  'flapping',
  'outage',
  'outage',
  'outage',
  'dead',
  'hang',
  'late',
  'reset',
  'gone',
  'busy',
  'unavailable',
  'redirect',
  'moody',
  'moody',
  'defect',
  'broken',
];
const WEATHERS: readonly Weather[] = ['slow', 'slow', 'failing', 'unsure', 'unsure', 'unreadable', 'away'];

/** The share of seeds in which accounts of very different size are on one shard. */
const CROWDS = 0.06;
/** Of those, the share in which the larger account needs all slots of the shard. */
const HANGING_CROWDS = 0.3;

/** The theme of a seed. storm: everything at once. calm: only receivers fail. scarce: allowances run out. */
type Theme = 'storm' | 'calm' | 'scarce';
const THEMES: readonly Theme[] = ['storm', 'storm', 'storm', 'storm', 'storm', 'calm', 'calm', 'scarce'];
const ILL_WHEN_SCARCE: readonly Temper[] = ['defect', 'defect', 'broken', 'moody', 'reset'];
const ILL_WHEN_CALM: readonly Temper[] = ['outage', 'outage', 'outage', 'flapping', 'late', 'moody', 'slow', 'busy'];

export function drawScenario(seed: number): Scenario {
  const scenario = drawFaults(seed);
  if (!new Chance(seed, 'crowd').happens(CROWDS)) return scenario;
  return new Chance(seed, 'hanging crowd').happens(HANGING_CROWDS) ? hanging(crowded(scenario)) : crowded(scenario);
}

/** An account with many endpoints beside one with a few, on one shard that is busy with them, and no faults. */
function crowded(scenario: Scenario): Scenario {
  const chance = new Chance(scenario.seed, 'crowded');
  const few = chance.whole(1, 3);
  const many = chance.whole(100, 160);
  return {
    ...scenario,
    shards: 1,
    sendingMs: 0.5,
    // Runs begin together, and no request waits for a connection: all actors are ready at the same time.
    messageMsMax: 0,
    overSockets: false,
    timeline: { seed: TIMELINES, updates: 10, everyMs: 300, bursts: false },
    accounts: ['acc_0', 'acc_1'].map((name) => ({ name, left: null })),
    endpoints: Array.from({ length: many + few }, (_, index) => ({
      name: `wh_${index}`,
      account: index < many ? 'acc_0' : 'acc_1',
      temper: 'fast',
      bornMs: 0,
      atEnd: false,
      loopback: false,
      snapshot: false,
      filters: {},
      feeds: SIMULATED_FEEDS.map((feedId) => ({ feedId, filters: {} })),
    })),
    replays: [],
    liveAtMs: 1_000,
    events: [],
  };
}

/** The endpoints of the large account never answer, and are more than the shard has slots. */
function hanging(crowd: Scenario): Scenario {
  return {
    ...crowd,
    slots: 64,
    sendingMs: 0,
    endpoints: crowd.endpoints.map((plan) => (plan.account === 'acc_0' ? { ...plan, temper: 'hang' } : plan)),
  };
}

function drawFaults(seed: number): Scenario {
  const theme = new Chance(seed, 'theme').pick(THEMES);
  const chance = new Chance(seed, 'world');
  const shards = chance.pick([1, 1, 2, 3, 4]);
  const accounts = drawAccounts(seed, theme);
  const planned = drawEndpoints(seed, theme, accounts);
  const liveAtMs = chance.happens(0.6) ? chance.whole(0, 5_000) : null;
  const replays = drawReplays(seed, theme, accounts, planned, liveAtMs !== null);
  const timeline = drawTimeline(seed);
  const played = plays(timeline, replays, liveAtMs);
  const snapshots = new Chance(seed, 'snapshots');
  const events = theme === 'calm' ? [] : [...drawEvents(seed, shards, planned, played), ...drawStop(seed, played)];
  if (theme !== 'calm') events.push(...drawExcursion(seed, shards, played));
  events.push(...drawResends(seed, planned, played));
  events.push(...drawControl(seed, played));
  events.push(...drawFolds(seed, events, played));
  events.sort((a, b) => a.atMs - b.atMs);
  const endpoints = planned.map((plan) => bornAsItBegins(seed, bornInCompany(seed, plan, events), liveAtMs));
  return {
    seed,
    startWallMs: chance.happens(0.2)
      ? Date.UTC(2026, 6, 1) - chance.whole(0, 10_000)
      : Date.UTC(2026, 5, 11, 23, 59, 55),
    shards,
    messageMsMax: chance.pick([0, 1, 5, 30]),
    checkpointsAtOnceMax: new Chance(seed, 'checkpoints').pick([0, 1, 2, RECORD_PART_ROWS_MIN]),
    liveToLocalhost: new Chance(seed, 'localhost').happens(0.4),
    sendingMs: chance.pick([0, 0, 0.02, 0.5]),
    slots: SHARD_IN_FLIGHT_MAX,
    overSockets: new Chance(seed, 'sockets').happens(0.5),
    faultsEndMs: FAULTS_END_MS,
    timeline,
    accounts,
    endpoints,
    replays,
    upgrades: new Chance(seed, 'upgrades').happens(0.6),
    snapshotsFail: theme === 'calm' ? 0 : snapshots.pick([0, 0, 0.1, 0.4, 0.9]),
    liveAtMs,
    sealAfterMs: new Chance(seed, 'seal').pick([0, 5, 700]),
    events,
  };
}

/** One of a few, because each takes a while to make. */
function drawTimeline(seed: number): TimelinePlan {
  const one = Math.floor(new Chance(seed, 'timeline').next() * TIMELINES);
  const chance = new Chance(one, 'timelines');
  const bursts = chance.happens(0.2);
  return {
    seed: one,
    updates: bursts ? chance.whole(300, 600) : chance.pick([3, 20, 40, 60, 90, 120]),
    everyMs: bursts ? chance.pick([10, 40]) : chance.pick([20, 100, 250, 400, 400]),
    bursts,
  };
}

function drawAccounts(seed: number, theme: Theme): AccountPlan[] {
  const chance = new Chance(seed, 'accounts');
  return Array.from({ length: chance.pick([1, 1, 2, 3]) }, (_, index) => ({
    name: `acc_${index}`,
    left: chance.happens(theme === 'scarce' ? 1 : 0.1) ? chance.whole(0, 150) : null,
  }));
}

function drawEndpoints(seed: number, theme: Theme, accounts: readonly AccountPlan[]): EndpointPlan[] {
  const chance = new Chance(seed, 'endpoints');
  const ill = { storm: ILL, calm: ILL_WHEN_CALM, scarce: ILL_WHEN_SCARCE }[theme];
  const healthy = chance.pick(theme === 'storm' ? [0.2, 0.5, 1] : [0.2, 0.5]);
  return Array.from({ length: chance.pick([1, 1, 2, 2, 3, 4, 6, 8, 12]) }, (_, index) => ({
    name: `wh_${index}`,
    account: chance.pick(accounts).name,
    temper: chance.happens(healthy) ? 'fast' : chance.pick(ill),
    ...drawBirth(chance),
    loopback: chance.happens(0.06),
    snapshot: new Chance(seed, `snapshots of wh_${index}`).happens(0.4),
    filters: chance.happens(0.2) ? drawFilters(chance) : {},
    feeds: SIMULATED_FEEDS.filter(() => chance.happens(0.8)).map((feedId) => ({
      feedId,
      filters: chance.happens(0.15) ? drawFilters(chance) : {},
    })),
  }));
}

/** Some endpoints are created just before the live session ends. */
function drawBirth(chance: Chance): Pick<EndpointPlan, 'bornMs' | 'atEnd'> {
  if (chance.happens(0.06)) return { bornMs: chance.whole(0, 80), atEnd: true };
  return { bornMs: chance.happens(0.25) ? chance.whole(100, 15_000) : 0, atEnd: false };
}

/** Some endpoints are created just when a shard or the process restarts. */
function bornInCompany(seed: number, plan: EndpointPlan, events: readonly ScenarioEvent[]): EndpointPlan {
  const chance = new Chance(seed, `birth of ${plan.name}`);
  const crashes = events.filter(({ kind }) => kind === 'shard.dies' || kind === 'process.dies');
  if (plan.bornMs === 0 || plan.atEnd || crashes.length === 0 || chance.happens(0.4)) return plan;
  const crash = chance.pick(crashes);
  const downMs = crash.kind === 'process.dies' ? crash.downMs : 100;
  return { ...plan, bornMs: crash.atMs + downMs + chance.whole(0, 25) };
}

/** Some endpoints are created just before the live session begins. */
function bornAsItBegins(seed: number, plan: EndpointPlan, liveAtMs: number | null): EndpointPlan {
  const chance = new Chance(seed, `beginning of ${plan.name}`);
  if (plan.bornMs === 0 || plan.atEnd || liveAtMs === null || chance.happens(0.75)) return plan;
  return { ...plan, bornMs: Math.max(1, liveAtMs - chance.whole(0, 20)) };
}

function drawFilters(chance: Chance): FilterSpec {
  return chance.pick<FilterSpec>([
    { drivers: ['VER', 'MAG'] },
    { driverNumbers: ['44', '16'] },
    { constructors: ['redbull'] },
    { constructors: ['Mercedes'], positions: { max: 10 } },
    { positions: { min: 3, max: 12 } },
    { eventTypes: ['overtake', 'retirement'] },
    { eventTypes: ['overtake', 'pit_stop'], positions: { min: 2 } },
    {},
  ]);
}

/** Some accounts start replay after replay; each is refused while the account has one running. */
function drawReplays(
  seed: number,
  theme: Theme,
  accounts: readonly AccountPlan[],
  endpoints: readonly EndpointPlan[],
  isLive: boolean,
): ReplayPlan[] {
  const chance = new Chance(seed, 'replays');
  const replays: ReplayPlan[] = [];
  for (const { name: account } of accounts) {
    if (isLive && chance.happens(0.4)) continue;
    for (let count = chance.pick([1, 1, 1, 2]); count > 0; count--) {
      replays.push({
        name: `run_${replays.length}`,
        account,
        atMs: chance.whole(0, 4_000) + (count - 1) * 20_000,
        speed: chance.pick([1, 1, 2, 3, 7, 10, 1_000]),
        ordered: new Chance(seed, `order of ${replays.length}`).happens(0.25),
        allFeeds: chance.happens(theme === 'scarce' ? 0.3 : 0.1),
        chosen: drawChoice(seed, replays.length, account, endpoints),
      });
    }
  }
  return replays;
}

/** Some replays go to some of the account's endpoints only. */
function drawChoice(
  seed: number,
  replay: number,
  account: string,
  endpoints: readonly EndpointPlan[],
): readonly string[] | null {
  const chance = new Chance(seed, `choice of ${replay}`);
  if (!chance.happens(0.5)) return null;
  const own = endpoints.filter((plan) => plan.account === account && chance.happens(0.5)).map(({ name }) => name);
  return own.length > 0 ? own : null;
}

/** Roughly when a run plays; null is the live session. */
interface Play {
  readonly run: string | null;
  readonly fromMs: number;
  readonly forMs: number;
}

function plays({ updates, everyMs }: TimelinePlan, replays: readonly ReplayPlan[], liveAtMs: number | null): Play[] {
  const forMs = updates * everyMs;
  const runs = replays.map(({ name, atMs, speed }) => ({ run: name, fromMs: atMs, forMs: 100 + forMs / speed }));
  return liveAtMs === null ? runs : [...runs, { run: null, fromMs: liveAtMs, forMs }];
}

function drawEvents(
  seed: number,
  shards: number,
  endpoints: readonly EndpointPlan[],
  played: readonly Play[],
): ScenarioEvent[] {
  const chance = new Chance(seed, 'events');
  const events: ScenarioEvent[] = [];
  const during = ({ fromMs, forMs }: Play): number => Math.floor(Math.min(45_000, fromMs + forMs * chance.next()));
  // Mostly while a run is playing.
  const atMs = (): number =>
    played.length > 0 && chance.happens(0.6) ? during(chance.pick(played)) : Math.floor(45_000 * chance.next() ** 2);
  const several = (most: number, probability: number): number =>
    chance.happens(probability) ? chance.whole(1, most) : 0;
  const shardDies = (at: number): void => {
    const committing = chance.happens(0.4);
    events.push({ atMs: Math.max(0, at), kind: 'shard.dies', shard: chance.whole(0, shards - 1), committing });
  };
  for (let count = several(3, 0.4); count > 0; count--) {
    const at = atMs();
    shardDies(at);
    // Again, while it is starting or has just started.
    if (chance.happens(0.3)) shardDies(at + chance.whole(80, 600));
    if (chance.happens(0.4)) events.push(clouds(chance, at));
  }
  for (let count = several(2, 0.25); count > 0; count--)
    events.push({ atMs: atMs(), kind: 'process.dies', downMs: chance.pick([10, 500, 3_000, 20_000]) });
  if (chance.happens(0.3)) events.push({ atMs: atMs(), kind: 'process.drains', downMs: chance.pick([10, 2_000]) });
  const live = played.find(({ run }) => run === null);
  if (live !== undefined && chance.happens(0.2)) events.push({ atMs: atMs(), kind: 'live-thread.dies' });
  if (live !== undefined && chance.happens(0.15))
    events.push({ atMs: live.fromMs + live.forMs + chance.whole(100, 9_000), kind: 'expire' });
  for (let count = several(3, 0.45); count > 0; count--)
    events.push({ atMs: atMs(), kind: 'weather', weather: chance.pick(WEATHERS), forMs: chance.whole(200, 15_000) });
  for (let count = several(5, 0.7); count > 0; count--) events.push(drawChange(chance, atMs(), endpoints));
  for (const play of played)
    if (play.run !== null && chance.happens(0.25)) events.push({ atMs: during(play), kind: 'stop', run: play.run });
  // Faults come together: a shard dies just when something has changed, or is down when it changes.
  for (const { atMs: at, kind } of [...events]) {
    const isChange = kind !== 'shard.dies' && kind !== 'weather' && !kind.startsWith('process');
    if (isChange && chance.happens(0.4)) shardDies(at + chance.whole(-120, 60));
  }
  if (chance.happens(0.1))
    events.push({ atMs: atMs(), kind: 'clock', stepMs: chance.pick([-60_000, -3_000, -40, 25, 2_000, 3_600_000]) });
  if (chance.happens(0.1)) events.push({ atMs: atMs(), kind: 'stall', forMs: chance.pick([30, 700, 12_000]) });
  return events;
}

/** The wall clock jumps into a later month and comes back. Some threads and processes live on, others start in it. */
function drawExcursion(seed: number, shards: number, played: readonly Play[]): ScenarioEvent[] {
  const chance = new Chance(seed, 'excursion');
  if (!chance.happens(0.15)) return [];
  const play = played.length > 0 ? chance.pick(played) : { fromMs: 0, forMs: 20_000 };
  const leavesMs = Math.max(0, Math.floor(play.fromMs + play.forMs * chance.next() * 0.5) - chance.pick([0, 0, 2_000]));
  const awayMs = chance.pick([300, 2_000, 10_000]);
  const stepMs = chance.pick([1, 1, 2, 7, 12]) * 30 * 86_400_000;
  const events: ScenarioEvent[] = [
    { atMs: leavesMs, kind: 'clock', stepMs },
    { atMs: leavesMs + awayMs, kind: 'clock', stepMs: -stepMs },
  ];
  const during = (): number => leavesMs + chance.whole(0, awayMs);
  if (chance.happens(0.4)) events.push({ atMs: during(), kind: 'process.dies', downMs: chance.pick([10, 500]) });
  if (chance.happens(0.3))
    events.push({ atMs: during(), kind: 'shard.dies', shard: chance.whole(0, shards - 1), committing: false });
  if (chance.happens(0.3))
    events.push({
      atMs: leavesMs + awayMs + chance.whole(0, 3_000),
      kind: 'shard.dies',
      shard: chance.whole(0, shards - 1),
      committing: false,
    });
  return events;
}

/** Some are sent again while much fails, others when all is well again, and often twice. */
function drawResends(seed: number, endpoints: readonly EndpointPlan[], played: readonly Play[]): ScenarioEvent[] {
  const chance = new Chance(seed, 'resends');
  if (played.length === 0 || !chance.happens(0.6)) return [];
  return Array.from({ length: chance.whole(1, 4) }, () => ({
    atMs: chance.happens(0.4) ? chance.whole(3_000, 58_000) : chance.whole(58_000, 130_000),
    kind: 'resend' as const,
    of: chance.pick(played).run,
    to: chance.pick(endpoints).name,
    outcome: chance.pick([null, null, null, 'failed', 'skipped'] as const),
  }));
}

/** Replays are paused, continued and moved, some of them more than once and at the same time. */
function drawControl(seed: number, played: readonly Play[]): ScenarioEvent[] {
  const chance = new Chance(seed, 'control');
  const events: ScenarioEvent[] = [];
  for (const { run, fromMs, forMs } of played) {
    if (run === null || !chance.happens(0.35)) continue;
    for (let count = chance.whole(1, 4); count > 0; count--) {
      const atMs = Math.floor(Math.min(45_000, fromMs + 1.2 * forMs * chance.next()));
      if (chance.happens(0.5)) events.push({ atMs, kind: 'seek', run, over: chance.pick([1, 5, 30, 1_000]) });
      if (chance.happens(0.6)) {
        events.push({ atMs: atMs + chance.pick([0, 0, 7]), kind: 'hold', run });
        const heldMs = chance.pick([0, 5, 60, 800, 9_000, 60_000]);
        events.push({ atMs: atMs + heldMs, kind: 'release', run });
        if (chance.happens(0.2)) events.push({ atMs: atMs + chance.whole(1, 300), kind: 'stop', run });
      }
    }
  }
  return events;
}

/** The journal is folded at any moment: mostly while runs play, right after a crash, or in a fault of the database. */
function drawFolds(seed: number, events: readonly ScenarioEvent[], played: readonly Play[]): ScenarioEvent[] {
  const chance = new Chance(seed, 'folds');
  const faults = events.filter(({ kind }) => kind.endsWith('.dies') || kind === 'process.drains' || kind === 'weather');
  const drawMs = (): number => {
    if (faults.length > 0 && chance.happens(0.4)) return chance.pick(faults).atMs + chance.whole(0, 1_500);
    if (played.length === 0 || chance.happens(0.2)) return chance.whole(0, FAULTS_END_MS);
    const { fromMs, forMs } = chance.pick(played);
    return Math.floor(Math.min(FAULTS_END_MS, fromMs + 1.2 * forMs * chance.next()));
  };
  return Array.from({ length: chance.whole(0, 12) }, () => ({
    atMs: drawMs(),
    kind: 'fold' as const,
    rows: chance.pick([1, 3, 10, 1_000]),
    interruptedAfter: chance.happens(0.2) ? chance.whole(0, 3) : null,
  }));
}

/** A stop while the database has a fault, which may end before the shards give up. */
function drawStop(seed: number, played: readonly Play[]): ScenarioEvent[] {
  const chance = new Chance(seed, 'stop');
  if (played.length === 0 || !chance.happens(0.35)) return [];
  const { fromMs, forMs } = chance.pick(played);
  // Often just when the run has ended.
  const sinceStartMs = chance.happens(0.3) ? forMs + chance.whole(0, 600) : forMs * chance.next();
  const atMs = Math.floor(Math.min(40_000, fromMs + sinceStartMs));
  const weather = chance.pick(['silent', 'silent', 'away', 'unsure', 'failing', 'slow'] as const);
  const sinceMs = Math.max(0, atMs - chance.whole(0, 1_500));
  return [
    { atMs: sinceMs, kind: 'weather', weather, forMs: chance.whole(1_000, 16_000) },
    { atMs, kind: 'process.drains', downMs: chance.pick([10, 100, 2_000]) },
  ];
}

/** The database is slow or uncertain while a shard dies, so that its last commit lands after its death. */
function clouds(chance: Chance, atMs: number): ScenarioEvent {
  const weather = chance.pick(['slow', 'slow', 'unsure'] as const);
  return { atMs: Math.max(0, atMs - chance.whole(50, 800)), kind: 'weather', weather, forMs: chance.whole(300, 4_000) };
}

function drawChange(chance: Chance, atMs: number, endpoints: readonly EndpointPlan[]): ScenarioEvent {
  const endpoint = chance.pick(endpoints).name;
  const kind = chance.pick(['pause', 'pause', 'unpause', 'delete', 'move', 'rotate', 'filter', 'filter'] as const);
  if (kind === 'filter') return { atMs, kind, endpoint, filters: drawFilters(chance) };
  return { atMs, kind, endpoint };
}
