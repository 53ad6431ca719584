// What a difference between two versions means, among many that were measured at once.
//
// "Worse" needs two things. It must be as large as matters: some percent, and where rounds of two single runs are
// compared also more than A's own rounds differ, because a quieter minute for one of the runs looks the same as a
// faster program. And chance must be unlikely to have made it: Holm's method holds the chance of even one wrong "worse"
// among all that is compared to 5 %, however many measurements a suite has. The same holds for "better", by itself.

import type { Difference } from './difference.ts';

export type Verdict = 'worse' | 'better' | 'no difference shown' | 'too noisy to say';

export interface Compared {
  readonly better: 'higher' | 'lower';
  readonly difference: Difference;
  /** Pairs of runs show by themselves how much the machine moves between two runs; the rounds of one run do not. */
  readonly paired: boolean;
}

/** The chance of a wrong "worse" anywhere, and of a wrong "better". */
export const FALSE_ALARMS = 0.05;

export const PAIRED_MATTERS = 0.03;
export const UNPAIRED_MATTERS = 0.05;

/** "No difference shown" is said when a change as large as this would have been seen. */
export const WOULD_BE_SEEN = 0.1;

/** A verdict for each, all judged together. */
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
    // A change that would count if it stood alone is not called none.
    const suspicious = matters && (low > 0 || high < 0);
    return shownEqual && !suspicious ? 'no difference shown' : 'too noisy to say';
  });
}

function smallestThatMatters({ difference, paired }: Compared): number {
  return paired ? Math.log1p(PAIRED_MATTERS) : Math.max(Math.log1p(UNPAIRED_MATTERS), difference.spread);
}

/** Which of the hypotheses can be given up: the smallest p has to be below a share of one in all, the next one in all but one ... */
function holm(probabilities: readonly number[]): boolean[] {
  const rejected = probabilities.map(() => false);
  const rising = probabilities.map((p, index) => ({ p, index })).sort((one, other) => one.p - other.p);
  for (const [before, { p, index }] of rising.entries()) {
    if (p > FALSE_ALARMS / (rising.length - before)) break;
    rejected[index] = true;
  }
  return rejected;
}
