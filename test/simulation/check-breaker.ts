// The breaker of a replay, said a second time (B1 to B3): open after a row of failures, a probe now and then, closed by a 2xx.
// It is followed from the order in which attempts started and ended, for endpoints whose actor lived through the whole run.

import { BREAKER_FAILURES, BREAKER_PROBE_MS } from '#engine/limits.ts';
import { attemptName } from './check-attempts.ts';
import { isDelivered, lifeOf } from './check-order.ts';
import { isFor } from './matching.ts';
import type { SeenAttempt } from './observed.ts';
import type { World } from './world.ts';

interface Open {
  readonly fromMs: number;
  untilMs: number;
  /** The last probe. */
  probe: SeenAttempt | null;
}

export function checkBreaker(world: World): void {
  const { observed } = world;
  const byActor = Map.groupBy(observed.attempts, ({ runId, endpoint }) => `${runId} ${endpoint}`);
  for (const [actor, attempts] of byActor) {
    const { runId, endpoint } = attempts[0]!;
    const isWhole = attempts.every((seen) => lifeOf(seen) === lifeOf(attempts[0]!) && seen.ended?.end.kind !== 'cut');
    if (observed.runs.get(runId)!.mode === 'live' || !isWhole || observed.restarted.has(actor)) continue;
    const times: Open[] = [];
    const problem = followed(attempts, times) ?? skippedWhileClosed(world, runId, endpoint, attempts, times);
    if (problem !== null) observed.violated(problem);
  }
}

/** Finds when it was open; says which attempt must not have started then. */
function followed(attempts: readonly SeenAttempt[], times: Open[]): string | null {
  const steps = attempts.flatMap((seen) => [
    { no: seen.no, seen },
    { no: seen.ended?.no ?? Number.POSITIVE_INFINITY, seen },
  ]);
  let failures = 0;
  let open: Open | null = null;
  for (const { no, seen } of steps.sort((a, b) => a.no - b.no)) {
    if (no === seen.no) {
      const problem = open === null ? null : wrongProbe(open, seen);
      if (problem !== null) return `${problem} (${attemptName(seen)})`;
      if (open !== null) open.probe = seen;
    } else if (isDelivered(seen)) {
      failures = 0;
      if (open !== null) open.untilMs = seen.ended!.atMs;
      open = null;
    } else if (++failures >= BREAKER_FAILURES && open === null) {
      open = { fromMs: seen.ended!.atMs, untilMs: Number.POSITIVE_INFINITY, probe: null };
      times.push(open);
    }
  }
  return null;
}

function wrongProbe({ fromMs, probe }: Open, seen: SeenAttempt): string | null {
  if (probe !== null && (probe.ended === null || probe.ended.no > seen.no)) return 'B2: two probes';
  const sinceMs = probe?.startedAtMs ?? fromMs;
  return seen.startedAtMs < sinceMs + BREAKER_PROBE_MS ? 'B2: the breaker is open' : null;
}

/**
 * B3: what an endpoint that nobody changed was not sent fell due while the breaker was open. Positions are dealt with in order, so
 * each between the first attempts before and after it.
 */
function skippedWhileClosed(
  { planned, observed, scenario }: World,
  runId: string,
  endpoint: string,
  attempts: readonly SeenAttempt[],
  times: readonly Open[],
): string | null {
  const row = observed.runs.get(runId)!;
  const versions = observed.versions.get(endpoint)!;
  const isLimited = scenario.accounts.find(({ name }) => name === row.account)!.left !== null;
  const handed = observed.handed.filter((one) => one.runId === runId);
  if (isLimited || versions.length > 1 || row.stoppedAtMs !== null || handed.length !== 1) return null;
  const first = new Map<number, number>();
  for (const { attempt, sequence, startedAtMs } of attempts) if (attempt === 1) first.set(sequence - 1, startedAtMs);
  const { length } = planned.updates;
  let beforeMs = 0;
  for (let position = 0; position < length; position++) {
    const startedAtMs = first.get(position);
    if (startedAtMs !== undefined) beforeMs = startedAtMs;
    if (startedAtMs !== undefined || !isFor(versions[0]!.settings, row.allFeeds, planned, position)) continue;
    const dueAtMs = handed[0]!.startMs! + planned.updates[position]!.dueMs / row.speed;
    let next = position + 1;
    while (next < length && !first.has(next)) next++;
    const afterMs = first.get(next) ?? Number.POSITIVE_INFINITY;
    const fromMs = Math.max(beforeMs, dueAtMs - 1.001);
    if (!times.some((open) => open.fromMs <= afterMs && open.untilMs >= fromMs))
      return `B3: update ${position + 1}, due at ${dueAtMs.toFixed(1)} ms, was not sent (${runId} ${endpoint})`;
  }
  return null;
}
