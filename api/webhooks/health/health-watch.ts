// Mails the owners of endpoints that start failing, and again when they are well. The service that claims a mail in the
// database sends it; if sending fails, it returns the claim, and a later look tries again. Deliveries and mails never wait
// for each other.

import type { Mailer } from '#api/mail/mailer.ts';
import type { TimerClock } from '#engine/base/clock.ts';
import type { Log } from '#engine/base/log.ts';
import { healthMail } from './health-mail.ts';
import type { HealthMailStore, HealthNews, HealthNotice } from './health-mail-store.ts';

export interface HealthWatchParts {
  readonly store: HealthMailStore;
  readonly mailer: Mailer;
  readonly clock: TimerClock;
  readonly log: Log;
}

/** How often the health of endpoints is looked at. */
export const HEALTH_WATCH_MS = 30_000;

export class HealthWatch {
  readonly #parts: HealthWatchParts;
  #cancelLook: () => void = () => {};
  #looking: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(parts: HealthWatchParts) {
    this.#parts = parts;
  }

  /** Starts to watch. */
  start(): void {
    this.#cancelLook = this.#parts.clock.schedule(HEALTH_WATCH_MS, () => {
      this.#looking = this.look().then(() => {
        if (!this.#closed) this.start();
      });
    });
  }

  /** Stops, and resolves when the mails under way are done. */
  close(): Promise<void> {
    this.#closed = true;
    this.#cancelLook();
    return this.#looking;
  }

  /** Sends what is due. Never rejects. */
  async look(): Promise<void> {
    // What is well again must not be mailed as failing afterwards.
    for (const news of ['well', 'failing'] as const) await this.#send(news);
  }

  async #send(news: HealthNews): Promise<void> {
    const { store, clock, log } = this.#parts;
    try {
      const notices = await store.claim(news, new Date(clock.wallMs()));
      await Promise.all(notices.map((notice) => this.#mail(notice)));
    } catch (error) {
      log.warn({ news, err: error }, 'could not send all mails about endpoints yet; they are retried');
    }
  }

  async #mail(notice: HealthNotice): Promise<void> {
    const { store, mailer } = this.#parts;
    try {
      await mailer.send({ kind: `endpoint-${notice.news}`, to: notice.email, ...healthMail(notice) });
    } catch (error) {
      await store.giveBack(notice);
      throw error;
    }
  }
}
