// Every update that was not sent had a reason at the time (I1). At some moment between its due time and the last first
// attempt of a later update, its endpoint was paused, deleted or filtered, its run stopped, its breaker open (B3), or
// its allowance used up.

import { ACTOR_RESTARTS_MAX } from '#engine/base/limits.ts';
import { monthOf } from '#engine/delivery/usage/month.ts';
import { SNAPSHOTS_FROM } from '#engine/timeline/snapshot-number.ts';
import { changeMs } from './check-attempts.ts';
import { openTimes } from './check-breaker.ts';
import { isFor } from './matching.ts';
import type { RunRow, SeenAttempt, Version } from './observed.ts';
import { roomIn } from './scenario.ts';
import { isOnThisMachine } from './simulated-transport.ts';
import type { World } from './world.ts';

/** A span of time in which updates are skipped. */
export interface Span {
  readonly fromMs: number;
  readonly untilMs: number;
}

const FOR_EVER = Number.POSITIVE_INFINITY;

export function checkReasons(world: World): void {
  const { observed } = world;
  const byActor = Map.groupBy(observed.attempts, ({ runId, endpoint }) => `${runId} ${endpoint}`);
  for (const row of observed.runs.values()) {
    for (const endpoint of row.endpoints.keys()) {
      const position = skippedForNothing(world, row, endpoint, byActor.get(`${row.runId} ${endpoint}`) ?? []);
      if (position !== null)
        observed.violated(`I1: update ${position + 1} was not sent, without a reason (${row.runId} ${endpoint})`);
    }
  }
}

function skippedForNothing(
  world: World,
  row: RunRow,
  endpoint: string,
  attempts: readonly SeenAttempt[],
): number | null {
  const firsts = attempts.filter(({ attempt, sequence }) => attempt === 1 && sequence <= SNAPSHOTS_FROM);
  /** When each update was first sent, by position. */
  const sentMs = new Map<number, number>();
  for (const { sequence, startedAtMs } of firsts.toReversed()) sentMs.set(sequence - 1, startedAtMs);
  const spans = skippingTimes(world, row, endpoint, attempts);
  const { nextPosition } = world.database.memory.checkpoint(row.runId, endpoint)!;
  // Positions are processed in order, also after a crash.
  let beforeMs = 0;
  const afterMs = latestAfter(firsts, world.planned.updates.length);
  for (let position = row.endpoints.get(endpoint)!; position < nextPosition; position++) {
    if (row.resend !== null && !row.resend.positions.includes(position)) continue;
    beforeMs = Math.max(beforeMs, sentMs.get(position) ?? 0);
    if (sentMs.has(position) || world.observed.isJumped(row.runId, endpoint, position)) continue;
    const fromMs = dueMs(world, row, position);
    const reachedMs = Math.max(beforeMs, fromMs);
    // What was sent of later positions before this one was reached was sent before a crash, and bounds nothing.
    const span = { fromMs: reachedMs, untilMs: afterMs[position]! < reachedMs ? FOR_EVER : afterMs[position]! };
    if (spans.some((reason) => overlap(reason, span))) continue;
    // It is matched when it enters the mailbox, where it may wait long behind others.
    const asked = { ...span, fromMs };
    if (!otherTimes(world, row, endpoint, position).some((reason) => overlap(reason, asked))) return position;
  }
  return null;
}

const overlap = (one: Span, other: Span): boolean => one.fromMs <= other.untilMs && one.untilMs >= other.fromMs;

/** Returns, for each position, when the last first attempt of a later position started. */
function latestAfter(firsts: readonly SeenAttempt[], length: number): number[] {
  const latest = new Array<number>(length).fill(FOR_EVER);
  for (const { sequence, startedAtMs } of firsts) latest[sequence - 1] = startedAtMs;
  let afterMs = FOR_EVER;
  for (let position = length - 1; position >= 0; position--) {
    const startedAtMs = latest[position]!;
    latest[position] = afterMs;
    if (startedAtMs !== FOR_EVER) afterMs = afterMs === FOR_EVER ? startedAtMs : Math.max(afterMs, startedAtMs);
  }
  return latest;
}

