// Chance of a simulation: everything comes from one seed, with a stream for each concern. What a receiver or the database does
// next is drawn from what it is about and not from how often anybody has drawn before, so that a scenario from which a part
// was taken away still behaves the same in what is left of it.

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

  /** A whole number from `min` to `max`, both included. */
  whole(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.next() * items.length)]!;
  }
}

/** A number in [0, 1) that follows from these keys alone. */
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
