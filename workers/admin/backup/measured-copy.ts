// Streams whose bytes are counted and hashed on their way, into files that are durable when they are closed.

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

/** Passes everything on; `bytes` and `hash` are of what has passed. */
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

/** Writes everything to a new file of ours alone. */
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

/** Copies a file as long as it is now; one that grows meanwhile is copied up to there. */
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

/** Reads a file of a backup whole; throws a StorageError when it is not the one that was written. */
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
    throw new StorageError(`${path} is damaged: it is not what was written. Restore from another backup.`);
  }
}
