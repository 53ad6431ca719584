// How long a download keeps trying one file: a try that brought nothing is followed by a pause, and too many in a row are
// the end of it. A server that asks for a pause (429, 503) gets the one that it asks for.

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

/** Error codes that no further try would cure: defects, and what the disk says. All others are the network's. */
const OURS = /^ERR_(?!TLS|SSL)/;
const DISK = /^(ENOSPC|EDQUOT|EACCES|EPERM|EROFS|EIO|ENOENT|EISDIR|EMFILE)$/;

const TRY_LATER = 'What was downloaded is kept: run the same command again later';

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

  /** Something came: the next failure is the first again. */
  progressed(): void {
    this.#failuresInARow = 0;
  }

  /** The response, unless the server could not give one; then null, after the pause that this takes. */
  async request(send: () => Promise<ArchiveResponse>): Promise<ArchiveResponse | null> {
    const response = await this.run(send);
    if (response === null) return null;
    const { status } = response;
    if (status !== 408 && status !== 429 && status < 500) return response;
    const asked = status === 429 || status === 503 ? this.#askedPauseMs(response.header('retry-after')) : null;
    await response.discard();
    await this.pauseOrGiveUp(`the archive answers with status ${status}`, asked);
    return null;
  }

  /** What the work gives, or null after a pause when the connection failed. */
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

  /** A try was in vain. Waits before the next one, or throws a SourceError when there is none. */
  async pauseOrGiveUp(reason: string, askedMs: number | null = null): Promise<void> {
    this.#failuresInARow++;
    this.#tries++;
    if (this.#failuresInARow >= DOWNLOAD_TRIES_MAX || this.#tries >= DOWNLOAD_TRIES_ALL_MAX) {
      throw new SourceError(this.#url, `${reason}, also after ${this.#tries} tries`, TRY_LATER);
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
