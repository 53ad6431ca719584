// Checks resends: what is selected is exactly what the endpoint has missed (I1), and of one source no update is delivered
// twice, whichever of its runs delivers it.

import { ATTEMPTS_MAX } from '#engine/base/limits.ts';
import { resendsSnapshots } from './check-records.ts';
import { isFor } from './matching.ts';
import type { RunRow, SeenAttempt } from './observed.ts';
import type { World } from './world.ts';

/** The runs that share delivery ids for this endpoint: the source of resends, and those. */
export function familyOf({ observed }: World, source: RunRow, endpoint: string): RunRow[] {
  return [...observed.runs.values()].filter(
    (row) => (row === source || row.resend?.of === source.runId) && row.endpoints.has(endpoint),
  );
}

export const positionsIn = (
  world: World,
  { runNo }: RunRow,
  endpoint: string,
  isWanted: (status: number | null, attempt: number) => boolean,
): number[] =>
  world.database.memory.attempts.flatMap((record) => {
    if (record.runNo !== runNo || `wh_${record.webhookNo - 1}` !== endpoint) return [];
    const status = record.result.kind === 'answered' ? record.result.statusCode : null;
    return isWanted(status, record.attempt) ? [record.sequence - 1] : [];
  });

export const isLastFailure = (status: number | null, attempt: number): boolean =>
  attempt === ATTEMPTS_MAX && !isSuccess(status);

export const isSuccess = (status: number | null): boolean => status !== null && status >= 200 && status < 300;

/**
 * At the start of a resend. What is expected is computed without the spans: everything that matched and was reached,
 * except what is delivered or under way. What the log shows as failed is failed, all else was skipped.
 */
export function checkSelection(
  world: World,
  source: RunRow,
  endpoint: string,
  outcome: 'failed' | 'skipped' | null,
  selected: ReadonlySet<number>,
): void {
  const { observed, planned, database } = world;
  const family = familyOf(world, source, endpoint);
  const settled = new Set(family.flatMap((row) => positionsIn(world, row, endpoint, isSuccess)));
  const failed = new Set(family.flatMap((row) => positionsIn(world, row, endpoint, isLastFailure)));
  for (const { runId } of family)
    for (const { position } of database.memory.durableCheckpoint(runId, endpoint)!.pending) settled.add(position);
  const versions = observed.versions.get(endpoint)!;
  const { nextPosition } = database.memory.durableCheckpoint(source.runId, endpoint)!;
  for (let position = 0; position < planned.updates.length; position++) {
    const isJumped = observed.isJumped(source.runId, endpoint, position);
    const isReached = position >= source.endpoints.get(endpoint)! && position < nextPosition && !isJumped;
    const matching = versions.filter(({ settings }) => isFor(settings, source.allFeeds, planned, position)).length;
    const hasFailed = failed.has(position);
    const isAsked = outcome === null || hasFailed === (outcome === 'failed');
    // What has failed can have been skipped by an earlier resend.
    const isWrongKind = !isAsked && !(outcome === 'skipped' && family.length > 1);
    const isMissed = isReached && matching === versions.length && !settled.has(position);
    if (isMissed && isAsked && !selected.has(position))
      observed.violated(
        `I1: update ${position + 1} of ${source.runId} was missed by ${endpoint} and is not sent again`,
      );
    if (selected.has(position) && (!isReached || matching === 0 || settled.has(position) || isWrongKind))
      observed.violated(
        `I1: update ${position + 1} of ${source.runId} is sent again to ${endpoint}, which has not missed it`,
      );
  }
}

export function checkResends(world: World): void {
  const { observed, scenario, database } = world;
  const ids = new Map<string, string>();
  for (const seen of observed.attempts) {
    const name = `${sourceOf(world, seen)} ${seen.endpoint} ${seen.sequence}`;
    const id = seen.headers.get('x-service-delivery-id')!;
    if ((ids.get(name) ?? id) !== id) observed.violated(`I9: ${name} is sent again with another delivery id`);
    ids.set(name, id);
  }
  for (const row of observed.runs.values()) {
    if (row.resend === null) continue;
    const source = observed.runs.get(row.resend.of)!;
    for (const endpoint of row.endpoints.keys()) {
      const delivered = familyOf(world, source, endpoint).flatMap((one) =>
        positionsIn(world, one, endpoint, isSuccess),
      );
      if (new Set(delivered).size !== delivered.length)
        observed.violated(`I1: an update of ${source.runId} was delivered to ${endpoint} and again by a resend`);
      const versions = observed.versions.get(endpoint)!;
      if (row.stopped !== null || versions.length !== row.resend.versions) continue;
      const { matched, skipped } = database.memory.checkpoint(row.runId, endpoint)!;
      const hasFailed = observed.restarted.has(`${row.runId} ${endpoint}`);
      if (matched !== row.resend.positions.length && !hasFailed)
        observed.violated(`RE1: ${row.runId} was to send ${row.resend.positions.length} updates and sent ${matched}`);
      const isServed = scenario.accounts.find(({ name }) => name === row.account)!.left === null;
      if (row.resend.atMs < scenario.faultsEndMs || !isServed || scenario.overSockets) continue;
      const got = new Set(positionsIn(world, row, endpoint, isSuccess)).size;
      const isHere = scenario.endpoints.find(({ name }) => name === endpoint)!.loopback && row.mode === 'live';
      const wanted = resendsSnapshots(row) ? matched - (skipped.filtered ?? 0) : matched;
      if (got !== wanted && !isHere)
        observed.violated(`I1: ${row.runId} delivered ${got} of ${matched} updates to a healthy receiver`);
    }
  }
}

function sourceOf({ observed }: World, { runId }: SeenAttempt): string {
  return observed.runs.get(runId)?.resend?.of ?? runId;
}
