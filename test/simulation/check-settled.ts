// Checks the database when the engine reports a run as settled: every endpoint's checkpoint must be there and complete
// (C2, I1).

import type { Checkpoint } from '#engine/delivery/delivery-log/record-store.ts';
import { Selection } from '#engine/delivery/run/selection.ts';
import type { RunRow } from './observed.ts';
import type { World } from './world.ts';

export function checkSettled({ database, observed, planned, time }: World, row: RunRow): void {
  for (const endpoint of row.endpoints.keys()) {
    const checkpoint = database.memory.checkpoint(row.runId, endpoint);
    const problem = checkpoint === undefined ? 'it has no checkpoint' : unsettled(checkpoint);
    if (problem !== null) observed.violated(`I1: ${row.runId} is settled, but ${endpoint}: ${problem}`);
    // Endpoints that were deleted or whose actor failed need not reach the end.
    const isDeleted = observed.versions.get(endpoint)!.at(-1)!.deleted;
    const mayEndEarly = isDeleted || row.stopped !== null || observed.restarted.has(`${row.runId} ${endpoint}`);
    const position = checkpoint?.nextPosition ?? 0;
    const end = row.resend === null ? planned.updates.length : new Selection(row.resend.positions).end;
    if (!mayEndEarly && position !== end)
      observed.violated(`I1: ${row.runId} is settled at ${time.nowMs()}, ${endpoint} is at position ${position}`);
  }
}

function unsettled({ matched, delivered, failed, skipped, pending }: Checkpoint): string | null {
  if (pending.length > 0) return `${pending.length} updates are pending`;
  const skips = Object.values(skipped).reduce((sum, count) => sum + count, 0);
  const sum = delivered + failed + skips;
  return matched === sum ? null : `${matched} updates matched and ${sum} are accounted for`;
}
