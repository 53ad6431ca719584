// A shard through random trouble: random timelines, receivers and commands, a record store that fails for a while, deaths
// and drains. Then the trouble stops, and every count must be exact.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { EndpointSettings } from '#engine/endpoint/endpoint.ts';
import { ATTEMPTS_MAX, IN_FLIGHT_MAX, RETRIES_IN_FLIGHT_MAX, RETRY_DELAYS_MS } from '#engine/limits.ts';
import type { AttemptRecord } from '#engine/record/record-store.ts';
import { FEEDS } from '#schemas/webhook/feeds.ts';
import type { SharedArtifact } from '#schemas/wire/shard-messages.ts';
import { endpointSettings } from '#test/support/endpoints.ts';
import { MemoryRecordStore } from '#test/support/memory-record-store.ts';
import { type Arrival, answers, type Reaction, SimulatedNetwork } from '#test/support/simulated-network.ts';
import { SimulatedShard } from '#test/support/simulated-shard.ts';
import { SimulatedTime } from '#test/support/simulated-time.ts';
import { type SmallUpdate, sharedArtifact, smallTimeline } from '#test/support/timelines.ts';

const RUNS = 200;
const FEED_IDS = ['timing.data', 'lap.count', 'track.status'] as const;
/** From here on every receiver is well. */
const HEALED_MS = 20_000;
/** Commands come before this. */
const COMMANDS_UNTIL_MS = 15_000;
/** Longer than four attempts that time out, with their delays. */
const LONG_ENOUGH_MS = 200_000;

const TEMPERS = ['fast', 'slow', 'flapping', 'dead', 'busy', 'hanging', 'late', 'changeable'] as const;
type Temper = (typeof TEMPERS)[number];

type Command = { readonly atMs: number } & (
  | { readonly kind: 'pause' | 'resume' | 'move' | 'rotate' | 'delete'; readonly endpoint: number }
  | { readonly kind: 'filter'; readonly endpoint: number; readonly feeds: number }
  | { readonly kind: 'stop' | 'drain' | 'throw' }
  | { readonly kind: 'kill'; readonly forMs: number }
  | { readonly kind: 'store'; readonly trouble: 'refuse' | 'lose-answer'; readonly forMs: number }
);

interface Scenario {
  readonly gaps: readonly { readonly gapMs: number; readonly feed: number }[];
  /** How often the gaps are gone through. */
  readonly rounds: number;
  readonly speed: number;
  readonly tempers: readonly Temper[];
  readonly commands: readonly Command[];
}

function reaction(temper: Temper, { atMs, attempt, sequence }: Arrival): Reaction {
  if (atMs >= HEALED_MS) return answers(200, 2);
  const broken: Reaction = { kind: 'break', error: 'ECONNREFUSED', afterMs: 1 };
  switch (temper) {
    case 'fast':
      return answers(200, 2);
    case 'slow':
      return answers(200, 150 + ((sequence * 37) % 400));
    case 'flapping':
      return Math.floor(atMs / 1_500) % 2 === 0 ? answers(204, 5) : answers(500, 5);
    case 'dead':
      return broken;
    case 'busy':
      return attempt === 1 && sequence % 3 === 0 ? answers(429, 3) : answers(200, 3);
    case 'hanging':
      return { kind: 'hang' };
    case 'late':
      return answers(200, sequence % 4 === 0 ? 10_020 : 4);
    case 'changeable':
      return [answers(200, 5), answers(503, 30), broken, answers(301, 1), { kind: 'hang' } as const][
        (sequence * 7 + attempt) % 5
      ]!;
  }
}

class World {
  readonly time = new SimulatedTime();
  readonly store = new MemoryRecordStore();
  readonly networks: SimulatedNetwork[] = [];
  readonly settings: EndpointSettings[];
  /** Endpoints whose matches cannot be counted from the timeline alone. */
  readonly interfered = new Set<number>();
  readonly #deleted = new Set<number>();
  readonly #scenario: Scenario;
  readonly #artifact: SharedArtifact;
  readonly #startedAtMs: number;
  killed = false;
  #stopped = false;
  #throwing = false;
  shard: SimulatedShard;

