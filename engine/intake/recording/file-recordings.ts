// The recordings of a service alone: the files of its DATA_DIR.

import { LRUCache } from 'lru-cache';
import { type FileIdentity, fileIdentity } from '#engine/base/file-identity.ts';
import { ARTIFACT_CHECKS_CACHED_MAX } from '#engine/base/limits.ts';
import { RecordingError } from '#engine/base/recording-error.ts';
import { fingerprintRecording, type RecordingFingerprint } from '#engine/timeline/recording-fingerprint.ts';
import { recordingFile } from './recording-import.ts';
import type { FinishedRecording, KeptRecording, RecordingStore } from './recording-store.ts';
import type { SessionCatalogue, SessionEntry } from './session-catalogue.ts';
import type { SessionId } from './session-id.ts';

export class FileRecordings implements RecordingStore {
  readonly #dataDir: string;
  readonly #catalogue: Pick<SessionCatalogue, 'put'>;
  readonly #fingerprints = new LRUCache<FileIdentity, Promise<RecordingFingerprint>>({
    max: ARTIFACT_CHECKS_CACHED_MAX,
  });

  constructor(dataDir: string, catalogue: Pick<SessionCatalogue, 'put'>) {
    this.#dataDir = dataDir;
    this.#catalogue = catalogue;
  }

  async find(sessionId: SessionId): Promise<KeptRecording | null> {
    const file = recordingFile(this.#dataDir, sessionId);
    const version = await fileIdentity(file);
    return version === null
      ? null
      : { version, preparedFor: null, fingerprint: () => this.#fingerprint(file, version) };
  }

  async findAll(sessionIds: readonly SessionId[]): Promise<ReadonlyMap<SessionId, KeptRecording>> {
    const found = await Promise.all(
      sessionIds.map(async (sessionId) => [sessionId, await this.find(sessionId)] as const),
    );
    return new Map(found.flatMap(([sessionId, kept]) => (kept === null ? [] : [[sessionId, kept]])));
  }

  async fetch(sessionId: SessionId): Promise<string> {
    const file = recordingFile(this.#dataDir, sessionId);
    if ((await fileIdentity(file)) !== null) return file;
    throw new RecordingError('missing', `there is no recording of ${sessionId}`);
  }

  async publish(entry: SessionEntry, { place }: FinishedRecording): Promise<void> {
    let isPlaced = false;
    try {
      await this.#catalogue.put(entry, () => {
        place();
        isPlaced = true;
      });
    } catch (error) {
      if (!isPlaced) throw error;
      // Whether the entry was committed is not known, and the recording is in its place: its entry is put once more.
      await this.#catalogue.put(entry, () => {});
    }
  }

  #fingerprint(file: string, version: FileIdentity): Promise<RecordingFingerprint> {
    let fingerprint = this.#fingerprints.get(version);
    if (fingerprint === undefined) {
      fingerprint = fingerprintRecording(file);
      fingerprint.catch(() => this.#fingerprints.delete(version));
      this.#fingerprints.set(version, fingerprint);
    }
    return fingerprint;
  }
}
