// Turns the differences between two versions into verdicts, for many measurements at once.
//
// "Worse" needs two things. The difference must be large enough to matter: a few percent, and for single runs also more
// than the spread of A's own rounds, because a quieter minute looks the same as a faster program. And chance must be an
// unlikely cause: Holm's method limits the probability of even one false "worse" among all measurements to 5 %, however
// many there are. The same applies to "better", separately.

import type { Difference } from './difference.ts';

export type Verdict = 'worse' | 'better' | 'no difference shown' | 'too noisy to say';

export interface Compared {
  readonly better: 'higher' | 'lower';
  readonly difference: Difference;
  /**
   * Whether pairs of runs are compared. They show how much the machine drifts between runs; rounds of one run do not.
   */
  readonly paired: boolean;
}

/** The highest accepted probability of any false "worse", and of any false "better". */
export const FALSE_ALARMS = 0.05;

export const PAIRED_MATTERS = 0.03;
export const UNPAIRED_MATTERS = 0.05;

/** "No difference shown" means that a change this large would have been detected. */
export const WOULD_BE_SEEN = 0.1;

/** One verdict for each, corrected for their number. */
export function verdicts(all: readonly Compared[]): Verdict[] {
  const worse = holm(
    all.map(({ better, difference }) => (better === 'higher' ? difference.pLower : difference.pHigher)),
  );
  const better = holm(all.map((one) => (one.better === 'higher' ? one.difference.pHigher : one.difference.pLower)));
  return all.map((one, index) => {
    const matters = Math.abs(one.difference.change) >= smallestThatMatters(one);
    if (matters && worse[index]!) return 'worse';
    if (matters && better[index]!) return 'better';
    const { low, high } = one.difference;
    const shownEqual = low > -Math.log1p(WOULD_BE_SEEN) && high < Math.log1p(WOULD_BE_SEEN);
    // A change that would be significant by itself is not reported as no difference.
    const suspicious = matters && (low > 0 || high < 0);
    return shownEqual && !suspicious ? 'no difference shown' : 'too noisy to say';
  });
}

function smallestThatMatters({ difference, paired }: Compared): number {
  return paired ? Math.log1p(PAIRED_MATTERS) : Math.max(Math.log1p(UNPAIRED_MATTERS), difference.spread);
}

/**
 * Holm's step-down method: which null hypotheses it rejects. Of n, the smallest p may be 5 % / n, the next 5 % / (n -
 * 1).
 */
function holm(probabilities: readonly number[]): boolean[] {
  const rejected = probabilities.map(() => false);
  const rising = probabilities.map((p, index) => ({ p, index })).sort((one, other) => one.p - other.p);
  for (const [before, { p, index }] of rising.entries()) {
    if (p > FALSE_ALARMS / (rising.length - before)) break;
    rejected[index] = true;
  }
  return rejected;
}
