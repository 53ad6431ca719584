// lead_change: another driver is first in a race, and still is ten seconds later or at the finish. The timing shows the
// order at the latest measuring point, so a car that is ahead there for a moment does not lead. A pit stop of the
// leader does change the lead. No event under a red flag, when cars are reordered: a driver whom it has put first must lead for
// ten seconds of the restarted race. No event for a snapshot, which may be late.

import { type MergedFrame, NO_EVENTS, type RaceEvent, type RaceEventRule } from './race-event-rule.ts';

/** How long a new leader must keep the lead. */
const LEAD_HOLD_MS = 10_000;

type Lead =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'held'; readonly leader: string }
  | { readonly kind: 'contested'; readonly leader: string; readonly rival: string; readonly sinceUtcMs: number };

export class LeadEvents implements RaceEventRule {
  readonly topics = ['TimingData', 'SessionStatus'];
  #lead: Lead = { kind: 'unknown' };

  apply({ topic, state, utcMs, isSnapshot }: MergedFrame): readonly RaceEvent[] {
    const lead = this.#lead;
    // The usual case: the lead is not contested and no car moved.
    if (topic === 'TimingData' && lead.kind === 'held' && state.movedFrom.size === 0) return NO_EVENTS;
    if (!state.isRace) return NO_EVENTS;
    const finished = topic === 'SessionStatus' && state.topic('SessionStatus').Status === 'Finished';
    if (topic !== 'TimingData' && !finished) return NO_EVENTS;
    const first = firstOf(state.positions);
    if (first === null) return NO_EVENTS;
    if (isSnapshot && topic === 'TimingData') {
      this.#lead = { kind: 'held', leader: first };
      return NO_EVENTS;
    }
    const racing = (state.isStarted || finished) && state.topic('TrackStatus').Status !== '5';
    if (lead.kind === 'unknown' || first === lead.leader || !racing) {
      // After the finish, the order is the result, so the lead no longer changes.
      if (state.isStarted || lead.kind === 'unknown' || state.topic('SessionStatus').Status === 'Inactive') {
        this.#lead = { kind: 'held', leader: first };
      }
      return NO_EVENTS;
    }
    if (lead.kind === 'contested' && first === lead.rival) {
      if (utcMs - lead.sinceUtcMs < LEAD_HOLD_MS && !finished) return NO_EVENTS;
      this.#lead = { kind: 'held', leader: first };
      return [{ type: 'lead_change', numbers: [first, lead.leader], data: { previousLeaderNumber: lead.leader } }];
    }
    this.#lead = { kind: 'contested', leader: lead.leader, rival: first, sinceUtcMs: utcMs };
    return NO_EVENTS;
  }
}

function firstOf(positions: ReadonlyMap<string, number>): string | null {
  for (const [number, position] of positions) {
    if (position === 1) return number;
  }
  return null;
}
