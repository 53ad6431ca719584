// How long the fuzz tests search. `npm test` runs each property as often as its file says, which is seconds; to search for
// long, multiply:
//
//   FUZZ_RUNS=50 node --test test/fuzz/session-frames.test.ts
//
// A failure prints its seed and path, and the smallest input that fails: that input becomes an example of its property, with
// a word on why it failed, so that it is tried first from then on. `FUZZ_SEED=...` tries the same inputs again.

import type { TestContext } from 'node:test';
import type { Parameters } from 'fast-check';

const FACTOR = Number(process.env.FUZZ_RUNS ?? 1);
const SEED = process.env.FUZZ_SEED;

/** What `fc.assert` is to do: `base` runs in `npm test`. */
export function fuzzRuns<Values>(base: number): Parameters<Values> {
  return { numRuns: Math.max(1, Math.round(base * FACTOR)), ...(SEED !== undefined && { seed: Number(SEED) }) };
}

/** Counts what was tried, and says so with the test's result. */
export class Cases {
  #count = 0;
  /** What became of them. */
  readonly #outcomes = new Map<string, number>();

  constructor(t: TestContext, what: string) {
    t.after(() => {
      const outcomes = [...this.#outcomes].map(([outcome, count]) => `${count} ${outcome}`).join(', ');
      t.diagnostic(`${this.#count} ${what}${outcomes === '' ? '' : `: ${outcomes}`}`);
    });
  }

  get count(): number {
    return this.#count;
  }

  add(outcome?: string): void {
    this.#count++;
    if (outcome !== undefined) this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1);
  }

  /** How many ended so. */
  of(outcome: string): number {
    return this.#outcomes.get(outcome) ?? 0;
  }
}
