// The artifact of a session that a customer has prepared.

import { ApiError } from '#api/http/api-error.ts';
import { ArtifactsFull } from '#engine/intake/playback/open-artifacts.ts';
import type { OpenArtifact, PlaybackLibrary } from '#engine/intake/playback/playback-library.ts';

/** Opens it. Rejects with an ApiError when it is not ready, or when there is no room for it. */
export async function readyArtifact(
  library: Pick<PlaybackLibrary, 'open' | 'status'>,
  sessionId: string,
): Promise<OpenArtifact> {
  const opened = await withRoom(library.open(sessionId));
  if (opened !== null) return opened;
  const { status } = await library.status(sessionId);
  if (status === 'failed')
    throw new ApiError('not_prepared', 'The last preparation of this session failed: prepare it again.');
  throw new ApiError(status === 'preparing' ? 'preparing' : 'not_prepared');
}

/** Rejects with an ApiError when there is no room for the artifact. */
export async function withRoom<Opened>(opening: Promise<Opened>): Promise<Opened> {
  return opening.catch((error: Error) => {
    if (!(error instanceof ArtifactsFull)) throw error;
    throw new ApiError('unavailable', 'Replays of too many different sessions are running.', { 'retry-after': '60' });
  });
}