  constructor(scenario: Scenario, artifact: SharedArtifact) {
    this.#scenario = scenario;
    this.#artifact = artifact;
    this.#startedAtMs = this.time.wallMs();
    this.settings = scenario.tempers.map((_, index) =>
      endpointSettings({
        webhookId: `wh_${index}`,
        webhookNo: index,
        url: `http://${index}.example/a`,
        subscriptions: FEED_IDS.map((feedId) => ({ feedId, filters: {}, active: true })),
      }),
    );
    this.shard = this.#incarnate(false);
  }

  get network(): SimulatedNetwork {
    return this.networks.at(-1)!;
  }

  #incarnate(resumed: boolean): SimulatedShard {
    const network = new SimulatedNetwork(this.time);
    this.#scenario.tempers.forEach((temper, index) => {
      for (const origin of [`http://${index}.example`, `http://${index}-moved.example`]) {
        network.receiver(origin, (arrival) => {
          if (!this.#throwing) return reaction(temper, arrival);
          this.#throwing = false;
          return { kind: 'throw' };
        });
      }
    });
    const writer = { name: 'shard-0', incarnation: this.networks.length + 1 };
    const shard = new SimulatedShard(this.time, network, this.store, writer);
    this.networks.push(network);
    const { speed } = this.#scenario;
    shard.start(this.#artifact, this.settings, { startedAtMs: this.#startedAtMs, speed }, resumed);
    // As the router does it: what happened meanwhile follows at once.
    for (const index of this.#deleted) shard.receive({ kind: 'endpoint.deleted', webhookId: `wh_${index}` });
    if (this.#stopped) shard.receive({ kind: 'run.stop', runId: 'run_1', reason: 'stopped' });
    return shard;
  }

  async command(command: Command): Promise<void> {
    switch (command.kind) {
      case 'pause':
        return this.#change(command.endpoint, { active: false });
      case 'resume':
        return this.#change(command.endpoint, { active: true });
      case 'rotate':
        return this.#change(command.endpoint, { secret: `whsec_${command.atMs}` });
      case 'move':
        return this.#change(command.endpoint, { url: `http://${command.endpoint}-moved.example/b` });
      case 'filter': {
        this.interfered.add(command.endpoint);
        const kept = FEED_IDS.filter((_, index) => (command.feeds & (1 << index)) !== 0);
        const subscriptions = kept.map((feedId) => ({ feedId, filters: {}, active: true }));
        return this.#change(command.endpoint, { subscriptions });
      }
      case 'delete':
        this.interfered.add(command.endpoint);
        this.#deleted.add(command.endpoint);
        return this.shard.receive({ kind: 'endpoint.deleted', webhookId: `wh_${command.endpoint}` });
      case 'stop':
        this.#stopped = true;
        this.settings.forEach((_, index) => {
          this.interfered.add(index);
        });
        return this.shard.receive({ kind: 'run.stop', runId: 'run_1', reason: 'stopped' });
      case 'throw':
        this.#throwing = true;
        return;
      case 'store':
        this.store.trouble = command.trouble;
        this.time.schedule(command.forMs, () => {
          this.store.trouble = 'none';
        });
        return;
      case 'kill':
        this.killed = true;
        this.shard.kill();
        await this.time.pass(command.forMs);
        this.shard = this.#incarnate(true);
        return;
      case 'drain': {
        this.shard.receive({ kind: 'drain' });
        await this.time.pass(25_000);
        assert.ok(
          this.shard.heard.some(({ kind }) => kind === 'drained'),
          'drained',
        );
        assert.equal(this.network.inFlight, 0, 'a drained shard has nothing in flight');
        assert.equal(this.network.openConnections, 0, 'a drained shard has no connections');
        this.shard = this.#incarnate(true);
        return;
      }
    }
  }

  #change(index: number, changes: Partial<EndpointSettings>): void {
    const settings = { ...this.settings[index]!, ...changes };
    this.settings[index] = settings;
    this.shard.receive({ kind: 'endpoint.changed', settings });
  }
}

