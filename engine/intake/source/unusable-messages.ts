// What came over a SignalR connection and can't be used. It must neither end the connection nor fill the log: the first
// few are logged with their beginning, the others are counted.

import { LIVE_COMPLAINTS_MAX } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';

export class UnusableMessages {
  readonly #log: Log;
  readonly #shown: (text: string) => string;
  #count = 0;

  /** `shown` makes of a text what may be logged of it. */
  constructor(log: Log, shown: (text: string) => string) {
    this.#log = log;
    this.#shown = shown;
  }

  add(reason: string, text: string): void {
    this.#count++;
    if (this.#count > LIVE_COMPLAINTS_MAX) return;
    this.#log.warn({ reason, begins: this.#shown(text) }, 'live timing: a message is left out');
  }

  /** Says how many there were in the end, when not each was logged. */
  logTotal(): void {
    if (this.#count <= LIVE_COMPLAINTS_MAX) return;
    this.#log.warn({ messages: this.#count }, 'live timing: so many messages of this connection were left out');
  }
}
