// Retries the download of one file. After each failed try it pauses, and after too many it gives up. If the server asks
// for a pause (429, 503), it waits that long.

import { Backoff } from '#engine/base/backoff.ts';
import {
  DOWNLOAD_RETRY_AFTER_MS_MAX,
  DOWNLOAD_RETRY_MS,
  DOWNLOAD_RETRY_MS_MAX,
  DOWNLOAD_TRIES_ALL_MAX,
  DOWNLOAD_TRIES_MAX,
} from '#engine/base/limits.ts';
import { SourceError } from '#engine/base/source-error.ts';
import type { ArchiveResponse } from './archive-client.ts';

export interface RetryTiming {
  /** Rejects when `signal` is aborted. */
  pause(ms: number, signal: AbortSignal): Promise<void>;
  /** Unix epoch milliseconds. */
  wallMs(): number;
}

const BACKOFF = new Backoff(DOWNLOAD_RETRY_MS, DOWNLOAD_RETRY_MS_MAX);

/** Error codes that no retry would cure: our own defects, and disk errors. All others come from the network. */
const OURS = /^ERR_(?!TLS|SSL)/;
const DISK = /^(ENOSPC|EDQUOT|EACCES|EPERM|EROFS|EIO|ENOENT|EISDIR|EMFILE)$/;

const TRY_LATER = 'The downloaded files are kept: run the same command again later';

export class DownloadRetries {
  readonly #url: string;
  readonly #timing: RetryTiming;
  readonly #signal: AbortSignal;
  #failuresInARow = 0;
  #tries = 0;

  constructor(url: string, timing: RetryTiming, signal: AbortSignal) {
    this.#url = url;
    this.#timing = timing;
    this.#signal = signal;
  }

  /** Bytes arrived: the next failure counts as the first one in a row. */
  progressed(): void {
    this.#failuresInARow = 0;
  }

  /** Returns the response, or null after a pause when the server failed (408, 429, 5xx) or the connection did. */
  async request(send: () => Promise<ArchiveResponse>): Promise<ArchiveResponse | null> {
    const response = await this.run(send);
    if (response === null) return null;
    const { status } = response;
    if (status !== 408 && status !== 429 && status < 500) return response;
    const asked = status === 429 || status === 503 ? this.#askedPauseMs(response.header('retry-after')) : null;
    await response.discard();
    await this.pauseOrGiveUp(`the archive responds with status ${status}`, asked);
    return null;
  }

  /** Returns the result of the work, or null after a pause when the connection failed. */
  async run<Result>(work: () => Promise<Result>): Promise<Result | null> {
    try {
      return await work();
    } catch (error) {
      this.#signal.throwIfAborted();
      const { code, name, message } = error as NodeJS.ErrnoException;
      if (error instanceof SourceError || code === undefined || OURS.test(code)) throw error;
      if (DISK.test(code)) throw new SourceError(this.#url, `writing it failed (${message})`, 'Nothing was imported');
      await this.pauseOrGiveUp(message === '' ? `${name} (${code})` : message);
      return null;
    }
  }

  /** Pauses after a failed try. Throws a SourceError after too many. */
  async pauseOrGiveUp(reason: string, askedMs: number | null = null): Promise<void> {
    this.#failuresInARow++;
    this.#tries++;
    if (this.#failuresInARow >= DOWNLOAD_TRIES_MAX || this.#tries >= DOWNLOAD_TRIES_ALL_MAX) {
      throw new SourceError(this.#url, `${reason}, even after ${this.#tries} tries`, TRY_LATER);
    }
    if (askedMs !== null && askedMs > DOWNLOAD_RETRY_AFTER_MS_MAX) {
      throw new SourceError(
        this.#url,
        `the archive asks for a pause of ${Math.round(askedMs / 1000)} seconds`,
        TRY_LATER,
      );
    }
    await this.#timing.pause(askedMs ?? BACKOFF.pauseMs(this.#failuresInARow - 1), this.#signal);
  }

  /** Retry-After is a number of seconds or a date. */
  #askedPauseMs(header: string | null): number | null {
    if (header === null) return null;
    const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - this.#timing.wallMs();
    return Number.isNaN(ms) ? null : Math.max(0, ms);
  }
}
