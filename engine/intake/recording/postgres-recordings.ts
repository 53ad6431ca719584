// The recordings of a cluster: rows of its database, and on each node a file of those that it has needed.
//
// The rows are the truth. A file counts while its digest is that of the rows; otherwise it is fetched again. So a node may
// lose its disk, and no node plays a recording that another node has replaced.

import { LRUCache } from 'lru-cache';
import type { Clock } from '#engine/base/clock.ts';
import { FairTurns } from '#engine/base/fair-turns.ts';
import { type FileIdentity, fileIdentity, sizeOf } from '#engine/base/file-identity.ts';
import { KeyedMutex } from '#engine/base/keyed-mutex.ts';
import { ARTIFACT_CHECKS_CACHED_MAX, RECORDINGS_FETCHED_AT_ONCE_MAX } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import { RecordingError } from '#engine/base/recording-error.ts';
import { StagedFile } from '#engine/base/staged-file.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import { AppendedFile } from './appended-file.ts';
import { type RecordingRow, recordingPieces, recordingRows, writeRecording } from './postgres-recording-rows.ts';
import { putSession } from './postgres-session-catalogue.ts';
import { digestFile, type RecordingDigest, sameDigest } from './recording-digest.ts';
import { recordingFile } from './recording-import.ts';
import {
  type FinishedRecording,
  type KeptRecording,
  type RecordingStore,
  RecordingsUnreachable,
} from './recording-store.ts';
import type { SessionEntry } from './session-catalogue.ts';
import type { SessionId } from './session-id.ts';

/** How often a copy says how far it is. */
const PROGRESS_MS = 1_000;

export interface PostgresRecordingsParts {
  readonly sql: Sql;
  readonly dataDir: string;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly log: Log;
}

export class PostgresRecordings implements RecordingStore {
  readonly #parts: PostgresRecordingsParts;
  readonly #digests = new LRUCache<FileIdentity, RecordingDigest>({ max: ARTIFACT_CHECKS_CACHED_MAX });
  readonly #sessions = new KeyedMutex();
  readonly #turns = new FairTurns(RECORDINGS_FETCHED_AT_ONCE_MAX);

  constructor(parts: PostgresRecordingsParts) {
    this.#parts = parts;
  }

  async find(sessionId: SessionId): Promise<KeptRecording | null> {
    return (await this.findAll([sessionId])).get(sessionId) ?? null;
  }

  async findAll(sessionIds: readonly SessionId[]): Promise<ReadonlyMap<SessionId, KeptRecording>> {
    const rows = await recordingRows(this.#parts.sql, sessionIds).catch(unreachable);
    return new Map(
      rows.map(({ sessionId, recordingNo, preparedFor, bytes, crc }) => [
        sessionId as SessionId,
        { version: String(recordingNo), preparedFor, fingerprint: async () => ({ bytes, crc }) },
      ]),
    );
  }

  fetch(sessionId: SessionId): Promise<string> {
    return this.#sessions.run(sessionId, () => this.#fetch(sessionId)).catch(unreachable);
  }

  async publish(entry: SessionEntry, { file, place }: FinishedRecording): Promise<void> {
    const { sessionId } = entry;
    const digest = await digestFile(file);
    const report = this.#progress('writing a recording to the database', sessionId, digest.bytes);
    await this.#parts.sql.begin(async (transaction) => {
      // Holds the session: one recording of it is written at a time.
      await putSession(transaction, entry);
      const [present] = await recordingRows(transaction, sessionId);
      if (present === undefined || !sameDigest(present, digest))
        await writeRecording(transaction, sessionId, file, digest, report);
    });
    // From here on the file is only a copy: if this fails, it is fetched.
    place();
  }

  async #fetch(sessionId: SessionId): Promise<string> {
    const file = recordingFile(this.#parts.dataDir, sessionId);
    let [row] = await recordingRows(this.#parts.sql, sessionId);
    while (row !== undefined) {
      if (await this.#isHere(file, row)) return file;
      const wanted = row;
      const failure = await this.#turns.run(sessionId, () => this.#copy(wanted, file)).result.catch((error) => error);
      if (failure === undefined) return file;
      [row] = await recordingRows(this.#parts.sql, sessionId);
      // Another recording has replaced it, and its pieces were removed under our hands.
      if (row?.recordingNo === wanted.recordingNo) throw failure;
    }
    throw new RecordingError('missing', `there is no recording of ${sessionId}`);
  }

  async #isHere(file: string, row: RecordingRow): Promise<boolean> {
    const identity = await fileIdentity(file);
    if (identity === null || sizeOf(identity) !== row.bytes) return false;
    let digest = this.#digests.get(identity);
    if (digest === undefined) {
      digest = await digestFile(file);
      this.#digests.set(identity, digest);
    }
    return sameDigest(digest, row);
  }

  /** The file appears once all of it was checked and is durable. */
  async #copy(row: RecordingRow, file: string): Promise<void> {
    const { clock, log, sql } = this.#parts;
    const { sessionId, bytes } = row;
    const startMs = clock.nowMs();
    const report = this.#progress('fetching a recording', sessionId, bytes);
    const staged = new StagedFile(file);
    try {
      const copy = AppendedFile.open(staged.temporary, 'wx');
      try {
        for await (const piece of recordingPieces(sql, row)) {
          copy.write(piece);
          report(copy.bytes);
        }
        await copy.syncWritten();
      } finally {
        copy.close();
      }
    } catch (error) {
      staged.discard();
      throw error;
    }
    staged.publish();
    const identity = await fileIdentity(file);
    if (identity !== null) this.#digests.set(identity, row);
    log.info({ sessionId, bytes, tookMs: Math.round(clock.nowMs() - startMs) }, 'fetched a recording');
  }

  /** Logs how far a copy is, now and then. */
  #progress(what: string, sessionId: string, bytes: number): (bytesDone: number) => void {
    const { clock, log } = this.#parts;
    let loggedMs = clock.nowMs();
    return (bytesDone) => {
      const nowMs = clock.nowMs();
      if (nowMs - loggedMs < PROGRESS_MS) return;
      loggedMs = nowMs;
      log.info({ sessionId, bytesDone, bytes }, what);
    };
  }
}

/** What is no error of a recording or a file is one of the database. */
function unreachable(error: unknown): never {
  throw error instanceof RecordingError ? error : new RecordingsUnreachable(error);
}