function updatesOf(scenario: Scenario): SmallUpdate[] {
  let dueMs = 0;
  return Array.from({ length: scenario.rounds }, () => scenario.gaps)
    .flat()
    .map(({ gapMs, feed }) => {
      dueMs += gapMs;
      return { dueMs, feed: FEED_IDS[feed]! };
    });
}

async function play(scenario: Scenario): Promise<void> {
  const updates = updatesOf(scenario);
  const world = new World(scenario, await sharedArtifact(smallTimeline(updates)));
  const { commands, speed, tempers } = scenario;
  const mine = [...commands].sort((a, b) => a.atMs - b.atMs);
  for (const command of mine) {
    const { tempers: all } = scenario;
    await world.time.pass(Math.max(0, command.atMs - world.time.nowMs()));
    await world.command('endpoint' in command ? { ...command, endpoint: command.endpoint % all.length } : command);
  }
  await world.time.pass(Math.max(0, HEALED_MS - world.time.nowMs()));
  world.store.trouble = 'none';
  await world.time.pass(LONG_ENOUGH_MS);

  assert.ok(world.shard.settled(), 'the run is settled');
  assert.equal(world.network.inFlight, 0);
  assert.equal(world.network.openConnections, 0, 'no connection is left open');
  const thrown = commands.some(({ kind }) => kind === 'throw');
  tempers.forEach((_, index) => {
    assertExact(world, index, updates.length, thrown);
    assertOrder(world, index, updates, speed, thrown);
  });
  assertUsage(world);
}

/** I1, and that log and counts say the same. */
function assertExact(world: World, index: number, updates: number, thrown: boolean): void {
  const { store } = world;
  const log = store.attempts.filter(({ webhookNo }) => webhookNo === index);
  const checkpoint = store.checkpoint('run_1', `wh_${index}`);
  if (checkpoint === undefined) {
    // Deleted, or its run stopped, before anything matched.
    assert.ok(world.interfered.has(index) && log.length === 0);
    return;
  }
  const { matched, delivered, failed, pending } = checkpoint;
  const skipped = Object.values(checkpoint.skipped).reduce((sum, count) => sum + count, 0);
  assert.equal(matched, delivered + failed + skipped, 'I1: the sum is exact');
  assert.deepEqual(pending, []);
  if (!world.interfered.has(index)) assert.equal(matched, updates, 'I1: everything that matches is counted once');
  const reached = new Set(arrivalsOf(world, index).map(({ sequence }) => sequence));
  assert.ok(reached.size >= delivered + failed, 'nothing counts as tried that was not');
  assert.ok(reached.size + skipped >= matched, 'nothing is lost');
  if (thrown) return;
  const sent = arrivalsOf(world, index).length;
  assert.ok(world.killed ? sent >= log.length : sent === log.length, 'what was sent twice was not written down');
  const succeeded = log.filter(isSuccess);
  assert.equal(new Set(succeeded.map(({ sequence }) => sequence)).size, succeeded.length, 'no success is logged twice');
  assert.equal(succeeded.length, delivered, 'delivered is what the log says');
  assert.equal(log.filter((row) => row.attempt === ATTEMPTS_MAX && !isSuccess(row)).length, failed);
  assert.equal(new Set(log.map(({ sequence, attempt }) => `${sequence} ${attempt}`)).size, log.length);
}

