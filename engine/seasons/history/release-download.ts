// Downloads the zip of a release. Release hosts redirect, so a few redirects are followed. The file is small, so a
// failed download is not resumed: the operator runs the command again.

import { open } from 'node:fs/promises';
import { HISTORY_REDIRECTS_MAX, HISTORY_ZIP_BYTES_MAX } from '#engine/base/limits.ts';
import { SourceError } from '#engine/base/source-error.ts';
import type { ArchiveClient, ArchiveResponse } from '#engine/intake/source/archive-download/archive-client.ts';

export interface ReleaseDownload {
  readonly client: ArchiveClient;
  readonly signal: AbortSignal;
  onProgress(bytes: number): void;
}

const CHECK_ADDRESS =
  'Check the address: https://github.com/f1db/f1db/releases lists the releases, each with a f1db-csv.zip';

/** Returns the problem with the address, worded to follow the address. Null: the address is valid. */
export function releaseAddressProblem(text: string): string | null {
  const url = URL.parse(text);
  if (url === null) return 'this is no URL';
  const { protocol, username, password } = url;
  if (protocol !== 'https:' && protocol !== 'http:') return 'it must begin with https:// or http://';
  return username === '' && password === '' ? null : 'it must not hold a user name or a password';
}

/** Downloads the address to a new file. Throws a SourceError when the download fails. */
export async function downloadRelease(address: string, target: string, download: ReleaseDownload): Promise<void> {
  const { client, signal } = download;
  let url = address;
  for (let redirects = 0; redirects <= HISTORY_REDIRECTS_MAX; redirects++) {
    const response = await describingFailures(url, signal, () => client.get(url, {}, signal));
    if (response.status === 200) return await write(url, response, target, download);
    await response.discard();
    if (![301, 302, 303, 307, 308].includes(response.status)) {
      throw new SourceError(url, `the server responded with status ${response.status}`, CHECK_ADDRESS);
    }
    url = redirected(url, response.header('location'));
  }
  throw new SourceError(address, `it redirects more than ${HISTORY_REDIRECTS_MAX} times`, CHECK_ADDRESS);
}

function redirected(from: string, location: string | null): string {
  const to = (location === null ? null : URL.parse(location, from))?.href ?? '';
  const insecure = from.startsWith('https:') && !to.startsWith('https:');
  if (releaseAddressProblem(to) !== null || insecure) {
    throw new SourceError(from, `it redirects to ${JSON.stringify(location)}, which is not allowed`, CHECK_ADDRESS);
  }
  return to;
}

async function write(url: string, answer: ArchiveResponse, target: string, download: ReleaseDownload): Promise<void> {
  const file = await open(target, 'wx');
  try {
    let bytes = 0;
    const chunks = answer.body[Symbol.asyncIterator]();
    for (;;) {
      const { done, value: chunk } = await describingFailures(url, download.signal, () => chunks.next());
      if (done) return;
      bytes += chunk.length;
      if (bytes > HISTORY_ZIP_BYTES_MAX) {
        throw new SourceError(url, `it has more than ${HISTORY_ZIP_BYTES_MAX} bytes`, CHECK_ADDRESS);
      }
      await file.appendFile(chunk).catch((error: Error) => {
        throw new SourceError(url, `writing it failed (${error.message})`, 'Nothing was imported');
      });
      download.onProgress(bytes);
    }
  } finally {
    // A body that is not read to its end would keep the connection open.
    await answer.discard();
    await file.close();
  }
}

/** Runs a network operation and turns its failure into a SourceError. An abort is rethrown as it is. */
async function describingFailures<Result>(
  url: string,
  signal: AbortSignal,
  operation: () => Promise<Result>,
): Promise<Result> {
  try {
    return await operation();
  } catch (error) {
    signal.throwIfAborted();
    const { code, name, message } = error as NodeJS.ErrnoException;
    const reason = message === '' ? `${name}${code === undefined ? '' : ` (${code})`}` : message;
    throw new SourceError(
      url,
      `the download failed (${reason})`,
      'Check address and network, and run the command again',
    );
  }
}
