// Whose updates a resend sends again: a replay, or the live delivery of a session, each together with its resends. They
// share their delivery ids, so what one of them has delivered is delivered.

import { ApiError } from '#api/http/api-error.ts';
import { quoted } from '#engine/base/quoted-text.ts';
import { deliveryIdPrefix, parseDeliveryId } from '#engine/delivery/sign/delivery-headers.ts';
import { sequenceOf } from '#engine/timeline/timeline.ts';
import type { ResendStore, SourceRun } from './resend-store.ts';

export interface ResendSource {
  readonly mode: 'live' | 'replay';
  readonly sessionId: string;
  /** Null: of live delivery. */
  readonly replayId: string | null;
  /** Not the resends of it. Several only if a live session has come back after its end. */
  readonly firsts: readonly SourceRun[];
  readonly runs: readonly SourceRun[];
}

type Store = Pick<ResendStore, 'sources'>;
interface Endpoint {
  readonly accountId: string;
  readonly webhookId: string;
}

/** The live delivery of a session to this endpoint. */
export async function liveSource(store: Store, endpoint: Endpoint, sessionId: string): Promise<ResendSource> {
  const source = await liveFamily(store, endpoint, sessionId);
  if (source === null)
    throw new ApiError(
      'not_found',
      'This endpoint took no part in live delivery of such a session: for a replay, give its runId.',
    );
  return source;
}

/** Null if the endpoint took no part in it, or if it is no longer kept. */
export async function liveFamily(store: Store, endpoint: Endpoint, sessionId: string): Promise<ResendSource | null> {
  return familyOf(await store.sources(endpoint.accountId, endpoint.webhookId, sessionId), null, sessionId);
}

/** The source of what this run has sent to the endpoint. */
export async function runSource(store: Store, endpoint: Endpoint, runId: string): Promise<ResendSource> {
  const runs = await store.sources(endpoint.accountId, endpoint.webhookId, null);
  const named = runs.find((run) => run.runId === runId);
  const source = named === undefined ? null : familyOf(runs, named.replayId, named.sessionId);
  if (source === null)
    throw new ApiError('not_found', 'This endpoint took no part in such a run: GET /v1/simulate/runs lists them.');
  return source;
}

/** The one source of all these deliveries, and their positions, rising. */
export async function deliverySource(
  store: Store,
  endpoint: Endpoint,
  deliveryIds: readonly string[],
): Promise<{ readonly source: ResendSource; readonly positions: Uint32Array }> {
  const runs = await store.sources(endpoint.accountId, endpoint.webhookId, null);
  const byPrefix = new Map<string, SourceRun>();
  for (const run of runs) {
    const scope = run.mode === 'live' ? run.sessionId : run.replayId!;
    byPrefix.set(deliveryIdPrefix(run.mode, scope, endpoint.webhookId), run);
  }
  const positions = new Set<number>();
  let idPrefix: string | null = null;
  for (const id of deliveryIds) {
    const parsed = parseDeliveryId(id);
    if (parsed === null || parsed.sequence < 1 || !byPrefix.has(parsed.idPrefix))
      throw new ApiError('not_found', `This endpoint has no delivery ${quoted(id)} whose run is still kept.`);
    idPrefix ??= parsed.idPrefix;
    if (parsed.idPrefix !== idPrefix)
      throw new ApiError(
        'invalid_body',
        `deliveryIds: ${quoted(id)} is of another run than ${quoted(deliveryIds[0]!)}; send a request for each run`,
      );
    positions.add(parsed.sequence - sequenceOf(0));
  }
  const { replayId, sessionId } = byPrefix.get(idPrefix!)!;
  const source = familyOf(runs, replayId, sessionId);
  if (source === null) throw new ApiError('not_found', 'The run of these deliveries is no longer kept.');
  return { source, positions: Uint32Array.from(positions).sort() };
}

function familyOf(runs: readonly SourceRun[], replayId: string | null, sessionId: string): ResendSource | null {
  const family = runs.filter((run) => run.replayId === replayId && run.sessionId === sessionId);
  const firsts = family.filter(({ isResend }) => !isResend);
  if (firsts.length === 0) return null;
  return { mode: firsts[0]!.mode, sessionId, replayId, firsts, runs: family };
}
