// Where finished recordings are kept. A service alone has them as files; the nodes of a cluster share them.

import type { RecordingFingerprint } from '#engine/timeline/recording-fingerprint.ts';
import type { SessionEntry } from './session-catalogue.ts';
import type { SessionId } from './session-id.ts';

export interface KeptRecording {
  /** Another recording of the session has another one. */
  readonly version: string;
  /** What is derived from the recording names it. */
  fingerprint(): Promise<RecordingFingerprint>;
}

/** A complete, durable recording that is not the session's recording yet. */
export interface FinishedRecording {
  readonly file: string;
  /** Gives the file its final name in DATA_DIR. */
  readonly place: () => void;
}

export interface RecordingStore {
  /** The session's present recording, wherever it is; null without one. Fetches nothing. */
  find(sessionId: SessionId): Promise<KeptRecording | null>;
  /**
   * The path of the session's present recording on this machine. Fetches it first if it is not here: callers that ask at the
   * same time share that. Rejects with a RecordingError.
   */
  fetch(sessionId: SessionId): Promise<string>;
  /**
   * Makes it the session's recording, in the place of an earlier one, together with its entry in the catalogue. If this
   * rejects, either all has changed or nothing, and the caller may try again.
   */
  publish(entry: SessionEntry, recording: FinishedRecording): Promise<void>;
}
