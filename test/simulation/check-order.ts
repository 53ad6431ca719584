// Checks the attempts of one actor together: first attempts in timeline order (I5), delays between attempts (I4), one
// id for all attempts of an update, and no repetition of recorded attempts (I9).

import { RETRY_DELAYS_MS } from '#engine/base/limits.ts';
import { placeOf, SNAPSHOTS_FROM, snapshotFeed } from '#engine/timeline/snapshot-number.ts';
import { FEEDS } from '#schemas/webhook/feeds.ts';
import { attemptName } from './check-attempts.ts';
import type { LandedAttempt, SeenAttempt } from './observed.ts';
import type { World } from './world.ts';

export function checkOrder(world: World): void {
  const { observed } = world;
  const byActor = Map.groupBy(observed.attempts, ({ runId, endpoint }) => `${runId} ${endpoint}`);
  const landed = landedByUpdate(world);
  for (const attempts of byActor.values()) {
    for (const problem of [
      outOfOrder(attempts),
      tooSoonAgain(world, attempts),
      otherIds(attempts),
      sentThoughRecorded(landed, attempts),
      twoAtOnce(world, attempts),
    ]) {
      if (problem !== null) observed.violated(problem);
    }
  }
}

/** By `run endpoint sequence`. */
function landedByUpdate({ observed }: World): Map<string, LandedAttempt[]> {
  const runIds = new Map([...observed.runs.values()].map(({ runNo, runId }) => [runNo, runId]));
  return Map.groupBy(observed.landed, ({ record: { runNo, webhookNo, sequence } }) =>
    [runIds.get(runNo!), `wh_${webhookNo - 1}`, sequence].join(' '),
  );
}

/** Returns which life of an actor sent an attempt: the shard thread, and the restart count of the actor there. */
export const lifeOf = ({ thread, life }: SeenAttempt): string => `${thread} ${life}`;

/** Where a first attempt belongs within one life: a snapshot precedes the update at its place, in a resend all updates. */
function rankOf({ sequence, headers }: SeenAttempt): number {
  const position = sequence - 1;
  const isSnapshot = position >= SNAPSHOTS_FROM;
  const rank = placeOf(position) * (FEEDS.length + 1) + (isSnapshot ? snapshotFeed(position) : FEEDS.length);
  return isSnapshot && headers.has('x-service-resend') ? rank - SNAPSHOTS_FROM : rank;
}

/** I5: within one life, first attempts rise, and none is repeated. */
function outOfOrder(attempts: readonly SeenAttempt[]): string | null {
  const last = new Map<string, number>();
  for (const seen of attempts) {
    if (seen.attempt !== 1) continue;
    const life = lifeOf(seen);
    const before = last.get(life) ?? Number.NEGATIVE_INFINITY;
    const rank = rankOf(seen);
    if (rank <= before) return `I5: update ${rank} comes after ${before} (${attemptName(seen)})`;
    last.set(life, rank);
  }
  return null;
}

/** A10: with `ordered`, an update waits for the end of all attempts of the one before, within one life. */
function twoAtOnce({ observed }: World, attempts: readonly SeenAttempt[]): string | null {
  const latest = new Map<string, SeenAttempt>();
  for (const seen of attempts) {
    if (!observed.runs.get(seen.runId)!.ordered) return null;
    const before = latest.get(lifeOf(seen));
    if (before !== undefined && (rankOf(before) > rankOf(seen) || before.ended === null || before.ended.no > seen.no))
      return `A10: ${before.sequence}/${before.attempt} is not over (${attemptName(seen)})`;
    latest.set(lifeOf(seen), seen);
  }
  return null;
}

/** I4: an attempt follows the end of the one before, after its delay. Within one life none is made twice. */
function tooSoonAgain({ observed }: World, attempts: readonly SeenAttempt[]): string | null {
  const latest = new Map<string, SeenAttempt>();
  for (const seen of attempts) {
    const { sequence, attempt, startedAtMs } = seen;
    const same = latest.get(`${sequence}/${attempt}`);
    if (same !== undefined && lifeOf(same) === lifeOf(seen)) return `I9: sent twice (${attemptName(seen)})`;
    latest.set(`${sequence}/${attempt}`, seen);
    if (attempt === 1) continue;
    const before = latest.get(`${sequence}/${attempt - 1}`);
    if (before === undefined) return `I4: attempt ${attempt} comes before ${attempt - 1} (${attemptName(seen)})`;
    if (before.ended === null) return `I4: attempt ${attempt - 1} has not ended (${attemptName(seen)})`;
    // After a crash or a pause, the rest of a delay is computed from the wall clock.
    const isOther = lifeOf(before) !== lifeOf(seen) || observed.wasParked(seen.runId, before.ended.atMs, startedAtMs);
    const setForward = isOther && observed.clockSteps.length > 0;
    const delayMs = startedAtMs - before.ended.atMs;
    if (!setForward && delayMs < RETRY_DELAYS_MS[attempt - 1]! - (isOther ? 1.001 : 0.001))
      return `I4: ${delayMs.toFixed(1)} ms after the attempt before (${attemptName(seen)})`;
  }
  return null;
}

function otherIds(attempts: readonly SeenAttempt[]): string | null {
  const ids = new Map<number, string>();
  const updates = new Map<string, number>();
  const bodies = new Map<string, string>();
  for (const seen of attempts) {
    const id = seen.headers.get('x-service-delivery-id')!;
    if ((ids.get(seen.sequence) ?? id) !== id) return `I9: another delivery id (${attemptName(seen)})`;
    if ((updates.get(id) ?? seen.sequence) !== seen.sequence)
      return `I9: the delivery id of another (${attemptName(seen)})`;
    const body = new TextDecoder().decode(seen.body);
    if ((bodies.get(id) ?? body) !== body) return `I9: the delivery id of another body (${attemptName(seen)})`;
    bodies.set(id, body);
    ids.set(seen.sequence, id);
    updates.set(id, seen.sequence);
  }
  return null;
}

/** I9: a recorded attempt is never repeated, and a recorded acknowledgement ends the delivery. */
function sentThoughRecorded(landed: Map<string, LandedAttempt[]>, attempts: readonly SeenAttempt[]): string | null {
  for (const seen of attempts) {
    const records = landed.get(`${seen.runId} ${seen.endpoint} ${seen.sequence}`) ?? [];
    for (const { record, landedAtMs } of records) {
      if (landedAtMs >= seen.startedAtMs) continue;
      const { result } = record;
      if (result.kind === 'answered' && result.statusCode >= 200 && result.statusCode < 300)
        return `I9: delivered and recorded before (${attemptName(seen)})`;
      if (record.attempt >= seen.attempt) return `I9: recorded before (${attemptName(seen)})`;
    }
  }
  return null;
}

export function isDelivered({ ended }: SeenAttempt): boolean {
  if (ended?.end.kind !== 'answered' || ended.end.status === null) return false;
  return ended.end.status >= 200 && ended.end.status < 300;
}
