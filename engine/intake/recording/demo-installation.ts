// Installs the built-in session as a session to replay, once for each version of it.

import { assert } from '#engine/base/assert.ts';
import type { Log } from '#engine/base/log.ts';
import {
  DEMO_SESSION_ID,
  DEMO_SESSION_VERSION,
  demoSessionFrames,
} from '#engine/intake/source/demo-session/demo-session.ts';
import { DERIVER_VERSION } from '#engine/racing/derive/deriver-version.ts';
import { describeSession } from '#engine/racing/derive/describe-session.ts';
import { F1 } from '#engine/racing/series/f1.ts';
import { RecordingReader } from './recording-reader.ts';
import type { RecordingStore } from './recording-store.ts';
import type { SessionCatalogue } from './session-catalogue.ts';
import { parseSessionId, type SessionId } from './session-id.ts';
import { importSession } from './session-import.ts';

/** Installs the built-in session unless this version is already there. Returns whether anything was written. */
export async function installDemoSession(
  dataDir: string,
  recordings: RecordingStore,
  catalogue: Pick<SessionCatalogue, 'find'>,
  log: Log,
): Promise<boolean> {
  const sessionId = parseSessionId(DEMO_SESSION_ID);
  assert(sessionId !== null, 'the id of the built-in session is a session id');
  // The catalogue counts updates, so another deriver version makes another installation.
  const origin = `built-in session ${DEMO_SESSION_VERSION}, deriver ${DERIVER_VERSION}`;
  if ((await recordedOrigin(recordings, sessionId)) === origin && (await catalogue.find(sessionId)) !== null)
    return false;
  const frames = demoSessionFrames();
  const described = describeSession(F1, frames);
  const order = { ...described, sessionId, name: 'Demonstration race', demo: true, origin };
  const entry = await importSession(dataDir, recordings, order, frames);
  log.info({ sessionId, updates: entry.updateCount }, 'installed the built-in session');
  return true;
}

/** The origin in the recording's head; null without a usable recording. */
async function recordedOrigin(recordings: RecordingStore, sessionId: SessionId): Promise<string | null> {
  try {
    const reader = RecordingReader.open(await recordings.fetch(sessionId));
    reader.close();
    return reader.head.origin;
  } catch {
    return null;
  }
}
