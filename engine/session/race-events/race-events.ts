// All rules for race events. Events of one frame come in the order of the rules below.

import { FastestLapEvents } from './fastest-lap-events.ts';
import { LeadEvents } from './lead-events.ts';
import { OvertakeEvents } from './overtake-events.ts';
import { PitEvents } from './pit-events.ts';
import type { MergedFrame, RaceEvent, RaceEventRule } from './race-event-rule.ts';
import { RetirementEvents } from './retirement-events.ts';
import { SessionEvents } from './session-events.ts';
import { TrackEvents } from './track-events.ts';

export class RaceEvents {
  readonly #rules: readonly RaceEventRule[] = [
    new SessionEvents(),
    new TrackEvents(),
    new PitEvents(),
    new OvertakeEvents(),
    new LeadEvents(),
    new FastestLapEvents(),
    new RetirementEvents(),
  ];

  apply(frame: MergedFrame): readonly RaceEvent[] {
    const events: RaceEvent[] = [];
    for (const rule of this.#rules) events.push(...rule.apply(frame));
    return events;
  }
}
