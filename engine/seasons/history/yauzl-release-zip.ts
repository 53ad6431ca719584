// Unpacks the zip of a release. Its tables are at the root of the zip. Only files named like a table are written, so no
// name in a zip can escape the folder. The number and size of files are bounded, whatever the zip claims.

import { createWriteStream } from 'node:fs';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import {
  HISTORY_BYTES_MAX,
  HISTORY_ZIP_BYTES_MAX,
  HISTORY_ZIP_ENTRIES_MAX,
  SOURCE_FILE_BYTES_MAX,
} from '#engine/base/limits.ts';
import { SourceError } from '#engine/base/source-error.ts';

const TABLE = /^f1db-[a-z0-9-]+\.csv$/;
const ADVICE = 'Check that this is f1db-csv.zip, and download it again; nothing was imported';
/** Errors of the disk, which another zip would not fix. */
const DISK = /^(ENOSPC|EDQUOT|EACCES|EPERM|EROFS|EIO|ENOENT|EMFILE)$/;

/**
 * Writes the tables into `folder`, which must be empty. Throws a SourceError if the zip is damaged or not a release.
 */
export async function unpackRelease(path: string, folder: string, signal: AbortSignal): Promise<void> {
  const name = basename(path);
  try {
    const zip = await openPromise(path);
    try {
      await unpack(zip, name, folder, signal);
    } finally {
      zip.close();
    }
  } catch (error) {
    signal.throwIfAborted();
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (error instanceof SourceError) throw error;
    throw new SourceError(
      name,
      `it cannot be unpacked (${message})`,
      DISK.test(code) ? 'Nothing was imported' : ADVICE,
    );
  }
}

async function unpack(zip: ZipFile, name: string, folder: string, signal: AbortSignal): Promise<void> {
  if (zip.fileSize > HISTORY_ZIP_BYTES_MAX) throw tooLarge(name, `${zip.fileSize} bytes`, HISTORY_ZIP_BYTES_MAX);
  if (zip.entryCount > HISTORY_ZIP_ENTRIES_MAX)
    throw tooLarge(name, `${zip.entryCount} files`, HISTORY_ZIP_ENTRIES_MAX);
  const unpacked = new Set<string>();
  let bytes = 0;
  for await (const entry of zip.eachEntry()) {
    if (!TABLE.test(entry.fileName)) continue;
    const where = `${name}/${entry.fileName}`;
    if (unpacked.has(entry.fileName)) throw new SourceError(where, 'it appears twice', ADVICE);
    unpacked.add(entry.fileName);
    bytes += entry.uncompressedSize;
    if (entry.uncompressedSize > SOURCE_FILE_BYTES_MAX || bytes > HISTORY_BYTES_MAX) {
      throw tooLarge(where, `${bytes} bytes with the files before it`, HISTORY_BYTES_MAX);
    }
    await unpackEntry(zip, entry, where, folder, signal);
  }
  if (unpacked.size === 0) throw new SourceError(name, 'there is no f1db-*.csv at its root', ADVICE);
}

/** The zip library checks the announced length of the file. This function checks its checksum. */
async function unpackEntry(
  zip: ZipFile,
  entry: Entry,
  where: string,
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  let checksum = 0;
  const content = await zip.openReadStreamPromise(entry);
  await pipeline(
    content,
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        checksum = crc32(chunk, checksum);
        yield chunk;
      }
    },
    createWriteStream(join(folder, entry.fileName), { flags: 'wx' }),
    { signal },
  );
  if (checksum !== entry.crc32) throw new SourceError(where, 'its checksum is wrong', ADVICE);
}

function tooLarge(where: string, found: string, most: number): SourceError {
  return new SourceError(where, `it has ${found}, more than ${most}`, ADVICE);
}
