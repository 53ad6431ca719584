// Checks that snapshots precede updates (A11). Before the first update of an endpoint that wants them, each of its feeds with
// an update so far has had its snapshot, of that very place, and it was settled. No later snapshot follows.

import { ATTEMPTS_MAX } from '#engine/base/limits.ts';
import type { EndpointSettings } from '#engine/delivery/endpoint-settings.ts';
import { placeOf, SNAPSHOTS_FROM, snapshotNumber } from '#engine/timeline/snapshot-number.ts';
import { feedNumber } from '#schemas/webhook/feeds.ts';
import { attemptName } from './check-attempts.ts';
import { isDelivered, lifeOf } from './check-order.ts';
import { isSnapshotFor } from './matching.ts';
import type { RunRow, SeenAttempt } from './observed.ts';
import { SIMULATED_FEEDS } from './planned-timeline.ts';
import type { World } from './world.ts';

export function checkSnapshots(world: World): void {
  const { observed, database } = world;
  for (const [name, attempts] of Map.groupBy(observed.attempts, ({ runId, endpoint }) => `${runId} ${endpoint}`)) {
    const { runId, endpoint } = attempts[0]!;
    const row = observed.runs.get(runId)!;
    const late = lateSnapshot(attempts);
    if (late !== null)
      observed.violated(`A11: an update starts before its snapshots have ended (${attemptName(late)})`);
    const versions = observed.versions.get(endpoint)!;
    const { skipped } = database.memory.checkpoint(runId, endpoint)!;
    // What was skipped can have been a snapshot.
    if (row.resend !== null || versions.length > 1 || Object.keys(skipped).length > 0) continue;
    const { settings } = versions[0]!;
    if (settings.snapshot !== true) continue;
    const problem = incomplete(world, row, settings, attempts, 0);
    // A life that was never recorded can have skipped them as unavailable: then what came after it counts.
    const canBeForgotten = observed.snapshotsFailed > 0 || observed.stalls.length > 0;
    if (problem !== null && canBeForgotten) {
      const since = lastBegunAnew(world, row, settings, attempts);
      if (since !== null && incomplete(world, row, settings, attempts, since.no) === null) continue;
    }
    if (problem !== null) observed.violated(`${problem} (${name})`);
  }
}

const isSnapshot = ({ sequence }: SeenAttempt): boolean => sequence > SNAPSHOTS_FROM;

/** A snapshot that was not over when an update started in the same life. */
function lateSnapshot(attempts: readonly SeenAttempt[]): SeenAttempt | null {
  for (const life of Map.groupBy(attempts, lifeOf).values()) {
    const starts = life.filter((seen) => !isSnapshot(seen) && seen.attempt === 1).map(({ no }) => no);
    for (const same of Map.groupBy(life.filter(isSnapshot), ({ sequence }) => sequence).values()) {
      const endNo = same.at(-1)!.ended?.no ?? Number.POSITIVE_INFINITY;
      if (starts.some((no) => no > same[0]!.no && no < endNo)) return same[0]!;
    }
  }
  return null;
}

/** Whether something was recorded when the actor of this attempt resumed. What was not is forgotten: it began anew. */
function hadBegun(
  { observed }: World,
  { runId, runNo }: RunRow,
  { webhookNo }: EndpointSettings,
  seen: SeenAttempt,
): boolean {
  const handed = observed.handed.findLast((one) => one.runId === runId && one.atMs <= seen.startedAtMs)!;
  const resumedMs = Math.max(handed.atMs, observed.threads[seen.thread]!.bornMs);
  return observed.landed.some(
    ({ record, landedAtMs }) => record.runNo === runNo && record.webhookNo === webhookNo && landedAtMs < resumedMs,
  );
}

/** The first attempt of the last life that began anew. */
function lastBegunAnew(
  world: World,
  row: RunRow,
  settings: EndpointSettings,
  attempts: readonly SeenAttempt[],
): SeenAttempt | null {
  const last = attempts.findLast((seen) => !hadBegun(world, row, settings, seen));
  return attempts.find((seen) => last !== undefined && lifeOf(seen) === lifeOf(last)) ?? null;
}

function incomplete(
  world: World,
  row: RunRow,
  settings: EndpointSettings,
  attempts: readonly SeenAttempt[],
  sinceNo: number,
): string | null {
  const { observed, planned } = world;
  const first = attempts.find((seen) => !isSnapshot(seen) && seen.no >= sinceNo);
  if (first === undefined) return null;
  const place = first.sequence - 1;
  const [atPlace, others] = [[] as SeenAttempt[], [] as SeenAttempt[]];
  for (const seen of attempts.filter(isSnapshot)) (placeOf(seen.sequence - 1) === place ? atPlace : others).push(seen);
  for (const seen of others) {
    // It was pending already, beside another one that was sent.
    const isOfSame = others.some((one) => placeOf(one.sequence - 1) === placeOf(seen.sequence - 1) && one.no < seen.no);
    if (hadBegun(world, row, settings, seen) && !isOfSame)
      return `A11: a snapshot although deliveries have begun: ${attemptName(seen)}`;
  }
  // A seek between them and the first update leaves them as they are.
  const isMoved = observed.jumps.some((jump) => jump.runId === row.runId && jump.endpoint === settings.webhookId);
  if (isMoved && others.length > 0) return null;
  for (const feedId of SIMULATED_FEEDS) {
    const number = snapshotNumber(feedNumber(feedId)!, place);
    const sent = atPlace.filter((seen) => seen.sequence === number + 1 && seen.no < first.no);
    const isExpected = isSnapshotFor(settings, row.allFeeds, planned, number);
    const isSettled = sent.some((seen) => isDelivered(seen) || (seen.attempt === ATTEMPTS_MAX && seen.ended !== null));
    if (isExpected && !isSettled) return `A11: ${feedId} had no snapshot before update ${first.sequence}`;
  }
  return null;
}
