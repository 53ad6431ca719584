// Overtakes that the rule tells of a recording, held against a list that was reviewed by hand.

import assert from 'node:assert/strict';
import { payloadsOf, timelineOf } from '#test/racing/real-sessions.ts';

/** A change of order that may be an overtake, and what the review found. */
export type Candidate = readonly [lap: number, ahead: string, behind: string, overtake: boolean, reason: string];

export interface Reviewed {
  /** Overtakes that the rule tells; each is on the list. */
  readonly told: number;
  /** Those of them that are overtakes. */
  readonly right: number;
  /** Overtakes on the list. */
  readonly overtakes: number;
}

export function reviewOvertakes(session: string, candidates: readonly Candidate[]): Reviewed {
  const told = payloadsOf(timelineOf(session), 'events.race')
    .filter(({ event }) => event === 'overtake')
    .map(({ lap, drivers: [ahead, behind] }) => ({ lap: lap!, ahead: ahead!.tla, behind: behind!.tla }));
  // Confirming takes ten seconds and more, so a pass at the end of a lap is told on the next.
  const find = ({ lap, ahead, behind }: (typeof told)[number]) =>
    candidates.find(([at, one, other]) => one === ahead && other === behind && (at === lap || at === lap - 1));
  const found = told.map(find);
  assert.deepEqual(
    told.filter((_, index) => found[index] === undefined),
    [],
    'an overtake that nobody reviewed: review it, and add it to the list',
  );
  const right = new Set(found.filter((candidate) => candidate![3])).size;
  return { told: told.length, right, overtakes: candidates.filter(([, , , overtake]) => overtake).length };
}
