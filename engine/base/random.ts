// Randomness as a parameter: a seeded generator where a run must be repeatable, the system's where values must be
// unguessable. This is the only file in the engine that takes randomness from the machine.

import { randomBytes } from 'node:crypto';

export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
}

/** The machine's generator, where a run need not be repeatable. */
export const systemRandom: Random = { next: () => Math.random() };

/** Returns `count` unguessable bytes, for ids, nonces and keys. */
export type RandomBytes = (count: number) => Buffer;

/** The system's cryptographic generator. */
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
