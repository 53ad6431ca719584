// Chance as a parameter: a seeded generator where a run must repeat, the system's where nobody may guess. Of the engine, only
// this file takes chance from the machine.

import { randomBytes } from 'node:crypto';

export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
}

/** The machine's own, where a run need not repeat. */
export const systemRandom: Random = { next: () => Math.random() };

/** So many bytes that nobody can guess: for ids, nonces and keys. */
export type RandomBytes = (count: number) => Buffer;

/** The system's, sound for secrets. */
export const systemRandomBytes: RandomBytes = (count) => randomBytes(count);

/** The mulberry32 generator: 32 bits of state, the same sequence on every machine. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return {
    next() {
      state = (state + 0x6d2b79f5) >>> 0;
      let t = state;
      t = Math.imul(t ^ (t >>> 15), t | 1);
      t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
      return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    },
  };
}
