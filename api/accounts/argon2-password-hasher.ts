// Argon2id with the parameters that OWASP recommends first: 19 MiB, two passes, one lane. That is some 20 ms of a core and
// a lot of memory, so only a few are computed at once, the next wait in line, and a full line is refused.

import { hash, verify } from '@node-rs/argon2';
import { ApiError } from '#api/http/api-error.ts';
import { HASHES_AT_ONCE_MAX, HASHES_WAITING_MAX } from '#engine/base/limits.ts';
import type { PasswordHasher } from './password-hasher.ts';

/** The variant is the library's default. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** A hash that nobody has: verifying it takes what verifying any other does. */
const NOBODYS_HASH = `$argon2id$v=19$m=19456,t=2,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;

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
      const right = await verify(passwordHash ?? NOBODYS_HASH, composed(password));
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
      // Whoever ends hands its place on, so nobody can slip in between.
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

/** The same letters give the same hash, whether the keyboard sends é as one character or as e with an accent. */
function composed(password: string): string {
  return password.normalize('NFC');
}
