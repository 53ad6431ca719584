// Randomness of a simulation. Everything comes from one seed, with a stream for each concern. What a receiver or the
// database does is drawn from its subject, not from the number of earlier draws. So when a part of a scenario is
// removed, the rest still behaves the same.

import { type Random, seededRandom } from '#engine/base/random.ts';

export class Chance {
  readonly #random: Random;

  constructor(seed: number, concern: string) {
    this.#random = seededRandom(mixed([seed, concern]));
  }

  next(): number {
    return this.#random.next();
  }

  happens(probability: number): boolean {
    return this.next() < probability;
  }

  /** Returns a whole number from `min` to `max`, both included. */
  whole(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.next() * items.length)]!;
  }
}

/** Returns a number in [0, 1) that depends on these keys only. */
export function chanceOf(...keys: readonly (number | string)[]): number {
  return seededRandom(mixed(keys)).next();
}

/** FNV-1a over the keys. */
function mixed(keys: readonly (number | string)[]): number {
  let hash = 0x811c9dc5;
  for (const key of keys) {
    if (typeof key === 'number') {
      hash = Math.imul(hash ^ (key & 0xffff), 0x01000193);
      hash = Math.imul(hash ^ (key >>> 16), 0x01000193);
    } else {
      for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
    }
    hash = Math.imul(hash ^ 0xff, 0x01000193);
  }
  return hash >>> 0;
}