function dueMs({ observed, planned }: World, { runId, mode, speed, resend }: RunRow, position: number): number {
  if (resend !== null) return resend.atMs;
  if (mode === 'live') return observed.published.find(({ length }) => length > position)?.atMs ?? 0;
  const startMs = Math.min(...observed.handed.flatMap((one) => (one.runId === runId ? [one.startMs!] : [])));
  return startMs + planned.updates[position]!.dueMs / speed - 1.001;
}

/** Returns when the endpoint got nothing at all. */
function skippingTimes(world: World, row: RunRow, endpoint: string, attempts: readonly SeenAttempt[]): Span[] {
  const { observed, scenario } = world;
  const spans = settingsTimes(world, endpoint, ({ settings, deleted }) => deleted || !settings.active);
  if (row.mode === 'replay' && row.resend === null) spans.push(...openTimes(observed, attempts));
  const isHere = isOnThisMachine(observed.versions.get(endpoint)![0]!.settings.url);
  if (row.mode === 'live' && isHere && !scenario.liveToLocalhost) spans.push({ fromMs: 0, untilMs: FOR_EVER });
  const givenUpMs = observed.restarted.get(`${row.runId} ${endpoint}`)?.[ACTOR_RESTARTS_MAX];
  for (const fromMs of [row.stopped?.atMs, givenUpMs])
    if (fromMs !== undefined) spans.push({ fromMs, untilMs: FOR_EVER });
  if (!row.allFeeds) spans.push(...spentTimes(world, row.account));
  return spans;
}

/** Returns when the update did not match the endpoint's settings. */
function otherTimes(world: World, { allFeeds }: RunRow, endpoint: string, position: number): Span[] {
  return settingsTimes(world, endpoint, ({ settings }) => !isFor(settings, allFeeds, world.planned, position));
}

/** Returns when the endpoint had such settings, as far as its shard can have known. */
function settingsTimes(world: World, endpoint: string, isSo: (version: Version) => boolean): Span[] {
  const versions = world.observed.versions.get(endpoint)!;
  return versions.flatMap((version, index) => {
    const untilMs = (versions[index + 1]?.fromMs ?? FOR_EVER) + changeMs(world);
    return isSo(version) ? [{ fromMs: version.fromMs, untilMs }] : [];
  });
}

/** A6: returns when the wall clock was in a month of which the account had used up the attempts that it had left. */
function spentTimes({ observed, scenario, time }: World, account: string): Span[] {
  const { left } = scenario.accounts.find(({ name }) => name === account)!;
  if (left === null) return [];
  const used = new Map<string, number>();
  const spent: Span[] = [];
  const marks = (wallMs: number, atMs: number): void => {
    for (const span of monthTimes(observed, scenario.startWallMs, wallMs, time.nowMs()))
      if (span.untilMs >= atMs) spent.push({ fromMs: Math.max(atMs, span.fromMs), untilMs: span.untilMs });
  };
  // Without attempts in the first two months (roomIn), no attempt marks them as used up.
  if (left === 0) for (const wallMs of [scenario.startWallMs, monthOf(scenario.startWallMs).endsMs]) marks(wallMs, 0);
  for (const { runId, wallMs, startedAtMs } of observed.attempts) {
    const run = observed.runs.get(runId)!;
    if (run.account !== account || run.allFeeds) continue;
    const month = monthOf(wallMs).firstDay;
    const count = (used.get(month) ?? 0) + 1;
    used.set(month, count);
    if (count === roomIn(scenario, left, month)) marks(wallMs, startedAtMs);
  }
  return spent;
}

/** Returns when the wall clock was in the month of `wallMs`. Steps of the clock are the only moments that it jumps at. */
function monthTimes({ clockSteps }: World['observed'], startWallMs: number, wallMs: number, endMs: number): Span[] {
  const { startsMs, endsMs } = monthOf(wallMs);
  const times: Span[] = [];
  let offsetMs = startWallMs;
  let sinceMs = 0;
  for (const { atMs, stepMs } of [...clockSteps, { atMs: endMs, stepMs: 0 }]) {
    const fromMs = Math.max(sinceMs, startsMs - offsetMs);
    const untilMs = Math.min(atMs, endsMs - offsetMs);
    if (fromMs <= untilMs) times.push({ fromMs, untilMs });
    offsetMs += stepMs;
    sinceMs = atMs;
  }
  return times;
}
