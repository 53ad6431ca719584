// Checks what is recorded of updates that were due: one outcome for each that matched (PU1), and none that receivers
// contradict (PU2, PU3). Snapshots match as well, and are never due.

import { FIRST_ATTEMPT_MS_MAX } from '#engine/base/limits.ts';
import type { AttemptRecord } from '#engine/delivery/delivery-log/record-store.ts';
import { EXCUSES } from '#engine/delivery/usage/due-outcome.ts';
import { SNAPSHOTS_FROM } from '#engine/timeline/snapshot-number.ts';
import { snapshotsOf } from './check-records.ts';
import type { RunRow, SeenAttempt } from './observed.ts';
import type { World } from './world.ts';

export function checkPunctuality(world: World): void {
  const { observed, database } = world;
  const firsts = Map.groupBy(
    observed.attempts.filter(({ attempt, sequence }) => attempt === 1 && sequence <= SNAPSHOTS_FROM),
    ({ runId, endpoint }) => `${runId} ${endpoint}`,
  );
  const logs = Map.groupBy(database.memory.attempts, ({ runNo, webhookNo }) => `${runNo} wh_${webhookNo - 1}`);
  for (const row of observed.runs.values()) {
    for (const endpoint of row.endpoints.keys()) {
      const name = `${row.runId} ${endpoint}`;
      const due = outcomes(world, row, endpoint);
      const problem =
        wrongSum(world, row, endpoint, due, logs.get(`${row.runNo} ${endpoint}`) ?? []) ??
        wrongExcuse(world, row, endpoint, due) ??
        notInTime(world, name, firsts.get(name) ?? [], due);
      if (problem !== null) observed.violated(`${problem} (${name})`);
    }
  }
}

type Outcomes = Readonly<Record<string, number>>;

function outcomes({ database }: World, { runId }: RunRow, endpoint: string): Outcomes {
  const sums: Record<string, number> = {};
  for (const { outcome, updates } of database.memory.due(runId, endpoint))
    sums[outcome] = (sums[outcome] ?? 0) + updates;
  return sums;
}

/** PU1 */
function wrongSum(
  world: World,
  row: RunRow,
  endpoint: string,
  due: Outcomes,
  log: readonly AttemptRecord[],
): string | null {
  const matched =
    world.database.memory.checkpoint(row.runId, endpoint)!.matched - snapshotsOf(world, row, endpoint, log);
  const counted = Object.values(due).reduce((sum, updates) => sum + updates, 0);
  const expected = row.mode === 'live' && row.resend === null ? matched : 0;
  return counted === expected ? null : `PU1: ${counted} updates were due, and ${expected} matched`;
}

/** Updates that were skipped may have been begun before, but each excuse was a skip. */
function wrongExcuse({ database }: World, row: RunRow, endpoint: string, due: Outcomes): string | null {
  const { skipped } = database.memory.checkpoint(row.runId, endpoint)!;
  for (const [reason, outcome] of Object.entries(EXCUSES)) {
    const excused = outcome === null ? 0 : (due[outcome] ?? 0);
    const skips = skipped[reason] ?? 0;
    if (excused > skips) return `PU1: ${excused} updates are excluded as ${outcome}, and ${skips} were skipped`;
  }
  return null;
}

/** PU2, PU3: no more updates are on time than receivers got in time. */
function notInTime(
  { observed }: World,
  name: string,
  firsts: readonly SeenAttempt[],
  { on_time = 0 }: Outcomes,
): string | null {
  const { published, stalls } = observed;
  const stalledMs = stalls.reduce((sum, { forMs }) => sum + forMs, 0);
  const inTime = new Set<number>();
  for (const { sequence, startedAtMs } of firsts) {
    const publishedMs = published.find(({ length }) => length >= sequence)?.atMs ?? Number.POSITIVE_INFINITY;
    // Within a turn the time of its beginning counts, and a stall may lie in between.
    if (startedAtMs - publishedMs <= FIRST_ATTEMPT_MS_MAX + stalledMs + 100) inTime.add(sequence);
  }
  // An attempt that the engine failed to send was begun, and no receiver saw it.
  const unsent = observed.restarted.get(name)?.length ?? 0;
  if (on_time <= inTime.size + unsent) return null;
  return `PU2: ${on_time} updates are on time, and receivers got ${inTime.size} in time`;
}
