// Minimises a failing scenario while it still violates the same rule: it leaves out events, endpoints, replays and
// updates, makes receivers healthy and the machine simple.

import { RECORD_PART_ROWS_MIN } from '#engine/base/limits.ts';
import type { EndpointPlan, Scenario } from './scenario.ts';
import { simulate } from './simulation.ts';

/** How many simulations one search may run. */
const TRIES_MAX = 400;

export interface Minimised {
  readonly scenario: Scenario;
  readonly violations: readonly string[];
  readonly tries: number;
}

export async function minimise(scenario: Scenario, violations: readonly string[]): Promise<Minimised> {
  const cited = citation(violations[0]!);
  let smallest: Minimised = { scenario, violations, tries: 0 };
  let tries = 0;
  for (let isSmaller = true; isSmaller && tries < TRIES_MAX; ) {
    isSmaller = false;
    for (const candidate of smallerThan(() => smallest.scenario)) {
      if (tries++ >= TRIES_MAX) break;
      const found = (await simulate(candidate)).violations.filter((violation) => citation(violation) === cited);
      if (found.length === 0) continue;
      smallest = { scenario: candidate, violations: found, tries };
      isSmaller = true;
    }
  }
  return { ...smallest, tries };
}

/** The rule that a violation cites: I5 for `I5: ...`. */
const citation = (violation: string): string => violation.slice(0, violation.indexOf(':'));

/** Yields scenarios that are each one step smaller than the smallest failing one so far. */
function* smallerThan(now: () => Scenario): Generator<Scenario> {
  for (const [names, without] of [
    [now().endpoints.map(({ name }) => name), withoutEndpoint],
    [now().replays.map(({ name }) => name), withoutReplay],
  ] as const) {
    for (const name of names) yield without(now(), name);
  }
  if (now().liveAtMs !== null) yield { ...now(), liveAtMs: null };
  if (now().snapshotsFail > 0) yield { ...now(), snapshotsFail: 0 };
  if (now().replays.some(({ chosen }) => chosen !== null))
    yield { ...now(), replays: now().replays.map((plan) => ({ ...plan, chosen: null })) };
  if (now().upgrades) yield { ...now(), upgrades: false };
  if (now().checkpointsAtOnceMax < RECORD_PART_ROWS_MIN) yield { ...now(), checkpointsAtOnceMax: RECORD_PART_ROWS_MIN };
  for (let index = now().events.length - 1; index >= 0; index--)
    yield { ...now(), events: now().events.filter((_, other) => other !== index) };
  for (let part = Math.floor(now().timeline.updates / 2); part > 0; part = Math.floor(part / 2)) {
    const { timeline } = now();
    if (timeline.updates > part) yield { ...now(), timeline: { ...timeline, updates: timeline.updates - part } };
  }
  for (const { name } of now().endpoints) yield* plainer(now(), name);
  const { shards, messageMsMax, sendingMs, accounts } = now();
  if (shards > 1) yield { ...now(), shards: 1, events: now().events.map(onFirstShard) };
  if (messageMsMax > 0) yield { ...now(), messageMsMax: 0 };
  if (now().overSockets) yield { ...now(), overSockets: false };
  if (sendingMs > 0) yield { ...now(), sendingMs: 0 };
  const isNeeded = (account: string): boolean =>
    [...now().endpoints, ...now().replays].some((plan) => plan.account === account);
  const needed = accounts.filter(({ name }) => isNeeded(name));
  if (needed.length < accounts.length) yield { ...now(), accounts: needed };
}

function onFirstShard(event: Scenario['events'][number]): Scenario['events'][number] {
  return event.kind === 'shard.dies' ? { ...event, shard: 0 } : event;
}

function withoutEndpoint(scenario: Scenario, name: string): Scenario {
  return {
    ...scenario,
    endpoints: scenario.endpoints.filter((plan) => plan.name !== name),
    replays: scenario.replays.map((plan) => ({ ...plan, chosen: plan.chosen?.filter((one) => one !== name) ?? null })),
    events: scenario.events.filter(
      (event) => !('endpoint' in event && event.endpoint === name) && !('to' in event && event.to === name),
    ),
  };
}

function withoutReplay(scenario: Scenario, name: string): Scenario {
  return {
    ...scenario,
    replays: scenario.replays.filter((plan) => plan.name !== name),
    events: scenario.events.filter(
      (event) => !('run' in event && event.run === name) && !('of' in event && event.of === name),
    ),
  };
}

function* plainer(scenario: Scenario, name: string): Generator<Scenario> {
  const plan = scenario.endpoints.find((one) => one.name === name);
  if (plan === undefined) return;
  const changed = (changes: Partial<EndpointPlan>): Scenario => ({
    ...scenario,
    endpoints: scenario.endpoints.map((one) => (one.name === name ? { ...one, ...changes } : one)),
  });
  if (plan.snapshot) yield changed({ snapshot: false });
  if (plan.temper !== 'fast') yield changed({ temper: 'fast' });
  if (plan.bornMs > 0 || plan.atEnd) yield changed({ bornMs: 0, atEnd: false });
  const isFiltered = [plan, ...plan.feeds].some(({ filters }) => Object.keys(filters).length > 0);
  if (isFiltered) yield changed({ filters: {}, feeds: plan.feeds.map(({ feedId }) => ({ feedId, filters: {} })) });
}
