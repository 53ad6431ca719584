// What the updates of a session are for the receiver: live, or a replay. A recorded session is prepared on the way.

import { setTimeout as pause } from 'node:timers/promises';
import { type GetPreparationAnswer, type SlipstreamClient, SlipstreamError } from '#api/client/slipstream-client.ts';
import { newId } from '#engine/base/ids.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import type { ForwardedRun } from './forwarder.ts';
import { LIVE, type ListenSettings } from './listen-settings.ts';

const POLL_MS = 500;
const DEFAULT_SPEED = 1;

/**
 * Returns the replay that streaming the session is: each time another, as with replays to endpoints. Null: the session is
 * live. `onProgress` gets the part of it that is prepared. Rejects with a SlipstreamError, or with the signal's reason.
 */
export async function subjectOf(
  client: SlipstreamClient,
  { session, speed }: Pick<ListenSettings, 'session' | 'speed'>,
  onProgress: (part: number) => void,
  signal: AbortSignal,
): Promise<ForwardedRun> {
  let state = session === LIVE ? null : await preparationOf(client, session, signal);
  if (state === null) return null;
  if (state.status !== 'ready') state = await client.prepareSession({ sessionId: session }, { signal });
  // A preparation that fails is for the stream to report.
  while (state !== null && state.status !== 'ready' && state.status !== 'failed') {
    onProgress(state.progress);
    await pause(POLL_MS);
    signal.throwIfAborted();
    state = await preparationOf(client, session, signal);
  }
  return { runId: newId('run', Date.now(), systemRandomBytes), speed: speed ?? DEFAULT_SPEED };
}

/** Null for a session that is not recorded: it is live, or the stream will be refused. */
async function preparationOf(
  client: SlipstreamClient,
  session: string,
  signal: AbortSignal,
): Promise<GetPreparationAnswer | null> {
  try {
    return await client.getPreparation({ session }, { signal });
  } catch (error) {
    if (error instanceof SlipstreamError && error.status === 404) return null;
    throw error;
  }
}
