// How long the fuzz tests search. In `npm test` each property takes seconds. To search longer, multiply the runs:
//
//   FUZZ_RUNS=50 node --test test/fuzz/session-frames.test.ts
//
// A failure prints its seed and path, and the smallest input that fails. Add that input to the property's examples,
// with the reason of the failure, so that it is tried first from then on. `FUZZ_SEED=...` tries the same inputs again.

import type { TestContext } from 'node:test';
import type { Parameters } from 'fast-check';

const FACTOR = Number(process.env.FUZZ_RUNS ?? 1);
const SEED = process.env.FUZZ_SEED;

/** Parameters for `fc.assert`. `base` is the number of runs in `npm test`. */
export function fuzzRuns<Values>(base: number): Parameters<Values> {
  return { numRuns: Math.max(1, Math.round(base * FACTOR)), ...(SEED !== undefined && { seed: Number(SEED) }) };
}

/** Counts the cases that were tried and reports them with the test's result. */
export class Cases {
  #count = 0;
  /** Number of cases by their outcome. */
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

  /** Number of cases with this outcome. */
  of(outcome: string): number {
    return this.#outcomes.get(outcome) ?? 0;
  }
}
