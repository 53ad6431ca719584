// Downloads a session from an archive. Its Index.json lists the topics; each topic is one file. The folder can then be
// read like any other archive folder.
//
// A complete file is not downloaded again. A partial file is resumed if the server confirms that it has not changed.
// There is one request at a time, with a pause between files.

import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DOWNLOAD_INDEX_BYTES_MAX, DOWNLOAD_TOPICS_MAX, RECORDING_BYTES_MAX } from '#engine/base/limits.ts';
import { quoted } from '#engine/base/quoted-text.ts';
import { SourceError } from '#engine/base/source-error.ts';
import { JSON_STREAM_SUFFIX } from '#engine/intake/source/archive-folder.ts';
import { topicProblem } from '#engine/intake/source/message-data.ts';
import { compareTopics } from '#schemas/upstream/topics.ts';
import type { ArchiveClient } from './archive-client.ts';
import { DownloadRetries, type RetryTiming } from './download-retries.ts';
import { PartialFile } from './partial-file.ts';

export interface DownloadParts extends RetryTiming {
  readonly client: ArchiveClient;
  readonly signal: AbortSignal;
  /** Called as bytes arrive: with the file's number from 1, the number of files, its name, and its bytes so far. */
  onProgress(file: number, files: number, name: string, bytes: number): void;
}

export interface Download {
  /** Topics that the index lists but the archive does not have, with the status of its response. */
  readonly missing: ReadonlyMap<string, string>;
}

/** Pause between two files, to spare the archive. */
export const DOWNLOAD_PAUSE_MS = 250;

const CHECK_ADDRESS =
  'Check the address: it must be that of one session, such as ' +
  'https://livetiming.formula1.com/static/2025/2025-05-04_Miami_Grand_Prix/2025-05-04_Race/';
const REFUSED =
  'The archive refuses sessions that have not taken place, are not stored yet, or are not public: ' +
  'check the address, or try again later';

/**
 * Downloads the topics into `folder`. Unless `mayLackSession` is set, a session without SessionInfo is refused before
 * its other topics are downloaded. Throws a SourceError when the download fails; downloaded files are kept.
 */
export async function downloadArchive(
  baseUrl: string,
  folder: string,
  mayLackSession: boolean,
  parts: DownloadParts,
): Promise<Download> {
  const topics = await readIndex(baseUrl, parts);
  mkdirSync(folder, { recursive: true });
  const missing = new Map<string, string>();
  let bytes = 0;
  let files = 0;
  for (const topic of topics) {
    const name = `${topic}${JSON_STREAM_SUFFIX}`;
    const target = join(folder, name);
    files++;
    if (existsSync(target)) continue;
    await parts.pause(DOWNLOAD_PAUSE_MS, parts.signal);
    const onBytes = (done: number): void => parts.onProgress(files, topics.length, name, done);
    const outcome = await fetchFile(`${baseUrl}${encodeURIComponent(name)}`, new PartialFile(target), onBytes, parts);
    if (typeof outcome === 'string') {
      missing.set(topic, outcome);
      if (topic === 'SessionInfo' && !mayLackSession) throw withoutSession(baseUrl, outcome);
      continue;
    }
    bytes += outcome;
    if (bytes > RECORDING_BYTES_MAX) {
      throw new SourceError(
        baseUrl,
        `its files have more than ${RECORDING_BYTES_MAX} bytes`,
        'That is more than one session',
      );
    }
  }
  if (!mayLackSession && !topics.includes('SessionInfo')) throw withoutSession(baseUrl, 'its index does not list it');
  return { missing };
}

function withoutSession(baseUrl: string, reason: string): SourceError {
  return new SourceError(
    baseUrl,
    `it has no SessionInfo${JSON_STREAM_SUFFIX}, so nothing says which session this is (${reason})`,
    'Give the id of the session with --session, such as 2025-miami-race',
  );
}

/** The topics that the session's index lists, those that describe the session first. */
async function readIndex(baseUrl: string, parts: DownloadParts): Promise<string[]> {
  const url = `${baseUrl}Index.json`;
  const retries = new DownloadRetries(url, parts, parts.signal);
  for (;;) {
    const response = await retries.request(() => parts.client.get(url, {}, parts.signal));
    if (response === null) continue;
    switch (response.status) {
      case 200: {
        const text = await retries.run(async () => {
          const chunks: Uint8Array[] = [];
          let bytes = 0;
          for await (const chunk of response.body) {
            bytes += chunk.length;
            if (bytes > DOWNLOAD_INDEX_BYTES_MAX) {
              throw new SourceError(url, `it has more than ${DOWNLOAD_INDEX_BYTES_MAX} bytes`, CHECK_ADDRESS);
            }
            chunks.push(chunk);
          }
          return Buffer.concat(chunks).toString('utf8');
        });
        if (text === null) continue;
        return topicsOf(url, text);
      }
      case 403:
        await response.discard();
        throw new SourceError(url, 'the archive refuses it (403)', REFUSED);
      default:
        await response.discard();
        throw new SourceError(url, `the archive responds with status ${response.status}`, CHECK_ADDRESS);
    }
  }
}

function topicsOf(url: string, text: string): string[] {
  let index: unknown;
  try {
    index = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    throw new SourceError(url, 'it is not JSON', CHECK_ADDRESS);
  }
  const { Feeds: feeds, Meetings: meetings } = (index ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof feeds !== 'object' || feeds === null) {
    const problem =
      meetings === undefined ? 'it does not list the topics of a session' : 'it lists the sessions of a season';
    throw new SourceError(url, problem, CHECK_ADDRESS);
  }
  const topics: string[] = [];
  for (const [topic, paths] of Object.entries(feeds)) {
    const path = (paths as { readonly StreamPath?: unknown } | null)?.StreamPath;
    if (path === undefined) continue;
    // The topic becomes a file name on this machine.
    if (topicProblem(topic) !== null || path !== `${topic}${JSON_STREAM_SUFFIX}`) {
      throw new SourceError(url, `it names ${quoted(String(path))} for the topic ${quoted(topic)}`, CHECK_ADDRESS);
    }
    topics.push(topic);
  }
  if (topics.length === 0 || topics.length > DOWNLOAD_TOPICS_MAX) {
    throw new SourceError(url, `it lists ${topics.length} topics`, CHECK_ADDRESS);
  }
  return topics.sort(compareTopics);
}

/** Downloads a file. Returns its size in bytes, or why the archive does not have it. */
async function fetchFile(
  url: string,
  file: PartialFile,
  onBytes: (bytes: number) => void,
  parts: DownloadParts,
): Promise<number | string> {
  const retries = new DownloadRetries(url, parts, parts.signal);
  for (;;) {
    const response = await retries.request(() => parts.client.get(url, file.resumption(), parts.signal));
    if (response === null) continue;
    switch (response.status) {
      case 200:
      case 206: {
        const done = await retries.run(async () => {
          await file.take(url, response, (bytes) => {
            retries.progressed();
            onBytes(bytes);
          });
          return true;
        });
        if (done === null) continue;
        return file.publish(url);
      }
      case 416:
        await response.discard();
        file.startOver();
        await retries.pauseOrGiveUp('its size has changed (416)');
        continue;
      case 403:
      case 404:
      case 410:
        await response.discard();
        return `status ${response.status}`;
      default:
        await response.discard();
        throw new SourceError(url, `the archive responds with status ${response.status}`, CHECK_ADDRESS);
    }
  }
}