/** I4 and I5. */
function assertOrder(
  world: World,
  index: number,
  updates: readonly SmallUpdate[],
  speed: number,
  thrown: boolean,
): void {
  for (const network of world.networks) {
    const most = world.settings.length * (IN_FLIGHT_MAX + RETRIES_IN_FLIGHT_MAX);
    assert.ok(network.inFlightMost <= most, 'I2: attempts under way are bounded');
    const arrivals = network.arrivals.filter(({ origin }) => indexOf(origin) === index);
    for (const { sequence, atMs } of arrivals) {
      assert.ok(atMs >= updates[sequence - 1]!.dueMs / speed, 'I4: nothing starts before it is due');
    }
    if (thrown) continue;
    const firsts = arrivals.filter(({ attempt }) => attempt === 1).map(({ sequence }) => sequence);
    assert.ok(
      firsts.every((sequence, place) => place === 0 || sequence > firsts[place - 1]!),
      `I5: first attempts in order: ${firsts.join(' ')}`,
    );
  }
  if (thrown) return;
  const ends = new Map<string, number>();
  const log = world.store.attempts.filter(({ webhookNo }) => webhookNo === index);
  for (const { sequence, attempt, createdAtMs, latencyMs } of log) {
    ends.set(`${sequence} ${attempt}`, createdAtMs + latencyMs);
    if (attempt === 1) continue;
    const lastMs = ends.get(`${sequence} ${attempt - 1}`);
    assert.ok(lastMs !== undefined, 'attempts are logged in turn');
    assert.ok(createdAtMs >= lastMs + RETRY_DELAYS_MS[attempt - 1]! - 0.001, `I4: the delay before attempt ${attempt}`);
  }
}

/** I10, by feed. */
function assertUsage({ store }: World): void {
  for (const { feedId, attempts, succeeded, failed } of store.usage.values()) {
    const log = store.attempts.filter(({ feed }) => feedIdOf(feed) === feedId);
    assert.equal(attempts, log.length, 'I10: usage is what the log says');
    assert.equal(succeeded, log.filter(isSuccess).length);
    assert.equal(failed, attempts - succeeded);
  }
  const used = [...store.usage.values()].reduce((sum, { attempts }) => sum + attempts, 0);
  assert.equal(used, store.attempts.length, 'I10');
}

const isSuccess = ({ statusCode }: AttemptRecord): boolean =>
  statusCode !== null && statusCode >= 200 && statusCode < 300;
const indexOf = (origin: string): number => Number.parseInt(origin.slice('http://'.length), 10);
const feedIdOf = (feed: number): string => FEEDS[feed]!.feedId;

function arrivalsOf(world: World, index: number): Arrival[] {
  return world.networks.flatMap(({ arrivals }) => arrivals.filter(({ origin }) => indexOf(origin) === index));
}

const atMs = fc.integer({ min: 0, max: COMMANDS_UNTIL_MS });
const endpoint = fc.nat({ max: 3 });
const forMs = fc.integer({ min: 0, max: 3_000 });
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ atMs, endpoint, kind: fc.constantFrom('pause', 'resume', 'move', 'rotate') }),
  },
  { weight: 2, arbitrary: fc.record({ atMs, endpoint, kind: fc.constant('filter'), feeds: fc.nat({ max: 7 }) }) },
  { weight: 1, arbitrary: fc.record({ atMs, endpoint, kind: fc.constant('delete') }) },
  { weight: 1, arbitrary: fc.record({ atMs, kind: fc.constantFrom('stop', 'throw') }) },
  { weight: 1, arbitrary: fc.record({ atMs, kind: fc.constant('drain') }) },
  { weight: 3, arbitrary: fc.record({ atMs, kind: fc.constant('kill'), forMs }) },
  {
    weight: 3,
    arbitrary: fc.record({
      atMs,
      kind: fc.constant('store'),
      trouble: fc.constantFrom('refuse', 'lose-answer'),
      forMs,
    }),
  },
);
const scenario: fc.Arbitrary<Scenario> = fc.record({
  gaps: fc.array(
    fc.record({ gapMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 120 })), feed: fc.nat({ max: 2 }) }),
    { minLength: 1, maxLength: 120, size: 'max' },
  ),
  rounds: fc.constantFrom(1, 2, 8),
  speed: fc.constantFrom(1, 1, 10, Number.POSITIVE_INFINITY),
  tempers: fc.array(fc.constantFrom(...TEMPERS), { minLength: 1, maxLength: 4 }),
  commands: fc.array(command, { maxLength: 8 }),
});

test('I1, I4, I5, I10: through random trouble every update is accounted for, once and in order', async () => {
  await fc.assert(fc.asyncProperty(scenario, play), { numRuns: RUNS });
});
