// A second implementation of the breaker of a replay (B1 to B3): open after a row of failures, then probes, closed by a
// 2xx. It is computed from the order in which attempts started and ended, for actors that were never restarted.

import { BREAKER_FAILURES, BREAKER_PROBE_MS } from '#engine/delivery/endpoint/breaker.ts';
import { attemptName } from './check-attempts.ts';
import { isDelivered, lifeOf } from './check-order.ts';
import type { Observed, SeenAttempt } from './observed.ts';
import type { World } from './world.ts';

interface Open {
  readonly fromMs: number;
  untilMs: number;
  /** The last probe. */
  probe: SeenAttempt | null;
}

export function checkBreaker({ observed }: World): void {
  const byActor = Map.groupBy(observed.attempts, ({ runId, endpoint }) => `${runId} ${endpoint}`);
  for (const attempts of byActor.values()) {
    const { mode, resend } = observed.runs.get(attempts[0]!.runId)!;
    if (mode === 'live' || resend !== null || !isOfOneLife(observed, attempts)) continue;
    const problem = followed(attempts, []);
    if (problem !== null) observed.violated(problem);
  }
}

/** Returns when the breaker of an actor was open, or, after a crash, when it may have been. */
export function openTimes(
  observed: Observed,
  attempts: readonly SeenAttempt[],
): { readonly fromMs: number; readonly untilMs: number }[] {
  const times: Open[] = [];
  if (attempts.length > 0 && isOfOneLife(observed, attempts)) {
    followed(attempts, times);
    return times;
  }
  const failed = attempts.filter((seen) => !isDelivered(seen));
  const fromMs = failed[BREAKER_FAILURES - 1]?.startedAtMs;
  return fromMs === undefined ? [] : [{ fromMs, untilMs: Number.POSITIVE_INFINITY }];
}

/** A run that was parked has other actors afterwards. */
function isOfOneLife({ parked }: Observed, attempts: readonly SeenAttempt[]): boolean {
  if (parked.some(({ runId }) => runId === attempts[0]!.runId)) return false;
  const life = lifeOf(attempts[0]!);
  const isCut = ({ ended }: SeenAttempt): boolean => ended?.end.kind === 'cut' || ended?.end.kind === 'dropped';
  return attempts.every((seen) => lifeOf(seen) === life && !isCut(seen));
}

/**
 * Collects when it was open into `times`. Returns the first attempt that should not have started, as a sentence, or
 * null.
 */
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
