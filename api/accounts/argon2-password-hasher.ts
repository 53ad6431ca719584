// Argon2id with the first parameters that OWASP recommends: 19 MiB, two passes, one lane. A hash takes about 20 ms of a
// core and a lot of memory, so only a few run at once. Further ones wait in a bounded queue.

import { hash, verify } from '@node-rs/argon2';
import { ApiError } from '#api/http/api-error.ts';
import { HASHES_AT_ONCE_MAX, HASHES_WAITING_MAX } from '#engine/base/limits.ts';
import type { PasswordHasher } from './password-hasher.ts';

/** Argon2id is the library's default variant. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** A hash of no password. Verifying against it takes as long as against any other. */
const DUMMY_HASH = `$argon2id$v=19$m=19456,t=2,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;

export interface HashBounds {
  readonly atOnceMax: number;
  readonly waitingMax: number;
}

export class Argon2PasswordHasher implements PasswordHasher {
  readonly #bounds: HashBounds;
  readonly #waiting: (() => void)[] = [];
  #underWay = 0;

  constructor(bounds: HashBounds = { atOnceMax: HASHES_AT_ONCE_MAX, waitingMax: HASHES_WAITING_MAX }) {
    this.#bounds = bounds;
  }

  hash(password: string): Promise<string> {
    return this.#inTurn(() => hash(composed(password), COST));
  }

  verify(passwordHash: string | null, password: string): Promise<boolean> {
    return this.#inTurn(async () => {
      const right = await verify(passwordHash ?? DUMMY_HASH, composed(password));
      return right && passwordHash !== null;
    });
  }

  /** First come, first served. */
  async #inTurn<Result>(compute: () => Promise<Result>): Promise<Result> {
    if (this.#underWay < this.#bounds.atOnceMax) {
      this.#underWay++;
    } else {
      if (this.#waiting.length >= this.#bounds.waitingMax) {
        throw new ApiError('unavailable', undefined, { 'retry-after': '1' });
      }
      // A finished computation hands its place to the first in the queue, so newcomers cannot overtake.
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    try {
      return await compute();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#underWay--;
      else next();
    }
  }
}

/** Keyboards send é as one character or as e plus an accent. Both must give the same hash. */
function composed(password: string): string {
  return password.normalize('NFC');
}
