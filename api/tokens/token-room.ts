// Keeps the number of an account's tokens bounded, at a cost for each token that does not depend on how many there are:
// it counts what it lets in, and asks the database for room only when there may be none, which makes room for many.

import { growingCache } from '#api/http/growing-cache.ts';
import { ACCOUNTS_COUNTED_MAX, TOKENS_PER_ACCOUNT_MAX } from '#engine/base/limits.ts';
import type { TokenStore } from './token-store.ts';

interface Room {
  /** Tokens that the account has at most. */
  held: number;
  clearing: Promise<void> | null;
}

export class TokenRoom {
  readonly #store: TokenStore;
  readonly #rooms = growingCache<Room>(ACCOUNTS_COUNTED_MAX);

  constructor(store: TokenStore) {
    this.#store = store;
  }

  /** Resolves when the account has room for one more token, and counts it. */
  async take(accountId: string, now: Date): Promise<void> {
    let room = this.#rooms.get(accountId);
    if (room === undefined) {
      room = { held: Number.POSITIVE_INFINITY, clearing: null };
      this.#rooms.set(accountId, room);
    }
    while (room.held >= TOKENS_PER_ACCOUNT_MAX) {
      room.clearing ??= this.#clear(room, accountId, now);
      await room.clearing;
    }
    room.held++;
  }

  async #clear(room: Room, accountId: string, now: Date): Promise<void> {
    try {
      room.held = await this.#store.makeRoom(accountId, now);
    } finally {
      room.clearing = null;
    }
  }
}
