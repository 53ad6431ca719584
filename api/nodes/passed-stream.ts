// An event stream that another node sends to a client of this one. It knows whether its client reads, and cuts one off that
// does not once its token was revoked (FW5).

import type { EventChannel } from '#api/http/event-channel.ts';
import type { Exchange } from '#api/http/exchange.ts';
import type { Caller } from '#api/http/operation.ts';
import type { OpenCaller } from '#api/tokens/open-callers.ts';
import type { TimerClock } from '#engine/base/clock.ts';
import { SSE_REVOKED_UNREAD_MS } from '#engine/base/limits.ts';

export class PassedStream implements OpenCaller {
  readonly caller: Caller;
  readonly authorization: string;
  readonly #channel: EventChannel;
  readonly #clock: TimerClock;
  #isUnread = false;
  #isRevoked = false;
  #stopPatience: () => void = () => {};

  constructor(exchange: Exchange, caller: Caller, channel: EventChannel, clock: TimerClock) {
    this.caller = caller;
    this.authorization = exchange.header('authorization');
    this.#channel = channel;
    this.#clock = clock;
  }

  /** Its client has not read what was sent. */
  unread(): void {
    this.#isUnread = true;
    if (this.#isRevoked) this.#cutSoon();
  }

  /** It has, or it has left. */
  read(): void {
    this.#isUnread = false;
    this.#stopPatience();
  }

  /** Its token is not valid any more (FW5). */
  revoke(): void {
    if (this.#isRevoked) return;
    this.#isRevoked = true;
    if (this.#isUnread) this.#cutSoon();
  }

  #cutSoon(): void {
    this.#stopPatience = this.#clock.schedule(SSE_REVOKED_UNREAD_MS, () => this.#channel.close());
  }
}
