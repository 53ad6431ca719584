// Writes a bundle as one compressed archive. It appears when it is complete; one that fails or is interrupted leaves
// nothing.

import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { StagedFile } from '#engine/base/staged-file.ts';
import type { BundleContents } from './bundle-contents.ts';
import { tarArchive } from './tar-archive.ts';

export interface WriteOptions {
  /** Of compression, from 0 to 9. */
  readonly level: number;
  readonly signal: AbortSignal;
  progress(line: string): void;
}

export interface WrittenBundle {
  readonly file: string;
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** Rejects with the reason of the signal when it is aborted. */
export async function writeBundle(
  { name, entries, bytes }: BundleContents,
  folder: string,
  { level, signal, progress }: WriteOptions,
): Promise<WrittenBundle> {
  const file = join(folder, `${name}.tar.gz`);
  const staged = new StagedFile(file);
  const hash = createHash('sha256');
  let read = 0;
  try {
    // Opened before anything can be interrupted: a stream that opens its file could make it after it was discarded.
    const archive = await open(staged.temporary, 'wx', 0o644);
    await pipeline(
      tarArchive(entries),
      async function* (chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          read += chunk.length;
          progress(`packing: ${Math.min(99, Math.floor((100 * read) / Math.max(1, bytes)))} %`);
          yield chunk;
        }
      },
      createGzip({ level }),
      async function* (chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          hash.update(chunk);
          yield chunk;
        }
      },
      archive.createWriteStream({ flush: true }),
      { signal },
    );
  } catch (error) {
    staged.discard();
    signal.throwIfAborted();
    throw error;
  }
  staged.publish();
  return { file, bytes: statSync(file).size, sha256: hash.digest('hex') };
}
