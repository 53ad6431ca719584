// Where finished recordings are kept. A service alone has them as files; the nodes of a cluster share them.

import { errorCode } from '#engine/storage/storage-error.ts';
import type { RecordingFingerprint } from '#engine/timeline/recording-fingerprint.ts';
import type { SessionEntry } from './session-catalogue.ts';
import type { SessionId } from './session-id.ts';

export interface KeptRecording {
  /** Another recording of the session has another one. */
  readonly version: string;
  /** The deriver version for which the nodes of a cluster prepare it; null if none was asked to, or without a cluster. */
  readonly preparedFor: number | null;
  /** What is derived from the recording names it. */
  fingerprint(): Promise<RecordingFingerprint>;
}

/** A complete, durable recording that is not the session's recording yet. */
export interface FinishedRecording {
  readonly file: string;
  /** Gives the file its final name in DATA_DIR. */
  readonly place: () => void;
}

/** Nobody can say now what is kept. It may be tried again. */
export class RecordingsUnreachable extends Error {
  override readonly name = 'RecordingsUnreachable';
  /** What the database said. */
  readonly code: string | undefined;

  constructor(cause: unknown) {
    super('the database with the recordings cannot be reached', { cause });
    this.code = errorCode(cause);
  }
}

/** All reads reject with RecordingsUnreachable while there is no answer. */
export interface RecordingStore {
  /** The session's present recording, wherever it is; null without one. Fetches nothing. */
  find(sessionId: SessionId): Promise<KeptRecording | null>;
  /** The same of many sessions, by session, with one question to the database. Those without one are left out. */
  findAll(sessionIds: readonly SessionId[]): Promise<ReadonlyMap<SessionId, KeptRecording>>;
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
