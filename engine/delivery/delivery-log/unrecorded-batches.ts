// What the database did not take from a stopping shard: kept in a file, and recorded by the next start.
//
// UR1 Batches are kept whole and in order, from the first unconfirmed one on: attempts, usage, latencies, and the
//     checkpoints that know of these attempts. So nothing that was made is forgotten, and nothing is made again.
// UR2 The database may have taken the first of them nevertheless, or may take it later. They keep writer and number, so
//     each is written once (G1). The file is removed when all of them are.
// UR3 They are recorded before the writers of earlier processes are fenced off, before runs resume, and before anything
//     else is recorded.
// UR4 They go only into the database that knows their writer and has everything that it committed before. In any other,
//     also in one restored from an earlier backup, the numbers of webhooks and runs may belong to others. The file
//     stays then: DATABASE_URL may be wrong.
// UR5 A file is bounded. What is not kept, cannot be read or is refused is reported with its number of attempts.
// UR6 A journal of the delivery log that is full (G7) is folded for them: nothing else folds it before the start.

import { UNRECORDED_FILE_BYTES_MAX, UNRECORDED_FILES_MAX } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import { errorCode, errorText } from '#engine/storage/storage-error.ts';
import { JournalFull, type RecordBatch, type RecordStore, type Writer } from './record-store.ts';
import {
  decodeBatches,
  encodeBatch,
  encodeHeader,
  HEADER_BYTES,
  OtherFormat,
  UnreadableBatches,
} from './unrecorded-format.ts';

/** The folder of these files. */
export interface UnrecordedFiles {
  /** For messages. */
  readonly folder: string;
  names(): readonly string[];
  /** Writes a file that is complete and durable once this returns. */
  write(name: string, parts: readonly Uint8Array[]): void;
  read(name: string): Uint8Array;
  /** The file is gone for good once this returns. */
  remove(name: string): void;
  /** Renames the file so that `names` omits it. Returns its new name. */
  setAside(name: string, reason: 'damaged' | 'refused'): string;
}

export interface UnrecordedParts {
  readonly files: UnrecordedFiles;
  readonly log: Log;
}

/** Keeps as many of a writer's batches as there is room for, from the first on. Returns how many. */
export function keepBatches({ files, log }: UnrecordedParts, batches: readonly RecordBatch[]): number {
  const parts: Uint8Array[] = [];
  let bytes = HEADER_BYTES;
  for (const batch of batches) {
    const part = encodeBatch(batch);
    bytes += part.length;
    if (bytes > UNRECORDED_FILE_BYTES_MAX) break;
    parts.push(part);
  }
  const name = nameOf(batches[0]!.writer);
  try {
    if (files.names().length >= UNRECORDED_FILES_MAX) throw new Error(`it has ${UNRECORDED_FILES_MAX} files already`);
    files.write(name, [encodeHeader(parts.length), ...parts]);
  } catch (error) {
    const lost = attemptsOf(batches);
    log.error(
      { folder: files.folder, attempts: lost, error: errorText(error) },
      'could not keep the attempts that the database did not take: they are not in the log, and are repeated',
    );
    return 0;
  }
  const attempts = attemptsOf(batches.slice(0, parts.length));
  log.warn(
    { folder: files.folder, name, attempts },
    'the database did not take the last attempts in time: the next start records them from a file',
  );
  const lost = attemptsOf(batches.slice(parts.length));
  if (parts.length < batches.length)
    log.error(
      { folder: files.folder, name, attempts: lost },
      'the file has no room for the rest of the attempts: they are not in the log, and are repeated',
    );
  return parts.length;
}

export interface WriterStore extends Pick<RecordStore, 'admit' | 'commit'> {
  /**
   * Returns the number of the last batch that this writer has committed here, 0 for none; null if this database does
   * not know the writer, or a later epoch or process has replaced it.
   */
  lastBatch(writer: Writer): Promise<number | null>;
}

export interface RecordingParts extends UnrecordedParts {
  readonly store: WriterStore;
  /** Folds some of the journal. */
  readonly fold: () => Promise<unknown>;
}

/**
 * Records what the last process has kept. Rejects if the database fails meanwhile: the files stay for another start,
 * and nothing is recorded twice.
 */
export async function recordKept(parts: RecordingParts): Promise<void> {
  for (const name of parts.files.names()) await recordFile(parts, name);
}

async function recordFile(parts: RecordingParts, name: string): Promise<void> {
  const { files, log } = parts;
  let obstacle: string | null = null;
  let attempts = 0;
  let left = 0;
  try {
    for (const batch of decodeBatches(files.read(name))) {
      obstacle ??= await obstacleTo(parts, batch);
      if (obstacle === null) {
        await parts.store.admit(batch.writer);
        await commit(parts, batch);
        attempts += batch.attempts.length;
      } else {
        left += batch.attempts.length;
      }
    }
  } catch (error) {
    if (error instanceof OtherFormat) {
      obstacle = `${error.message}. Start that version`;
    } else {
      const reason = error instanceof UnreadableBatches ? 'damaged' : 'refused';
      if (reason === 'refused' && !isRefusal(error)) throw error;
      const aside = files.setAside(name, reason);
      log.error(
        { folder: files.folder, name: aside, recorded: attempts, error: errorText(error) },
        'could not record all attempts of a file: the rest is not in the log, and the file is kept under this name',
      );
      return;
    }
  }
  if (obstacle !== null) {
    log.error({ folder: files.folder, name, attempts: left }, `did not record the attempts of a file: ${obstacle}`);
    return;
  }
  files.remove(name);
  log.info({ name, attempts }, 'recorded the attempts that the last process had kept in a file');
}

/** UR6 */
async function commit({ store, fold }: RecordingParts, batch: RecordBatch): Promise<void> {
  for (;;) {
    try {
      return await store.commit(batch);
    } catch (error) {
      if (!(error instanceof JournalFull)) throw error;
      await fold();
    }
  }
}

/** UR4 */
async function obstacleTo({ store }: RecordingParts, { writer, batchNo }: RecordBatch): Promise<string | null> {
  const last = await store.lastBatch(writer);
  if (last === null)
    return 'this database does not know the process that made them, or another service has used it since. Correct DATABASE_URL and start again; if it is right, move the file away';
  if (last < batchNo - 1)
    return 'this database lacks what was recorded before them: it was restored from an earlier backup. Move the file away';
  return null;
}

/** Whether the database will never take it: its values are invalid. */
function isRefusal(error: unknown): boolean {
  return /^2[23]/.test(errorCode(error) ?? '');
}

function attemptsOf(batches: readonly RecordBatch[]): number {
  return batches.reduce((sum, batch) => sum + batch.attempts.length, 0);
}

function nameOf({ name, epoch }: Writer): string {
  return `${name.replaceAll(/[^\w-]/g, '-')}-${epoch}`;
}
