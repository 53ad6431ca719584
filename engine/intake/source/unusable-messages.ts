// Counts the unusable messages of a SignalR connection. They must neither end the connection nor fill the log: the
// first few are logged with their beginning, the others are only counted.

import { LIVE_UNUSABLE_MESSAGES_MAX } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';

export class UnusableMessages {
  readonly #log: Log;
  readonly #shown: (text: string) => string;
  #count = 0;

  /** `shown` turns a text into what may be logged of it. */
  constructor(log: Log, shown: (text: string) => string) {
    this.#log = log;
    this.#shown = shown;
  }

  add(reason: string, text: string): void {
    this.#count++;
    if (this.#count > LIVE_UNUSABLE_MESSAGES_MAX) return;
    this.#log.warn({ reason, begins: this.#shown(text) }, 'live timing: ignored an unusable message');
  }

  /** Logs the total if not every message was logged. */
  logTotal(): void {
    if (this.#count <= LIVE_UNUSABLE_MESSAGES_MAX) return;
    this.#log.warn({ messages: this.#count }, 'live timing: total of unusable messages of this connection');
  }
}
