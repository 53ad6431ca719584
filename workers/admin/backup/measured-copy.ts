// Copies that count and hash the bytes on their way. The files are durable once they are closed.

import { createHash, type Hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StorageError } from '#engine/storage/storage-error.ts';
import { openPlainFile, PRIVATE_FILE } from './backup-folder.ts';

export interface Measured {
  readonly bytes: number;
  readonly sha256: string;
}

/** Passes all bytes through; counts and hashes them. */
export class Meter extends Transform {
  bytes = 0;
  readonly hash: Hash = createHash('sha256');

  override _transform(chunk: Buffer, _encoding: string, done: (error: null, chunk: Buffer) => void): void {
    this.bytes += chunk.length;
    this.hash.update(chunk);
    done(null, chunk);
  }

  measured(): Measured {
    return { bytes: this.bytes, sha256: this.hash.digest('hex') };
  }
}

/** Writes the stream to a new file that only this user can read. */
export async function writeMeasured(
  source: Readable,
  through: readonly Transform[],
  path: string,
  signal: AbortSignal,
): Promise<Measured> {
  const meter = new Meter();
  const file = createWriteStream(path, { flags: 'wx', mode: PRIVATE_FILE, flush: true });
  await pipeline([source, ...through, meter, file], { signal });
  return meter.measured();
}

/** Copies a file up to its present length, also when it grows meanwhile. */
export async function copyMeasured(from: string, to: string, signal: AbortSignal): Promise<Measured> {
  const file = await openPlainFile(from);
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw new StorageError(`${from} is not a plain file.`);
    const content =
      stat.size === 0 ? Readable.from([]) : file.createReadStream({ end: stat.size - 1, autoClose: false });
    return await writeMeasured(content, [], to, signal);
  } finally {
    await file.close();
  }
}

/** Reads a file of a backup. Throws a StorageError when its length or hash differs from what was written. */
export async function verifyMeasured(path: string, expected: Measured, signal: AbortSignal): Promise<void> {
  const hash = createHash('sha256');
  let bytes = 0;
  const file = await openPlainFile(path);
  try {
    for await (const chunk of file.createReadStream({ autoClose: false, signal })) {
      hash.update(chunk);
      bytes += chunk.length;
    }
  } finally {
    await file.close();
  }
  if (bytes !== expected.bytes || hash.digest('hex') !== expected.sha256) {
    throw new StorageError(
      `${path} is damaged: its content has changed since the backup. Restore from another backup.`,
    );
  }
}
