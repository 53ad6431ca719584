// A file that arrives over the network, possibly in several parts: `NAME.part` until it is complete. `NAME.part.tag`
// beside it holds the server's tag for this version (a strong ETag, else Last-Modified). Without the tag, a later part
// could belong to another version.

import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { DOWNLOAD_FILE_BYTES_MAX } from '#engine/base/limits.ts';
import { quoted } from '#engine/base/quoted-text.ts';
import { SourceError } from '#engine/base/source-error.ts';
import type { ArchiveResponse } from './archive-client.ts';

const LATER = 'Try again later; if that does not help, the archive has changed';
/** How the file of a topic begins. An error page does not match. */
const STREAM_BEGINNING = /^(?:\ufeff?\s*$|\ufeff?\d\d:\d\d:\d\d)/;
const BEGINNING_BYTES = 11;

export class PartialFile {
  readonly #target: string;
  readonly #part: string;
  readonly #tagFile: string;

  constructor(target: string) {
    this.#target = target;
    this.#part = `${target}.part`;
    this.#tagFile = `${target}.part.tag`;
  }

  /** Headers that request the rest of a partial file; none if it cannot be resumed. */
  resumption(): Readonly<Record<string, string>> {
    const bytes = this.#bytes();
    if (bytes === 0 || !existsSync(this.#tagFile)) return {};
    return { range: `bytes=${bytes}-`, 'if-range': readFileSync(this.#tagFile, 'utf8') };
  }

  startOver(): void {
    rmSync(this.#part, { force: true });
    rmSync(this.#tagFile, { force: true });
  }

  /**
   * Writes the response, complete (200) or the rest (206), as it arrives. `onBytes` gets the size of the file so far.
   */
  async take(url: string, response: ArchiveResponse, onBytes: (bytes: number) => void): Promise<void> {
    const encoding = response.header('content-encoding');
    if (encoding !== null && encoding !== 'identity') {
      await response.discard();
      throw new SourceError(url, `it is encoded as ${quoted(encoding)}, which was not requested`, LATER);
    }
    const start = response.status === 206 ? this.#restStart(response) : 0;
    if (start === null) {
      await response.discard();
      this.startOver();
      throw Object.assign(new Error('the archive sends another part than requested'), { code: 'OTHER_PART' });
    }
    if (start === 0) this.#saveTag(response);
    const total = totalOf(response, start);
    if (total !== null && total > DOWNLOAD_FILE_BYTES_MAX) {
      await response.discard();
      throw new SourceError(url, `it has ${total} bytes`, `At most ${DOWNLOAD_FILE_BYTES_MAX} are downloaded`);
    }
    const file = openSync(this.#part, start === 0 ? 'w' : 'r+');
    try {
      ftruncateSync(file, start);
      let bytes = start;
      for await (const chunk of response.body) {
        if (bytes + chunk.length > DOWNLOAD_FILE_BYTES_MAX) {
          throw new SourceError(url, `it has more than ${DOWNLOAD_FILE_BYTES_MAX} bytes`, 'No topic is that long');
        }
        for (let written = 0; written < chunk.length; ) {
          written += writeSync(file, chunk, written, chunk.length - written, bytes + written);
        }
        bytes += chunk.length;
        onBytes(bytes);
      }
      if (total !== null && bytes !== total) {
        throw Object.assign(new Error('the connection broke off'), { code: 'BROKEN_OFF' });
      }
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  }

  /** Gives the complete file its final name and returns its size. Throws a SourceError for an error page. */
  publish(url: string): number {
    const beginning = this.#beginning();
    if (!STREAM_BEGINNING.test(beginning)) {
      this.startOver();
      throw new SourceError(url, `it begins with ${quoted(beginning)}, not with a time`, LATER);
    }
    const bytes = this.#bytes();
    rmSync(this.#tagFile, { force: true });
    renameSync(this.#part, this.#target);
    return bytes;
  }

  /** Where the part begins, in bytes, or null when it is not the requested one. */
  #restStart(response: ArchiveResponse): number | null {
    const start = Number(/^bytes (\d+)-/.exec(response.header('content-range') ?? '')?.[1] ?? Number.NaN);
    return start === this.#bytes() ? start : null;
  }

  #saveTag(response: ArchiveResponse): void {
    const etag = response.header('etag');
    const tag = etag !== null && !etag.startsWith('W/') ? etag : response.header('last-modified');
    if (tag === null) rmSync(this.#tagFile, { force: true });
    else writeFileSync(this.#tagFile, tag);
  }

  #bytes(): number {
    return statSync(this.#part, { throwIfNoEntry: false })?.size ?? 0;
  }

  #beginning(): string {
    const file = openSync(this.#part, 'r');
    try {
      const head = Buffer.alloc(BEGINNING_BYTES);
      return head.toString('utf8', 0, readSync(file, head, 0, head.length, 0));
    } finally {
      closeSync(file);
    }
  }
}

/** Size of the complete file, if the response states it. A server may send less of the rest than was requested. */
function totalOf(response: ArchiveResponse, start: number): number | null {
  const range = response.status === 206 ? /\/(\d+)$/.exec(response.header('content-range') ?? '') : null;
  if (range !== null) return Number(range[1]);
  const length = response.header('content-length');
  return length !== null && /^\d+$/.test(length) ? start + Number(length) : null;
}
