// Compares the overtakes that the rule emits for a recording with a list that was reviewed by hand.

import assert from 'node:assert/strict';
import { payloadsOf, timelineOf } from '#test/racing/real-sessions.ts';

/** A change of order that may be an overtake, and the result of the review. */
export type Candidate = readonly [lap: number, ahead: string, behind: string, overtake: boolean, reason: string];

export interface Reviewed {
  /** Overtakes that the rule emits. Each is on the list. */
  readonly emitted: number;
  /** Emitted overtakes that the review confirms. */
  readonly right: number;
  /** All overtakes on the list. */
  readonly overtakes: number;
}

export function reviewOvertakes(session: string, candidates: readonly Candidate[]): Reviewed {
  const emitted = payloadsOf(timelineOf(session), 'events.race')
    .filter(({ event }) => event === 'overtake')
    .map(({ lap, drivers: [ahead, behind] }) => ({ lap: lap!, ahead: ahead!.tla, behind: behind!.tla }));
  // The rule confirms a pass after ten seconds or more, so it emits a pass at the end of a lap on the next lap.
  const find = ({ lap, ahead, behind }: (typeof emitted)[number]) =>
    candidates.find(([at, one, other]) => one === ahead && other === behind && (at === lap || at === lap - 1));
  const found = emitted.map(find);
  assert.deepEqual(
    emitted.filter((_, index) => found[index] === undefined),
    [],
    'an overtake without a review: review it, and add it to the list',
  );
  const right = new Set(found.filter((candidate) => candidate![3])).size;
  return { emitted: emitted.length, right, overtakes: candidates.filter(([, , , overtake]) => overtake).length };
}
